import { setTimeout } from 'node:timers/promises'
import { LoadError } from './error.ts'

/** A service and a key of it that writes. */
export interface Api {
  /** Without a slash at its end. */
  readonly address: string
  readonly key: string
}

type Item = Readonly<Record<string, unknown>>

const TRIES = 6
const DEADLINE = 120_000 // milliseconds
const MAX_SHOWN = 1_000

/** All items of a list. */
export async function listOf(api: Api, path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let next: string | null = `${path}?page_size=100`; next !== null; ) {
    const page = (await send(api, next)) as { next: string | null; results: Item[] }
    items.push(...page.results)
    const following: URL | null = page.next === null ? null : new URL(page.next)
    next = following === null ? null : following.pathname + following.search
  }
  return items
}

/**
 * The JSON that a service answers; with a body it is a post, with a key that makes its repetition do nothing. Tried again
 * where it is too busy or cannot be reached. Throws LoadError with what it answers to something wrong.
 */
export async function send(
  api: Api,
  path: string,
  post?: { readonly body: string; readonly key: string },
): Promise<unknown> {
  const headers = { Authorization: `Bearer ${api.key}`, Accept: 'application/json' }
  const init = post && {
    method: 'POST',
    body: post.body,
    headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': post.key },
  }
  for (let tries = 1; ; tries++) {
    const answer = await ask(api.address + path, { headers, ...init })
    if ('json' in answer) return answer.json
    if (!answer.busy || tries === TRIES) throw new LoadError(answer.reason)
    await setTimeout(1000 * Math.min(60, answer.wait || 2 ** (tries - 1)))
  }
}

/** What came of a request: the JSON, or why there is none, whether it may be over soon, and in how many seconds. */
type Answer = { readonly json: unknown } | { readonly reason: string; readonly busy: boolean; readonly wait: number }

async function ask(address: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(address, { ...init, signal: AbortSignal.timeout(DEADLINE) })
    if (response.ok) return { json: await response.json() }
    const busy = response.status === 429 || response.status >= 502
    return { reason: await reasonOf(address, response), busy, wait: Number(response.headers.get('Retry-After')) || 0 }
  } catch (cause) {
    // Also where an answer breaks off.
    const { message, cause: deeper } = cause as Error
    return { reason: `${new URL(address).origin} cannot be reached: ${String(deeper ?? message)}`, busy: true, wait: 0 }
  }
}

const reasonOf = async (address: string, response: Response): Promise<string> =>
  `${address} answers ${response.status}: ${(await response.text()).slice(0, MAX_SHOWN)}`
