import { setTimeout } from 'node:timers/promises'
import { addressOf } from '../load/api.ts'
import { LoadError } from '../load/error.ts'

/** A service, and how to ask it. */
export interface Side {
  /** It has no slash at its end. */
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  /** The most seconds until a whole answer. */
  readonly seconds: number
  /** Ends a request early. */
  readonly signal: AbortSignal
}

/** An answer, as if the service had no address. */
export interface Received {
  readonly status: number
  readonly header: (name: string) => string
  readonly isJson: boolean
  /** A text that is not JSON has a character for each byte. */
  readonly body: string
  readonly milliseconds: number
}

/** An answer, or why there is none. */
export type Attempt = Received | { readonly fault: string }

export const BUSY = 429
const TRIES = 4
const MOST_PAUSE = 120 // seconds
/** Two bodies of so many bytes fit into memory. */
const MOST_BYTES = 64_000_000

/**
 * Returns the address of an option and the headers with its key. The key comes from a variable, because all users see the
 * arguments of a command. A key with a blank is the whole header, such as `Token 1234`.
 */
export function accessOf(name: 'old' | 'new', text: string | undefined): Pick<Side, 'address' | 'headers'> {
  if (text === undefined) throw new LoadError(`--${name} is missing: enter the address of the ${name} service`)
  const { origin, pathname, href } = new URL(addressOf(`--${name}`, text))
  const [plain, variable] = [origin + pathname, `EVENTS_KEY_${name.toUpperCase()}`]
  if (href !== plain) throw new LoadError(`--${name} must be ${plain} only: enter its key in the variable ${variable}`)
  const key = process.env[variable] ?? ''
  const authorization = key.includes(' ') ? key : `Basic ${Buffer.from(`__key__:${key}`).toString('base64')}`
  return { address: addressOf('', plain), headers: key === '' ? {} : { Authorization: authorization } }
}

/** Asks a service for a path. If it is busy, the function waits for as long as the answer says, at most three times. */
export async function ask(service: Side, path: string): Promise<Attempt> {
  for (let tries = 1; ; tries++) {
    const answer = await attempt(service, path)
    if ('fault' in answer || answer.status !== BUSY || tries === TRIES) return answer
    const after = answer.header('Retry-After') || '1'
    const pause = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000
    if (!(pause <= MOST_PAUSE)) return answer
    await setTimeout(1000 * pause, undefined, { signal: service.signal }).catch(() => {})
  }
}

async function attempt({ address, headers, seconds, signal }: Side, path: string): Promise<Attempt> {
  const started = performance.now()
  const timeout = AbortSignal.timeout(1000 * seconds)
  try {
    const ended = AbortSignal.any([signal, timeout])
    const response = await fetch(address + path, { headers, redirect: 'manual', signal: ended })
    const bytes = await bytesOf(response)
    const milliseconds = performance.now() - started
    if (bytes === null) return { fault: `the body has more than ${MOST_BYTES} bytes` }
    const isJson = /[/+]json\b/.test(response.headers.get('Content-Type') ?? '')
    const body = isJson ? withoutAddress(bytes.toString(), address) : bytes.toString('latin1').replaceAll(address, '')
    const header = (name: string) => withoutAddress(response.headers.get(name) ?? '', address)
    return { status: response.status, header, isJson, body, milliseconds }
  } catch (error) {
    if (timeout.aborted) return { fault: `no answer within ${seconds} s` }
    if (!(error instanceof Error)) throw error
    return { fault: `no answer: ${error.cause instanceof Error ? error.cause.message : error.message}` }
  }
}

/** Returns the bytes of a body. Null: they are too many. */
async function bytesOf({ body }: Response): Promise<Buffer | null> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > MOST_BYTES) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Removes the address of a service from the addresses in a text. It also sorts their parameters, and drops the `hint` of pages. */
const withoutAddress = (text: string, address: string): string =>
  text.replace(/https?:\/\/[^\s<>"\\]+/g, (found) => {
    if (found !== address && !found.startsWith(`${address}/`)) return found
    const url = new URL(`http://host${found.slice(address.length)}`)
    url.searchParams.delete('hint')
    url.searchParams.sort()
    return url.pathname + url.search
  })
