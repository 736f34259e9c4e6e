import { LoadError, optionError } from './error.ts'
import { retry } from './retry.ts'

/** The address of a service and the key to use with it. */
export interface ApiAccess {
  /** It has no slash at its end. */
  readonly address: string
  /** Null sends requests without a key. */
  readonly key: string | null
}

interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface ApiRequest {
  readonly method?: 'DELETE' | 'OPTIONS' | 'PATCH' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams
  /** Returns what receives each line of a long answer. Null: nobody reads the lines. Absent: the answer is one text. */
  readonly lines?: (headers: Headers) => OnLine | null
}

type OnLine = (line: string) => void

/** Asks a service. A path that is a function is called before each try, so that a retry can continue. */
export type Send = (path: string | (() => string), request?: ApiRequest) => Promise<ApiAnswer>

/** The service must read its database and not a cache. */
export const NO_CACHE = { 'Cache-Control': 'no-cache' }

/** A service may be silent for so many milliseconds. */
const DEADLINE = 120_000
const MAX_SHOWN = 1_000

const FULL = 507

/** An error answer of a service, such as a 400. */
export class RefusedRequest extends LoadError {
  readonly status: number
  readonly text: string
  readonly wait: number

  constructor(address: string, status: number, text: string, wait: number) {
    super(
      status === FULL
        ? `the database of ${new URL(address).origin} is full: its operator must make room first`
        : `${address} answers ${status}: ${text.slice(0, MAX_SHOWN)}`,
    )
    this.status = status
    this.text = text
    this.wait = wait
  }
}

/** Returns an address without a slash at its end. Throws LoadError for any other value of the option. */
export function addressOf(option: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '')
  throw optionError(option, text, 'enter an address, such as http://localhost:8787')
}

/**
 * Creates a function for several requests. It sends the bookmark of the last answer, so that each answer is at least as
 * new as the one before. It retries if the service is busy or cannot be reached. It throws Refused for an error answer.
 */
export function asks({ address, key }: ApiAccess): Send {
  let bookmark: string | null = null
  return async (path, { headers, lines, ...request } = {}) => {
    const own = {
      ...(key !== null && { Authorization: `Bearer ${key}` }),
      ...(bookmark && { 'X-D1-Bookmark': bookmark }),
    }
    const init = { ...request, headers: { Accept: 'application/json', ...own, ...headers } }
    const pathNow = () => (typeof path === 'string' ? path : path())
    const answer = await retry(() => attempt(address + pathNow(), init, lines), pauseOf)
    bookmark = answer.headers.get('X-D1-Bookmark') ?? bookmark
    return answer
  }
}

/** Returns the pause before a retry in seconds. Null: a retry would fail with the same error. */
const pauseOf = (error: unknown): number | null => {
  if (!(error instanceof RefusedRequest)) return 0
  const { status, wait } = error
  return status === 429 || (status >= 502 && status !== FULL) ? wait : null
}

async function attempt(address: string, init: RequestInit, lines?: ApiRequest['lines']): Promise<ApiAnswer> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error(`it was silent for ${DEADLINE / 1000} seconds`)), DEADLINE)
  try {
    const response = await fetch(address, { ...init, signal: silence.signal })
    const { ok, status, headers } = response
    const text = await textOf(response, ok ? lines?.(headers) : undefined, () => timer.refresh())
    if (ok || status === 304) return { status, headers, text }
    throw new RefusedRequest(address, status, text, Number(headers.get('Retry-After') ?? 0))
  } catch (cause) {
    if (cause instanceof RefusedRequest || !(cause instanceof Error)) throw cause
    // A connection that breaks during the answer is one of these errors.
    throw new LoadError(`${new URL(address).origin} cannot be reached: ${String(cause.cause ?? cause.message)}`, {
      cause,
    })
  } finally {
    clearTimeout(timer)
  }
}

/** Reads an answer. With `onLine`, it returns no text. Null reads nothing. */
async function textOf({ body }: Response, onLine: OnLine | null | undefined, onPiece: () => void): Promise<string> {
  let text = ''
  if (onLine === null) await body?.cancel()
  else
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      onPiece()
      text += piece
      if (onLine === undefined) continue
      const whole = text.split('\n')
      text = whole.pop() ?? ''
      for (const line of whole) onLine(line)
    }
  return text
}

/** Returns the access level that the caller can read, or null if the service does not show it. */
export async function readsOf(ask: Send): Promise<string | null> {
  const { text } = await ask('/api/v4/eventseries/', { method: 'OPTIONS' })
  return (JSON.parse(text) as { reads?: string }).reads ?? null
}

export async function* pagesOf(ask: Send, path: string): AsyncGenerator<ApiAnswer> {
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: ApiAnswer = await ask(next, { headers: NO_CACHE })
    yield answer
    const link = /<([^>]*)>;\s*rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1]
    next = link?.slice(new URL(link).origin.length)
  }
}

/** Reads all pages of a list and returns the items that are in a member of each. */
export async function listOf<T>(ask: Send, path: string, member: 'results' | 'features' | 'metadata'): Promise<T[]> {
  const items: T[] = []
  for await (const { text } of pagesOf(ask, path))
    items.push(...(JSON.parse(text) as Record<typeof member, T[]>)[member])
  return items
}

/** Posts a body and returns the JSON of the answer. The idempotency key makes it safe to repeat the post. */
export async function post<T>(ask: Send, path: string, body: string, key: string): Promise<T> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key }
  return JSON.parse((await ask(path, { method: 'POST', body, headers })).text)
}
