import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect } from 'vitest'
import { countStatements, recountStatements } from '../../schema/counts.ts'
import { sqlText } from '../../schema/sql.ts'
import { cellOf } from '../../src/geometry/cell.ts'
import type { EventRecord as StoredEvent } from '../../src/store/records.ts'
import { DERIVE_ALL } from '../../src/store/statement.ts'
import { random } from '../bench/events.ts'
import { GRIDS, points } from '../geometry/shapes.ts'
import type { EventRecord, LoadRecord, SeriesRecord } from '../records.ts'
import { RAISE_AT_ONCE, RAISE_REVISIONS } from '../revisions.ts'
import { get, load, type Options } from '../service.ts'

// Events for tests of pages. Many have the same time or place, some lie on borders, and few callers see some long runs
// of ids.

export const EVENTS = '/api/v3/events/'
export const LEVELS = { Public: 0, Common: 100, Private: 200, Hidden: 300 } as const
export type Level = keyof typeof LEVELS

/** The series, with the start of each uuid, the name and the access modifier. */
export const SERIES = [
  { id: 1, prefix: '10', name: 'Large', access_modifier: 0 },
  { id: 2, prefix: '20', name: 'Small', access_modifier: 0 },
  { id: 3, prefix: '21', name: 'Middle', access_modifier: 0 },
  { id: 4, prefix: '30', name: 'Common', access_modifier: 100 },
  { id: 5, prefix: '40', name: 'Private', access_modifier: 200 },
  { id: 6, prefix: '50', name: 'Hidden', access_modifier: 300 },
] as const

/** All events with these ids are in the hidden series. One run comes first, and one is in the middle. */
const HIDDEN_RUNS = [
  [1, 1500],
  [9000, 10_300],
] as const
const FIRST_DAY = Date.UTC(1969, 6, 1)
export const DAY = 86_400_000
const DAYS = 400
const CATEGORIES = ['flood', 'Flood', 'flash flood', 'drought', 'Dürre', 'DÜRRE', '', '50%_of']
const MODELS = ['station', 'pump']
/** Texts for values. Few of them start with a number, and one of these numbers is beyond a double. */
const VALUES = [
  '',
  'Maria 2017: 150 kn',
  '0.4 m',
  '-3',
  ' 12 m',
  '+.5',
  '1,5',
  '1e3 Pa',
  'Dürre',
  'DÜRRE 7',
  '2e308',
  '150',
]

/** The observation type and the series of the events. */
export const foundation: readonly LoadRecord[] = [
  { kind: 'observation_type', id: 1, code: 'test', name: 'Test', unit: null },
  { kind: 'observation_type', id: 2, code: 'other', name: 'Other', unit: null },
  ...SERIES.map(
    ({ id, prefix, name, access_modifier }): SeriesRecord => ({
      kind: 'event_series',
      id,
      uuid: `${prefix}000000-0000-4000-8000-000000000000`,
      name,
      description: '',
      observation_type: id === 3 || id === 6 ? 2 : 1,
      statistic: 'raw',
      color: '#336699',
      access_modifier,
      created: 0,
      last_modified: null,
    }),
  ),
]

/** The value of an event. It follows from its id, and neighbours have different ones. */
export const textOfId = (id: number): string => VALUES[(id * 7) % VALUES.length] ?? ''

/** The attributes of an event. They follow from its id. */
export const attributesOfId = (id: number): StoredEvent['attributes'] =>
  [null, { mag: (id % 50) / 10 }, { mag: `${id % 7}`, place: 'Dürre' }, { place: 'near 50%_of' }, null][id % 5] ?? null

/** Makes events from an id on. The same seed gives the same events. Neighbours by id are often neighbours in place. */
export const makeEvents = (count: number, seed: number, firstId = 1): EventRecord[] => {
  const next = random(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T // no list is empty
  const onGrids = GRIDS.map((grid) => fc.sample(points(grid), { seed, numRuns: 400 }))
  const anywhere = Array.from({ length: 2000 }, (): [number, number] => [next() * 360 - 180, next() * 180 - 90])
  return Array.from({ length: count }, (_, i): EventRecord => {
    const id = firstId + i
    const grid = onGrids[Math.floor(i / 500) % onGrids.length] ?? []
    const [x, y] = next() < 0.75 ? pick(grid) : pick(next() < 0.5 ? anywhere : pick(onGrids))
    const start = FIRST_DAY + Math.floor(next() ** 2 * DAYS) * DAY
    const hidden = HIDDEN_RUNS.some(([first, last]) => first <= id && id <= last)
    return {
      kind: 'event',
      id,
      series: hidden ? 6 : next() < 0.02 ? 2 : pick([1, 1, 1, 1, 1, 3, 4, 5, 6]),
      category: pick(CATEGORIES),
      value: textOfId(id),
      attributes: attributesOfId(id),
      start,
      end: start + pick([0, 0, 1, DAY, 3 * DAY]),
      coordinates: next() < 0.03 ? null : [x, y, 0],
      object: next() < 0.2 ? { model: pick(MODELS), id: Math.floor(next() * 50) } : null,
    }
  })
}

/** Deletes events like a write: one batch also changes all stored counts and raises the revision. */
export const remove = async (events: readonly EventRecord[]): Promise<void> => {
  const ids = JSON.stringify(events.map(({ id }) => id))
  const among = (from: string) => `SELECT ${from} FROM event WHERE event_series_id = event_series.id`
  const statements = [
    ...countStatements(-1),
    `UPDATE event_series SET event_count = event_count -
      (${among('count(*)')} AND event.id IN (SELECT value FROM json_each(?)))`,
    'DELETE FROM event WHERE id IN (SELECT value FROM json_each(?))',
  ].map((statement) => env.DB.prepare(statement).bind(ids))
  await env.DB.batch([
    ...statements,
    env.DB.prepare(
      `UPDATE event_series SET start = (${among('min(start)')}), "end" = (${among('max("end")')}), west = (${among('min(x)')}),
        east = (${among('max(x)')}), south = (${among('min(y)')}), north = (${among('max(y)')})`,
    ),
    env.DB.prepare(RAISE_REVISIONS),
  ])
}

/** Inserts many events of series 1 directly and recounts. This is faster than a load. */
export const pour = async (events: readonly Pick<EventRecord, 'id' | 'start' | 'coordinates'>[]): Promise<void> => {
  const rows = events.map(({ id, start, coordinates }) => {
    const [x, y] = coordinates ?? [0, 0]
    return [id, start, x, y, cellOf(x, y)]
  })
  const insert =
    env.DB.prepare(`INSERT INTO event (id, event_series_id, category_id, value, start, "end", x, y, z, cell)
    SELECT value ->> 0, 1, (SELECT min(id) FROM category), '', value ->> 1, value ->> 1, value ->> 2, value ->> 3, 0, value ->> 4
    FROM json_each(?)`)
  for (let from = 0; from < rows.length; from += 20_000)
    await insert.bind(JSON.stringify(rows.slice(from, from + 20_000))).run()
  await env.DB.batch(
    [...recountStatements(), sqlText(DERIVE_ALL), RAISE_AT_ONCE].map((statement) => env.DB.prepare(statement)),
  )
}

export const write = (events: readonly EventRecord[]) => load(events)

export const isVisible = ({ series }: EventRecord, level: Level): boolean =>
  (SERIES[series - 1]?.access_modifier ?? 0) <= LEVELS[level]

export const seenBy = (level: Level): Options => ({ vars: { ANONYMOUS_LEVEL: level } })

type Compare = (a: EventRecord, b: EventRecord) => number

/** The comparison of each order of the list. */
export const ORDERS: Readonly<Record<string, Compare>> = {
  '': (a, b) => a.id - b.id,
  id: (a, b) => a.id - b.id,
  '-id': (a, b) => b.id - a.id,
  timestamp_start: (a, b) => a.start - b.start || a.id - b.id,
  '-timestamp_start': (a, b) => b.start - a.start || b.id - a.id,
  timestamp_end: (a, b) => a.end - b.end || a.id - b.id,
  '-timestamp_end': (a, b) => b.end - a.end || b.id - a.id,
}

// biome-ignore lint/suspicious/noExplicitAny: a page as the service answers it.
export const idsOf = (page: any): number[] => page.results.map(({ id }: { id: number }) => id)

/** Reads a page of an address. */
// biome-ignore lint/suspicious/noExplicitAny: a page as the service answers it.
type Read = (address: string) => Promise<any>

/**
 * Expects these ids on all ways through the pages: `next` to the end, `previous` back from page=last, and jumps. `path`
 * lacks only the page.
 */
export const expectPagesBy = async (
  read: Read,
  path: string,
  expected: readonly number[],
  size: number,
  jumps: readonly number[],
): Promise<void> => {
  const asked = `${path}&fields=id`
  const last = Math.max(1, Math.ceil(expected.length / size))
  const slice = (page: number) => expected.slice((page - 1) * size, page * size)
  const slices = Array.from({ length: last }, (_, i) => slice(i + 1))
  const pages = [await read(asked)]
  while (pages.at(-1).next !== null) pages.push(await read(pages.at(-1).next))
  expect(pages.map(idsOf), `${path} by next`).toEqual(slices)
  expect(new Set(pages.map(({ count }) => count)), `${path} counts`).toEqual(new Set([expected.length]))
  const back = [await read(`${asked}&page=last`)]
  while (back[0].previous !== null) back.unshift(await read(back[0].previous))
  expect(back.map(idsOf), `${path} by previous`).toEqual(slices)
  expect(new Set(back.map(({ count }) => count)), `${path} counts by previous`).toEqual(new Set([expected.length]))
  for (const jump of jumps) {
    const number = 1 + (jump % last)
    const page = await read(`${asked}&page=${number}`)
    expect([page.count, idsOf(page)], `${path} page ${number}`).toEqual([expected.length, slice(number)])
    expect([page.previous !== null, page.next !== null]).toEqual([number > 1, number < last])
  }
}

/** Expects these ids on all ways through the pages of the service, as `expectPagesBy`. */
export const expectPages = (
  path: string,
  expected: readonly number[],
  size: number,
  jumps: readonly number[] = [],
  options: Options = {},
): Promise<void> => expectPagesBy((address) => get(address, options), path, expected, size, jumps)
