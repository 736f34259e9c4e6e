import type { Sentence } from '../../messages.ts'
import { hrefOf, isLong, type PageAddress, queryOf } from './address.ts'
import { type CodesByName, type Context, readPage } from './context.ts'
import { texts } from './text.ts'

/** An answer of the service. Status 0: the service did not answer. */
export interface ServiceAnswer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: unknown
  /** The codes of faults. Absent: the answer is no page, or has none. */
  readonly faults?: CodesByName | undefined
  /** The time until the whole answer was read. Null for the answer inside the page. */
  readonly milliseconds: number | null
}

/** What the page keeps itself, if the browser blocks or has filled the storage of the tab. */
const kept = new Map<string, string>()

/** Returns a text that this tab keeps. Null without one. */
const readTab = (name: string): string | null => {
  try {
    return kept.get(name) ?? sessionStorage.getItem(name)
  } catch {
    return kept.get(name) ?? null
  }
}

/** Keeps a text until the tab closes, or until the page closes if the browser blocks the storage. */
const keepInTab = (name: string, text: string | null): void => {
  kept.delete(name)
  try {
    if (text === null) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, text)
  } catch {
    if (text !== null) kept.set(name, text)
  }
}

const STORED = 'key'
/** The bookmark of the last request on /docs, so that the page sees its writes. src/web/app/docs.ts stores it. */
const BOOKMARK = 'X-D1-Bookmark'

/** Returns the key for requests, which the browser stores until the tab closes. Null without a key. */
export const keyInUse = (): string | null => readTab(STORED)

export const keepKey = (key: string | null): void => keepInTab(STORED, key)

const LIST = 'list'

/** A list that the reader came from: its rows, and the addresses of the pages around them. */
export interface LastList {
  readonly address: string
  readonly count: number
  readonly urls: readonly string[]
  readonly previous: string | null
  readonly next: string | null
}

/** Remembers a list in this tab, so that a page of an item can link to it and to the items beside. */
export const rememberList = (list: LastList): void => keepInTab(LIST, JSON.stringify(list))

/** Returns the last list if it is at this path. Null if it was another list. */
export const lastList = (path: string): LastList | null => {
  const list = JSON.parse(readTab(LIST) ?? 'null') as LastList | null
  return list?.address.split('?')[0] === path ? list : null
}

/** Requests a place with a key. A query that is too long for an address goes by POST. */
export const request = async (
  place: PageAddress,
  accept: string,
  signal?: AbortSignal,
  key = keyInUse(),
): Promise<Response> => {
  const bookmark = readTab(BOOKMARK)
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
    // With its own credentials, a browser would ask for a password if the key is wrong.
    credentials: key === null ? 'same-origin' : 'omit',
    ...(signal === undefined ? {} : { signal }),
  })
  // After a restore, no database ever reaches the state that a bookmark names.
  if (response.status === 503) keepInTab(BOOKMARK, null)
  return response
}

/** Requests the JSON of a place. Throws only if the request was aborted. */
export const ask = (place: PageAddress, signal?: AbortSignal, key = keyInUse()): Promise<ServiceAnswer> =>
  answered(signal, async () => {
    // The table and the map need all members.
    const parameters = place.parameters.filter(({ name }) => name !== 'fields')
    const response = await request({ ...place, parameters }, 'application/json', signal, key)
    return answerOf(response, await response.text())
  })

/** Requests the page of a place, with the answer and the context. The context is null if the answer is not a page. */
export const askPage = async (
  place: PageAddress,
  signal?: AbortSignal,
): Promise<{ answer: ServiceAnswer; context: Context | null }> => {
  let context: Context | null = null
  const answer = await answered(signal, async () => {
    const response = await request(place, 'text/html', signal)
    const text = await response.text()
    const isHtml = response.headers.get('Content-Type')?.startsWith('text/html')
    const page = isHtml ? readPage(new DOMParser().parseFromString(text, 'text/html')) : null
    if (page === null) return answerOf(response, text)
    context = page.context
    const { headers, faults } = page.context
    return { status: response.status, headers, body: page.body, faults }
  })
  return { answer, context }
}

const answered = async (
  signal: AbortSignal | undefined,
  get: () => Promise<Omit<ServiceAnswer, 'milliseconds'>>,
): Promise<ServiceAnswer> => {
  const started = performance.now()
  try {
    const answer = await get()
    return { ...answer, milliseconds: performance.now() - started }
  } catch (error) {
    if (signal?.aborted) throw error
    return { status: 0, headers: [], body: null, milliseconds: null }
  }
}

/** Reads an answer. The body is null if a proxy before the service answered with a page of its own. */
const answerOf = (response: Response, text: string): Omit<ServiceAnswer, 'milliseconds'> => {
  const { status, headers } = response
  try {
    return { status, headers: [...headers], body: JSON.parse(text) }
  } catch (error) {
    // A network that asks for a login answers 200.
    if (response.ok) throw error
    return { status, headers: [...headers], body: null }
  }
}

/** A message about a parameter, in English and as codes with values. Messages without codes exist. */
export interface Message {
  readonly english: string
  readonly sentences: readonly Sentence[]
}

export type Faults = Readonly<Record<string, readonly Message[]>>

/** Returns the messages of a 400 by parameter. Null for other answers. */
export const faultsOf = ({
  status,
  body,
  faults: codes = {},
}: Pick<ServiceAnswer, 'status' | 'body' | 'faults'>): Faults | null => {
  if (status !== 400 || typeof body !== 'object' || body === null || 'detail' in body) return null
  const faults = Object.entries(body as Record<string, string[]>).map(([name, messages]) => [
    name,
    messages.map((english, i) => ({ english, sentences: codes[name]?.[i] ?? [] })),
  ])
  return Object.fromEntries(faults)
}

/** Returns after how many seconds a request may be repeated. Null if the answer does not say it. */
export const waitOf = ({ headers }: Pick<ServiceAnswer, 'headers'>): number | null => {
  const [, seconds] = headers.find(([name]) => name.toLowerCase() === 'retry-after') ?? []
  return seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) : null
}

/** Returns the message of an error. */
export const messageOf = ({ status, body }: Pick<ServiceAnswer, 'status' | 'body'>): string => {
  if (status === 0) return texts().app.noAnswer
  const faults = faultsOf({ status, body })
  const told = Object.entries(faults ?? {}).map(
    ([name, all]) => `${name}: ${all.map(({ english }) => english).join(' ')}`,
  )
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : told.join(' ')
  return detail || texts().app.status(status)
}
