import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import type { EventRecord, LoadRecord, SeriesRecord } from '../records.ts'
import { setRevisions } from '../revisions.ts'
import { load, type Options, send } from '../service.ts'
import { EVENTS, feature, SERIES, write } from '../store/writer.ts'

export const LEVELS = { Public: 0, Common: 100, Private: 200, Hidden: 300 } as const
export type Level = keyof typeof LEVELS
export const NAMES = Object.keys(LEVELS) as Level[]
/** The time of the last write before each write of a test. */
export const LONG_AGO = 1.5e12

export const uuidOf = (id: number) => `${String(id).padStart(8, '0')}-0000-4000-8000-000000000000`
export const seriesOf = (id: number, level: Level): SeriesRecord => ({
  ...{ kind: 'event_series', id, uuid: uuidOf(id), name: `Series ${id}`, description: '', observation_type: 1 },
  ...{ statistic: 'raw', color: '#336699', access_modifier: LEVELS[level], created: 0, last_modified: null },
})
export const eventOf = (id: number, series: number): EventRecord => ({
  ...{ kind: 'event', id, series, category: 'flood', value: '1', start: 1000 * id, end: 2000 * id },
  ...{ coordinates: [5 + series / 10, 52, 0], object: null, external_id: `e${id}` },
})
export const typeOf = (id: number): LoadRecord => {
  return { kind: 'observation_type', id, code: `c${id}`, name: 'Type', unit: null }
}

/** The service gives greater ids. */
let lastId = 1_000_000
export const nextId = (): number => --lastId

export const HOST = /http:\/\/[\w.:-]+/g
export const as = (level: Level): Options => ({ vars: { ANONYMOUS_LEVEL: level } })

export const seenBy = async (level: Level, path: string, ask = send, headers: Record<string, string> = {}) => {
  const response = await ask(path, { ...as(level), headers })
  const bytes = new Uint8Array(await response.arrayBuffer())
  const [tag, modified] = ['ETag', 'Last-Modified'].map((name) => response.headers.get(name))
  return {
    status: response.status,
    tag: tag ?? '',
    modified: modified ?? null,
    body: new TextDecoder('latin1').decode(bytes).replaceAll(HOST, ''),
  }
}

/** Sets the time of the last write of all levels and series to an old one, so that the next Last-Modified differs. */
export const age = () =>
  env.DB.batch(
    [
      setRevisions(
        (column) => column,
        () => String(LONG_AGO),
      ),
      `UPDATE event_series SET changed = ${LONG_AGO}`,
    ].map((statement) => env.DB.prepare(statement)),
  )

export const all = 'all' as const
export const writes = async (method: string, path: string, body?: unknown) => {
  const { status, body: answer } = await write(method, path, body, {}, all)
  expect([200, 201, 204], JSON.stringify(answer)).toContain(status)
  return answer
}
export const newEvent = async (series: number): Promise<number> => {
  const id = nextId()
  await load([eventOf(id, series)])
  return id
}
export const newSeries = async (level: Level, events = 0): Promise<number> => {
  const id = nextId()
  await load([seriesOf(id, level), ...Array.from({ length: events }, () => eventOf(nextId(), id))])
  return id
}
export const moved = (id: number, series: number) => ({ properties: { event_series: series, value: String(id) } })

/** A series with one of its events. */
export interface Subject {
  readonly id: number
  readonly level: Level
  readonly event: number
}

/** A kind of write on a series, or on a new one of its level. The first part prepares, and returns the write. */
export type Kind = (subject: Subject) => Promise<() => Promise<unknown>>
export const KINDS: Record<string, Kind> = {
  'POST of an event':
    async ({ id }) =>
    () =>
      writes('POST', EVENTS, feature({ event_series: id })),
  'POST of an event with a new category':
    async ({ id }) =>
    () =>
      writes('POST', EVENTS, feature({ event_series: id, category: `new ${nextId()}` })),
  'POST of events':
    async ({ id }) =>
    () =>
      writes('POST', EVENTS, {
        type: 'FeatureCollection',
        features: [1, 2].map(() => feature({ event_series: id })),
      }),
  'PUT of an event':
    async ({ id, event }) =>
    () =>
      writes('PUT', `${EVENTS}${event}/`, feature({ event_series: id, value: String(nextId()) })),
  'PATCH of an event':
    async ({ event }) =>
    () =>
      writes('PATCH', `${EVENTS}${event}/`, { properties: { value: String(nextId()) } }),
  'DELETE of an event': async ({ id }) => {
    const event = await newEvent(id)
    return () => writes('DELETE', `${EVENTS}${event}/`)
  },
  'DELETE of events': async ({ id }) => {
    const event = await newEvent(id)
    return () => writes('DELETE', `${SERIES}${uuidOf(id)}/events/?external_id=e${event}`)
  },
  'POST of a series':
    async ({ level }) =>
    () =>
      writes('POST', SERIES, { name: 'x', observation_type: 1, access_modifier: level }),
  'PATCH of a series':
    async ({ id }) =>
    () =>
      writes('PATCH', `${SERIES}${uuidOf(id)}/`, { description: String(nextId()) }),
  'DELETE of a series': async ({ level }) => {
    const id = await newSeries(level)
    return () => writes('DELETE', `${SERIES}${uuidOf(id)}/`)
  },
  'DELETE of a series with events': async ({ level }) => {
    const id = await newSeries(level, 3)
    return () => writes('DELETE', `${SERIES}${uuidOf(id)}/?events=delete`)
  },
  'a load of events':
    async ({ id }) =>
    () =>
      load([eventOf(nextId(), id)]),
  'a load of a series':
    async ({ level }) =>
    () =>
      load([seriesOf(nextId(), level)]),
}
