import { setTimeout } from 'node:timers/promises'
import { LoadError } from './error.ts'

/** The address of a service and the key to use with it. */
export interface ApiAccess {
  /** It has no slash at its end. */
  readonly address: string
  /** Null sends requests without a key. */
  readonly key: string | null
}

export type ApiItem = Readonly<Record<string, unknown>>

/** A successful answer or a 304. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Requests a path of a service. `form` is a query that is sent as the body, because an address may be too short for it.
 */
export type Ask = (
  path: string,
  headers?: Readonly<Record<string, string>>,
  form?: URLSearchParams,
) => Promise<ApiAnswer>

/** An error answer of a service, such as a 400. */
export class Refused extends LoadError {
  readonly status: number
  readonly text: string

  constructor(address: string, status: number, text: string) {
    super(`${address} answers ${status}: ${text.slice(0, MAX_SHOWN)}`)
    this.status = status
    this.text = text
  }
}

const TRIES = 6
const DEADLINE = 120_000 // milliseconds
const MAX_SHOWN = 1_000

/**
 * Returns the address of a service without a slash at its end. Throws LoadError that names `option` if it is not an
 * address.
 */
export function addressOf(option: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '')
  throw new LoadError(`${option} is ${JSON.stringify(text)}: enter an address, such as http://localhost:8787`)
}

/**
 * Creates a function for several requests. It sends the bookmark of the last answer, so that each answer is at least as
 * new as the one before.
 */
export function asks(api: ApiAccess): Ask {
  let bookmark: string | null = null
  return async (path, headers = {}, form) => {
    const sent = { ...headers, ...(bookmark && { 'X-D1-Bookmark': bookmark }) }
    const body = form === undefined ? {} : { method: 'POST', body: form }
    const answer = await request(api, path, { headers: sent, ...body })
    bookmark = answer.headers.get('X-D1-Bookmark') ?? bookmark
    return answer
  }
}

/** Returns the access level that the caller can read, or null if the service does not show it. */
export async function readsOf(api: ApiAccess): Promise<string | null> {
  const { text } = await request(api, '/api/v4/eventseries/', { method: 'OPTIONS' })
  return (JSON.parse(text) as { reads?: string }).reads ?? null
}

/** Reads all pages of a list and returns its items. */
export async function listOf(ask: Ask, path: string): Promise<ApiItem[]> {
  const items: ApiItem[] = []
  for (let next: string | null = path; next !== null; ) {
    const page = JSON.parse((await ask(next)).text) as { next: string | null; results: ApiItem[] }
    items.push(...page.results)
    const following: URL | null = page.next === null ? null : new URL(page.next)
    next = following === null ? null : following.pathname + following.search
  }
  return items
}

/** Posts a body and returns the JSON of the answer. The idempotency key makes it safe to repeat the post. */
export async function post(api: ApiAccess, path: string, body: string, key: string): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key }
  return JSON.parse((await request(api, path, { method: 'POST', body, headers })).text)
}

/**
 * Requests a path. It retries if the service is busy or cannot be reached. Throws LoadError if the service refuses the
 * request.
 */
async function request({ address, key }: ApiAccess, path: string, init: RequestInit): Promise<ApiAnswer> {
  const headers = new Headers({ Accept: 'application/json', ...(init.headers as Record<string, string>) })
  if (key !== null) headers.set('Authorization', `Bearer ${key}`)
  for (let tries = 1; ; tries++) {
    const answer = await attempt(address + path, { ...init, headers })
    if ('text' in answer) return answer
    if (answer.refused !== undefined) throw answer.refused
    if (tries === TRIES) throw new LoadError(answer.reason)
    await setTimeout(1000 * Math.min(60, answer.wait || 2 ** (tries - 1)))
  }
}

/**
 * The reason of a failure and the seconds to wait before a retry. `refused`: a retry would fail with the same error.
 */
type Failure = { readonly reason: string; readonly wait: number; readonly refused?: Refused }

async function attempt(address: string, init: RequestInit): Promise<ApiAnswer | Failure> {
  try {
    const response = await fetch(address, { ...init, signal: AbortSignal.timeout(DEADLINE) })
    const { ok, status, headers } = response
    const text = await response.text()
    if (ok || status === 304) return { status, headers, text }
    const refused = new Refused(address, status, text)
    const wait = Number(headers.get('Retry-After')) || 0
    return { reason: refused.message, wait, ...(status !== 429 && status < 502 && { refused }) }
  } catch (cause) {
    // A connection that breaks during the answer is one of these errors.
    const { message, cause: deeper } = cause as Error
    return { reason: `${new URL(address).origin} cannot be reached: ${String(deeper ?? message)}`, wait: 0 }
  }
}
