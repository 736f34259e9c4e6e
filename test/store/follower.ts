import { expect } from 'vitest'
import { LEVELS, type Level } from '../engine/world.ts'
import { type KEYS, send, withKey } from '../service.ts'
import { SERIES } from './writer.ts'

export const CHANGES = '/api/v4/changes/'
const EVENTS = '/api/v4/events/'
const TYPES = '/api/v4/observationtypes/'

/** The key of a caller of each level. Public has none. */
export const READERS: Readonly<Record<Level, keyof typeof KEYS | null>> = {
  Public: null,
  Common: 'common',
  Private: 'private',
  Hidden: 'hidden',
}
export const NAMES = Object.keys(LEVELS) as Level[]

// biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at.
type Body = any

/** Reads an address as a caller of a level. */
export type ReadAs = (level: Level, path: string) => Promise<{ status: number; headers: Headers; body: Body }>

/** Reads an address of the service on D1. */
export const readAs: ReadAs = async (level, path) => {
  const key = READERS[level]
  return answerOf(await send(path, key === null ? {} : await withKey(key)))
}

export const answerOf = async (response: Response) => {
  const { status, headers } = response
  const text = await response.text()
  return { status, headers, body: headers.get('Content-Type') === 'application/json' ? JSON.parse(text) : text }
}

const listOf = async (
  read: ReadAs,
  level: Level,
  path: string,
  member: 'results' | 'metadata' = 'results',
): Promise<Body[]> => {
  const items: Body[] = []
  for (let next: string | null = path; next !== null; ) {
    const { body }: { body: Body } = await read(level, next.replace(/^https?:..[^/]*/, ''))
    items.push(...body[member])
    next = body.next
  }
  return items
}

/** Leaves out the members of a series that follow from its events. */
const seriesOf = ({ start: _, end: __, last_modified: ___, ...own }: Body, metadata: Body) => ({ ...own, metadata })

/** The data that a level sees, as its lists show it. */
export const dataOf = async (read: ReadAs, level: Level) => {
  const events = await listOf(read, level, `${EVENTS}?ordering=id&page_size=10000`)
  const series = await listOf(read, level, `${SERIES}?ordering=id&page_size=1000`)
  const described = await listOf(read, level, `${SERIES}?ordering=id&page_size=1000&include=metadata`, 'metadata')
  const types = await listOf(read, level, `${TYPES}?ordering=id&page_size=1000`)
  const metadata = new Map(described.map(({ uuid, ...each }) => [uuid, each]))
  return {
    events: new Map<number, Body>(events.map((event) => [event.id, event])),
    series: new Map<string, Body>(series.map((each) => [each.uuid, seriesOf(each, metadata.get(each.uuid))])),
    types: new Map<string, Body>(types.map((type) => [type.url, type])),
  }
}

/** Makes a copy of the data of one level that follows the changes. `only` has the uuids of the only series. */
export const followerOf = (level: Level, only: readonly string[] | null = null, read = readAs) => {
  const isOwn = (uuid: string) => only === null || only.includes(uuid)
  const ask = (query: object) => {
    const series = only === null ? {} : { event_series: only.join() }
    return read(level, `${CHANGES}?${new URLSearchParams({ ...query, ...series })}`)
  }
  let mark = ''
  let data: Awaited<ReturnType<typeof dataOf>> = { events: new Map(), series: new Map(), types: new Map() }
  const whole = async () => {
    const { events, series, types } = await dataOf(read, level)
    return {
      events: new Map([...events].filter(([, { properties }]) => isOwn(properties.event_series))),
      series: new Map([...series].filter(([uuid]) => isOwn(uuid))),
      types,
    }
  }
  const begin = async (): Promise<void> => {
    mark = (await ask({})).body.mark
    data = await whole()
  }
  const dropEvents = (uuid: string): void => {
    for (const [id, { properties }] of data.events) if (properties.event_series === uuid) data.events.delete(id)
  }
  const apply = (change: Body): void => {
    const { kind } = change
    if (kind === 'event') data.events.set(change.event.id, change.event)
    else if (kind === 'gone') data.events.delete(change.id)
    else if (kind === 'type') data.types.set(change.observation_type.url, change.observation_type)
    else if (change.visible === false) {
      data.series.delete(change.event_series)
      dropEvents(change.event_series)
    } else data.series.set(change.series.uuid, seriesOf(change.series, change.metadata))
  }
  const reread = async (uuid: string): Promise<void> => {
    const { events } = await whole()
    dropEvents(uuid)
    for (const [id, event] of events) if (event.properties.event_series === uuid) data.events.set(id, event)
  }
  return {
    begin,
    level,
    data: () => data,
    mark: () => mark,
    whole,
    /** Takes one answer. Returns its changes, and whether others follow. Null: it began again after a 410. */
    poll: async (limit: number): Promise<{ more: boolean; changes: readonly Body[] } | null> => {
      const { status, body } = await ask({ after: mark, limit: String(limit) })
      if (status === 410) {
        await begin()
        return null
      }
      expect([status, body.mark]).toEqual([200, expect.any(String)])
      for (const change of body.changes) apply(change)
      for (const change of body.changes) if (change.reread === true) await reread(change.series.uuid)
      mark = body.mark
      return body
    },
  }
}
