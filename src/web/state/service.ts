import { hrefOf, isLong, type PageAddress, parameter, queryOf } from './address.ts'
import { type Context, readPage } from './context.ts'

/** An answer of the service. Status 0: the service did not answer. */
export interface ServiceAnswer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: unknown
  /** The time until the whole answer was read. Null for the answer inside the page. */
  readonly milliseconds: number | null
}

const STORED = 'key'
/** The bookmark of the last request on /docs, so that the page sees its writes. src/web/app/docs.ts stores it. */
const BOOKMARK = 'X-D1-Bookmark'

/** Returns the key for requests, which the browser stores until the tab closes. Null without a key. */
export const keyInUse = (): string | null => sessionStorage.getItem(STORED)

export const keepKey = (key: string | null): void => {
  if (key === null) sessionStorage.removeItem(STORED)
  else sessionStorage.setItem(STORED, key)
}

/** Names the code of the Worker, see src/request/pin.ts. */
declare const CODE_NAME: string

/** The state of the data that the page shows. Null: unknown. */
let shownState: string | null = null

/** Remembers the state of an answer that the page shows. Its entity tag begins with the state. */
export const keepState = ({ headers }: Pick<ServiceAnswer, 'headers'>): void => {
  const [, tag = ''] = headers.find(([name]) => name.toLowerCase() === 'etag') ?? []
  shownState = /"(\d+(?:\.\d+)?-[0-9a-z]+)-[^-]*"$/.exec(tag)?.[1] ?? null
}

/**
 * Pins a place to the shown state, so that the browser keeps its answer. It keeps no answer to a key or a POST. The state
 * of a series has a point, and belongs only to places with that series.
 */
export const pinned = (place: PageAddress): PageAddress => {
  if (shownState === null || keyInUse() !== null || isLong(place)) return place
  if (shownState.includes('.') && !place.parameters.some(({ name }) => name === 'event_series')) return place
  return { ...place, parameters: [...place.parameters, parameter('state', `${shownState}-${CODE_NAME}`)] }
}

/** Requests the JSON of a place in the shown state. If that is unknown or has passed, requests the current state. */
export const askPinned = async (place: PageAddress, signal: AbortSignal): Promise<ServiceAnswer> => {
  const first = await ask(pinned(place), signal)
  const answer = first.status === 409 ? await ask(place, signal) : first
  if (shownState === null || first.status === 409) keepState(answer)
  return answer
}

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
export const rememberList = (list: LastList): void => sessionStorage.setItem(LIST, JSON.stringify(list))

/** Returns the last list if it is at this path. Null if it was another list. */
export const lastList = (path: string): LastList | null => {
  const list = JSON.parse(sessionStorage.getItem(LIST) ?? 'null') as LastList | null
  return list?.address.split('?')[0] === path ? list : null
}

/** Requests a place with a key. A query that is too long for an address goes by POST. */
export const request = async (
  place: PageAddress,
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
    // With its own credentials, a browser would ask for a password if the key is wrong.
    credentials: key === null ? 'same-origin' : 'omit',
    ...(signal === undefined ? {} : { signal }),
  })
  // After a restore, no database ever reaches the state that a bookmark names.
  if (response.status === 503) sessionStorage.removeItem(BOOKMARK)
  return response
}

/** Requests the JSON of a place. Throws only if the request was aborted. */
export const ask = (place: PageAddress, signal?: AbortSignal, key = keyInUse()): Promise<ServiceAnswer> =>
  answered(signal, async () => {
    // The table and the map need all members.
    const parameters = place.parameters.filter(({ name }) => name !== 'fields')
    const response = await request({ ...place, parameters }, 'application/json', signal, key)
    return { status: response.status, headers: [...response.headers], body: parse(await response.text()) }
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
  get: () => Promise<Omit<ServiceAnswer, 'milliseconds'>>,
): Promise<ServiceAnswer> => {
  const started = performance.now()
  try {
    const answer = await get()
    return { ...answer, milliseconds: performance.now() - started }
  } catch (error) {
    if (signal?.aborted) throw error
    const detail = 'The service did not answer. Check your connection, then try again.'
    return { status: 0, headers: [], body: { detail }, milliseconds: null }
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return { detail: text.slice(0, 200) || 'The answer has no text.' }
  }
}

/** Returns the messages of a 400 by parameter. Null for other answers. */
export const faultsOf = ({
  status,
  body,
}: Pick<ServiceAnswer, 'status' | 'body'>): Readonly<Record<string, string[]>> | null => {
  if (status !== 400 || typeof body !== 'object' || body === null || 'detail' in body) return null
  return body as Record<string, string[]>
}

/** Returns the message of an error. */
export const messageOf = ({ status, body }: Pick<ServiceAnswer, 'status' | 'body'>): string => {
  const faults = faultsOf({ status, body })
  const told = Object.entries(faults ?? {}).map(([name, messages]) => `${name}: ${messages.join(' ')}`)
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : told.join(' ')
  return detail || `The service answered with status ${status}.`
}
