import { useEffect, useState } from 'preact/hooks'
import type { Sentence } from '../../base/messages.ts'
import { hrefOf, isLong, type PageAddress, queryOf } from './address.ts'
import type { About } from './fields.ts'
import { keep, readKept, texts } from './text.ts'

/** An answer of the service, with the title and the description of its address. Status 0: the service did not answer. */
export interface ServiceAnswer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: unknown
  readonly title: string
  readonly about: About
  /** The codes of the messages in a 400, by parameter. */
  readonly faults?: Readonly<Record<string, readonly (readonly Sentence[])[]>>
}

/** Reads the data that the Worker wrote into a page, see src/formats/html.ts. Null: another server wrote the page. */
export const readPage = (page: Document): (ServiceAnswer & { readonly prefix: string }) | null => {
  const [context, answer] = ['context', 'answer'].map((id) => page.getElementById(id)?.textContent)
  return context && answer ? { ...JSON.parse(context), body: JSON.parse(answer) } : null
}

const STORED = 'key'
/** The bookmark of the last request on /docs, so that the page sees its writes. src/web/app/docs.ts stores it. */
const BOOKMARK = 'X-D1-Bookmark'

/** Returns the key for requests, which the browser stores until the tab closes. Null without a key. */
export const keyInUse = (): string | null => readKept('sessionStorage', STORED)

const LIST = 'list'

/** Keeps or forgets the key. The last list was of the caller with the key before. */
export const keepKey = (key: string | null): void => {
  keep('sessionStorage', STORED, key)
  keep('sessionStorage', LIST, null)
}

/** A list that the reader came from: its rows, and the addresses of the pages around them. */
export interface LastList {
  readonly address: string
  readonly count: number
  readonly urls: readonly string[]
  readonly previous: string | null
  readonly next: string | null
}

/** Remembers a list in this tab, so that a page of an item can link to it and to the items beside. */
export const rememberList = (list: LastList): void => keep('sessionStorage', LIST, JSON.stringify(list))

/** Returns the last list if it is at this path. Null if it was another list. */
export const lastList = (path: string): LastList | null => {
  const list = JSON.parse(readKept('sessionStorage', LIST) ?? 'null') as LastList | null
  return list?.address.split('?')[0] === path ? list : null
}

/** Requests a place with a key. A query that is too long for an address goes by POST. */
export const request = async (
  place: PageAddress,
  accept: string,
  signal: AbortSignal | null = null,
  key = keyInUse(),
): Promise<Response> => {
  const isPosted = isLong(place)
  const headers = new Headers({ Accept: accept })
  const bookmark = readKept('sessionStorage', BOOKMARK)
  if (key !== null) headers.set('Authorization', `Bearer ${key}`)
  if (bookmark !== null) headers.set(BOOKMARK, bookmark)
  if (isPosted) headers.set('Content-Type', 'application/x-www-form-urlencoded')
  const response = await fetch(isPosted ? place.path : hrefOf(place), {
    method: isPosted ? 'POST' : 'GET',
    headers,
    body: isPosted ? queryOf(place).slice(1) : null,
    // With its own credentials, a browser would ask for a password if the key is wrong.
    credentials: key === null ? 'same-origin' : 'omit',
    signal,
  })
  // After a restore, no database ever reaches the state that a bookmark names.
  if (response.status === 503) keep('sessionStorage', BOOKMARK, null)
  return response
}

/** The pause before the page asks once again by itself, in milliseconds. */
const PAUSE = 1000

/** Requests the data of a part of the page. Asks once again if the service failed. */
export const ask = async (
  place: PageAddress,
  signal?: AbortSignal,
  accept = 'application/json',
): Promise<ServiceAnswer> => {
  const answer = await askAs(accept, place, signal)
  if (answer.status !== 0 && answer.status < 500) return answer
  await new Promise((resolve) => setTimeout(resolve, PAUSE))
  signal?.throwIfAborted()
  return askAs(accept, place, signal)
}

/** Requests a place as a media type. Throws only if the request was aborted. An answer that is no page has no title. */
export const askAs = async (
  accept: string,
  place: PageAddress,
  signal?: AbortSignal,
  key = keyInUse(),
): Promise<ServiceAnswer> => {
  const plain = { title: '', about: {} }
  try {
    const response = await request(place, accept, signal, key)
    const text = await response.text()
    const isHtml = response.headers.get('Content-Type')?.startsWith('text/html')
    const page = isHtml ? readPage(new DOMParser().parseFromString(text, 'text/html')) : null
    if (page !== null) return page
    const answer = { ...plain, status: response.status, headers: [...response.headers] }
    // A proxy before the service answers with a page of its own. A network that asks for a login answers 200.
    return { ...answer, body: isHtml && !response.ok ? null : JSON.parse(text) }
  } catch (error) {
    if (signal?.aborted) throw error
    return { ...plain, status: 0, headers: [], body: null }
  }
}

/** A message about a parameter, in English and as codes with values. Messages without codes exist. */
export interface Message {
  readonly english: string
  readonly sentences: readonly Sentence[]
}

export type Faults = Readonly<Record<string, readonly Message[]>>

/** Returns the messages of a 400 by parameter. Null for other answers. */
export const faultsOf = ({ status, body, faults: codes = {} }: ServiceAnswer): Faults | null => {
  if (status !== 400 || typeof body !== 'object' || body === null || 'detail' in body) return null
  const faults = Object.entries(body as Record<string, string[]>).map(([name, messages]) => [
    name,
    messages.map((english, i) => ({ english, sentences: codes[name]?.[i] ?? [] })),
  ])
  return Object.fromEntries(faults)
}

/** Returns after how many seconds a request may be repeated. Null if the answer does not say it. */
export const waitOf = ({ headers }: ServiceAnswer): number | null => {
  const [, seconds] = headers.find(([name]) => name.toLowerCase() === 'retry-after') ?? []
  return seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) : null
}

/** Returns the message of an error. */
export const messageOf = (answer: ServiceAnswer): string => {
  const { status, body } = answer
  if (status === 0) return texts().app.noAnswer
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : ''
  const faults = Object.entries(faultsOf(answer) ?? {})
  const told = faults.map(([name, all]) => `${name}: ${all.map(({ english }) => english).join(' ')}`).join(' ')
  return detail || told || texts().app.status(status)
}

/** Saves a file of the page to the computer of the reader. */
export const saveBlob = (blob: Blob, name: string): void => {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** The service gets a search after a pause of the keys, in milliseconds. A summary may read many rows. */
const TYPING = 250

/** Waits for a pause of the keys. Throws an error if the search has changed. */
export const paused = async (signal: AbortSignal): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, TYPING))
  signal.throwIfAborted()
}

/**
 * Asks for something again whenever `key` or the key in use changes, or by `retry`, and aborts the request before. Returns
 * null until the answer arrives, and if it fails. `isCurrent` is false while the value belongs to an earlier request.
 */
export const useAsked = <T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>) => {
  const [found, setFound] = useState<{ readonly key: string; readonly value: T | null }>({ key: '', value: null })
  const [turn, setTurn] = useState(0)
  const wanted = key === null ? null : `${turn} ${keyInUse() ?? ''} ${key}`
  useEffect(() => {
    if (wanted === null) return
    const asking = new AbortController()
    const keep = (value: T | null) => {
      if (!asking.signal.aborted) setFound({ key: wanted, value })
    }
    ask(asking.signal).then(keep, () => keep(null))
    return () => asking.abort()
  }, [wanted])
  const retry = () => setTurn(turn + 1)
  if (wanted === null) return { value: null, isCurrent: true, retry }
  return { value: found.value, isCurrent: found.key === wanted, retry }
}
