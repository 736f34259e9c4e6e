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
    const response = await fetch(api.address + path, { headers, ...init, signal: AbortSignal.timeout(DEADLINE) }).catch(
      (cause: Error) => {
        if (tries === TRIES)
          throw new LoadError(`${api.address} cannot be reached: ${String(cause.cause ?? cause.message)}`, { cause })
        return null
      },
    )
    if (response?.ok) return response.json()
    const busy = response === null || response.status === 429 || response.status >= 502
    if (!busy || tries === TRIES) throw new LoadError(await reasonOf(api.address + path, response))
    await setTimeout(1000 * Math.min(60, Number(response?.headers.get('Retry-After')) || 2 ** (tries - 1)))
  }
}

async function reasonOf(address: string, response: Response | null): Promise<string> {
  const text = (await response?.text()) ?? ''
  return `${address} answers ${response?.status}: ${text.slice(0, MAX_SHOWN)}`
}
