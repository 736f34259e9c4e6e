import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, expect } from 'vitest'
import { insertRecords } from '../seed/load/insert.ts'
import type { Env } from '../src/http/env.ts'
import app from '../src/index.ts'
import { MAX_PAGE_SIZE } from '../src/lists/resource.ts'
import { parseRecord } from '../src/store/records.ts'
import { beginWith, fileDatabase, freshDatabase } from './database.ts'
import { SEED } from './files.ts'
import type { EventRecord, LoadRecord, SeriesRecord } from './records.ts'
import { wholeRecords } from './records.ts'
import { remember } from './unread.ts'

/** The records of the default data, read by the loader. */
export const seedRecords: readonly LoadRecord[] = SEED.trim().split('\n').map(parseRecord)
export const seedEvents = seedRecords.filter((record): record is EventRecord => record.kind === 'event')
export const seedSeries = seedRecords.filter((record): record is SeriesRecord => record.kind === 'event_series')

const levels = new Map(seedSeries.map(({ id, access_modifier }) => [id, access_modifier]))

/** The public events of the default data. */
export const publicEvents = seedEvents.filter(({ series }) => levels.get(series) === 0)
export const publicSeries = seedSeries.filter(({ access_modifier }) => access_modifier === 0)

/** Loads records with the loader of the project. Without an argument it loads the default data. */
export const load = (records: readonly LoadRecord[] = seedRecords) => insertRecords(env.DB, wholeRecords(records))

const loadSeed = () => load()
/** Lets this file begin with the default data. */
export const beginWithSeed = (): void => beginWith(loadSeed)

export const ORIGIN = 'http://localhost:8787'

/** Writes milliseconds since 1970 as answers write an instant. */
export const isoOf = (time: number): string =>
  new Date(time)
    .toISOString()
    .replace('.000Z', 'Z')
    .replace(/(?<=\.\d{3})Z/, '000Z')

/** The options of `fetch` and the variables of the Worker, for one request. */
export interface Options extends RequestInit {
  readonly vars?: Partial<Env>
}

/** Sends a request to the Worker. */
export const send = (path: string, options: Options = {}): Promise<Response> =>
  asked === null ? dispatch(path, options) : twice(path, options, asked)

const dispatch = async (
  path: string,
  { vars, ...init }: Options = {},
  context = createExecutionContext(),
): Promise<Response> => {
  const request = new Request(path.startsWith('http') ? path : `${ORIGIN}${path}`, init)
  return remember(await app.fetch(request, { DB: fileDatabase(), ...vars }, context))
}

/** With these variables the edge cache stores answers, and their headers show it. */
export const KEPT: Partial<Env> = { CF_VERSION_METADATA: { id: 'tested' }, SHOW_COST: 'true' }

/** Sends a request to a new isolate without cached facts. Waits until the edge cache has stored the answer. */
export const sendToEdge = async (path: string, options: Options = {}): Promise<Response> => {
  const context = createExecutionContext()
  const vars = { DB: freshDatabase(), ...KEPT, ...options.vars }
  const response = await dispatch(path, { ...options, vars }, context)
  const body = await response.arrayBuffer()
  await waitOnExecutionContext(context)
  return new Response([204, 304].includes(response.status) ? null : body, response)
}

/** Returns the result of the edge cache, from the header of an answer. */
export const keptOf = ({ headers }: Response): string | undefined =>
  /cache;desc="(\w+)"/.exec(headers.get('Server-Timing') ?? '')?.[1]

/** Counts the cache hits while each request is sent twice. Null: each is sent once. */
let asked: { hits: number } | null = null

/**
 * Sends each request of a file twice if the cache may store its answer, and expects equal answers. Returns the number
 * of cache hits.
 */
export const askTwice = (): { readonly hits: number } => {
  const count = { hits: 0 }
  beforeAll(() => {
    asked = count
  })
  afterAll(() => {
    asked = null
  })
  return count
}

const twice = async (path: string, options: Options, count: { hits: number }): Promise<Response> => {
  const kept = { ...options, vars: { ...KEPT, ...options.vars } }
  const context = createExecutionContext()
  const first = await dispatch(path, kept, context)
  // The Worker did not use the cache.
  if (!['hit', 'miss'].includes(keptOf(first) ?? '')) return first
  const text = await first.clone().text()
  await waitOnExecutionContext(context)
  const second = await dispatch(path, kept)
  if (keptOf(second) === 'hit') count.hits += 1
  expect([second.status, headersOf(second), await second.clone().text()]).toEqual([
    first.status,
    headersOf(first),
    text,
  ])
  return second
}

/** The body of a 200. */
// biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at.
export const get = async (path: string, options: Options = {}): Promise<any> => {
  const response = await send(path, options)
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${body}`)
  return JSON.parse(body)
}

/** Returns the status and the body of any answer. */
export const answer = async (path: string, options: Options = {}) => {
  const response = await send(path, options)
  return { status: response.status, body: await response.json() }
}

/** Posts a query as a form. */
export const post = (body: string): Options => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body,
})

/** Makes a body in chunks, whose length is unknown in advance. */
export const inChunks = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

/** Removes the hints from the addresses in an answer. */
export const unhinted = <T>(body: T): T => JSON.parse(JSON.stringify(body).replaceAll(/hint=[\w~%.-]+&(amp;)?/g, ''))

/**
 * Returns the headers of an answer that an equal request also has. Last-Modified is left out, because it is absent
 * during the second of a write.
 */
export const headersOf = ({ headers }: Response): Record<string, string> => {
  const own = ['x-request-id', 'x-d1-bookmark', 'etag', 'server-timing', 'last-modified']
  return Object.fromEntries([...headers].filter(([name]) => !own.includes(name)))
}

/** Returns these headers and the length of the body. The runtime adds the length if it sends a body. */
export const measuredHeadersOf = async (response: Response): Promise<Record<string, string>> => {
  const { byteLength } = await response.arrayBuffer()
  return { ...headersOf(response), 'content-length': String(byteLength) }
}

/** Reads every page of a list, by following `next` to the end. */
export const walk = async (path: string, options: Options = {}) => {
  const pages = [await get(path, options)]
  while (pages.at(-1).next !== null) pages.push(await get(pages.at(-1).next, options))
  return pages
}

/** Returns the ids of all events that match a query, in the order of the answer. */
export const eventIds = async (query: string, options: Options = {}): Promise<number[]> => {
  const pages = await walk(`/api/v3/events/?page_size=${MAX_PAGE_SIZE}&${query}`, options)
  const ids = pages.flatMap(({ results }) => results.map(({ id }: { id: number }) => id))
  const [{ count }] = pages
  if (count !== ids.length) throw new Error(`count is ${count}, there are ${ids.length} results`)
  return ids
}

/** The keys of callers, and the stored form of each in API_KEYS. */
export const KEYS = {
  common: {},
  private: { read: 'Private', write: false },
  hidden: { read: 'Hidden', write: false },
  editor: { read: 'Common', write: true },
  writer: { read: 'Private', write: true },
  all: { read: 'Hidden', write: true },
  /** Writes some series of test/http/ownSeries.test.ts. */
  feed: { read: 'Private', write: true, series: ['aaaaaaaa', 'BBBBBBBB-0002', 'ffffffff', 'abababab'] },
}

export const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

/** Returns the options of a request with one of the keys. */
export const withKey = async (key: keyof typeof KEYS): Promise<Options> => ({
  headers: bearer(key),
  vars: { API_KEYS: await apiKeys() },
})

/** Returns the variable API_KEYS with all keys. */
export const apiKeys = async (): Promise<string> => {
  const entries = Object.entries(KEYS).map(async ([key, stored]) => [await sha256(key), { ...stored, name: key }])
  return JSON.stringify(Object.fromEntries(await Promise.all(entries)))
}

const sha256 = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
