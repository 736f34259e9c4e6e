import { hrefOf, isLong, type Place, queryOf } from './address.ts'
import { type Context, readPage } from './context.ts'

/** An answer of the service; status 0 where there was none. */
export interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: unknown
  /** Until it was read to its end; null for what the page came with. */
  readonly milliseconds: number | null
}

const STORED = 'key'
/** What the last answer to what was tried on /docs saw, so that the page sees it too; src/browser/page/docs.ts keeps it. */
const BOOKMARK = 'X-D1-Bookmark'

/** The key that is sent along, kept until the tab is closed; null: none. */
export const keyInUse = (): string | null => sessionStorage.getItem(STORED)

export const keepKey = (key: string | null): void => {
  if (key === null) sessionStorage.removeItem(STORED)
  else sessionStorage.setItem(STORED, key)
}

const LIST = 'list'

/** Remembers a list that is looked at, in this tab, for who comes back from one of its items. */
export const keepList = (place: Place, count: number): void =>
  sessionStorage.setItem(LIST, JSON.stringify({ address: hrefOf(place), count }))

/** The list at a path that was looked at last; null where it was another. */
export const lastList = (path: string): { readonly address: string; readonly count: number } | null => {
  const list = JSON.parse(sessionStorage.getItem(LIST) ?? 'null') as { address: string; count: number } | null
  return list?.address.split('?')[0] === path ? list : null
}

/** Asks for a place, with the key in use or one to be tried. What is too long for an address is posted. */
export const request = async (
  place: Place,
  accept: string,
  signal?: AbortSignal,
  key = keyInUse(),
): Promise<Response> => {
  const bookmark = sessionStorage.getItem(BOOKMARK)
  const headers = {
    Accept: accept,
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
    ...(bookmark === null ? {} : { [BOOKMARK]: bookmark }),
  }
  const long = isLong(place)
  const response = await fetch(long ? place.path : hrefOf(place), {
    method: long ? 'POST' : 'GET',
    headers: long ? { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' } : headers,
    body: long ? queryOf(place).slice(1) : null,
    // A browser that may use its own credentials asks for a password where a key is wrong.
    credentials: key === null ? 'same-origin' : 'omit',
    ...(signal === undefined ? {} : { signal }),
  })
  // After a restore, no database ever reaches the state that a bookmark names.
  if (response.status === 503) sessionStorage.removeItem(BOOKMARK)
  return response
}

/** The JSON of a place. Throws only where it was called off. */
export const ask = (place: Place, signal?: AbortSignal, key = keyInUse()): Promise<Answer> =>
  answered(signal, async () => {
    const response = await request(place, 'application/json', signal, key)
    return { status: response.status, headers: [...response.headers], body: parse(await response.text()) }
  })

/** The page of a place: its answer and what is known of the address, null where there is only an error. */
export const askPage = async (
  place: Place,
  signal?: AbortSignal,
): Promise<{ answer: Answer; context: Context | null }> => {
  let context: Context | null = null
  const answer = await answered(signal, async () => {
    const response = await request(place, 'text/html', signal)
    const text = await response.text()
    if (!response.headers.get('Content-Type')?.startsWith('text/html'))
      return { status: response.status, headers: [...response.headers], body: parse(text) }
    const page = readPage(new DOMParser().parseFromString(text, 'text/html'))
    context = page.context
    return { status: response.status, headers: page.context.headers, body: page.body }
  })
  return { answer, context }
}

const answered = async (
  signal: AbortSignal | undefined,
  get: () => Promise<Omit<Answer, 'milliseconds'>>,
): Promise<Answer> => {
  const started = performance.now()
  try {
    const answer = await get()
    return { ...answer, milliseconds: performance.now() - started }
  } catch (error) {
    if (signal?.aborted) throw error
    const detail = 'The service did not answer. Look at the connection, then try again.'
    return { status: 0, headers: [], body: { detail }, milliseconds: null }
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return { detail: text.slice(0, 200) || 'An answer without a text.' }
  }
}

/** What is wrong, by parameter, where a 400 says so. */
export const faultsOf = ({
  status,
  body,
}: Pick<Answer, 'status' | 'body'>): Readonly<Record<string, string[]>> | null => {
  if (status !== 400 || typeof body !== 'object' || body === null || 'detail' in body) return null
  return body as Record<string, string[]>
}

/** What an error says, in a sentence. */
export const messageOf = ({ status, body }: Pick<Answer, 'status' | 'body'>): string => {
  const faults = faultsOf({ status, body })
  const told = Object.entries(faults ?? {}).map(([name, messages]) => `${name}: ${messages.join(' ')}`)
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : told.join(' ')
  return detail || `The service answered with status ${status}.`
}
