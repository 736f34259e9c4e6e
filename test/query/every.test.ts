import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { events } from '../../src/api/v3/events.ts'
import { everyWithin } from '../../src/page/every.ts'
import { readAtOneRevision } from '../../src/page/revision.ts'
import { searchOf } from '../../src/page/search.ts'
import { openDatabase } from '../../src/query/db/d1.ts'
import { fetchPage } from '../../src/query/read.ts'
import type { Row } from '../../src/query/table.ts'
import type { EventRecord } from '../../src/write/records.ts'
import { load } from '../service.ts'
import { foundation, isVisible, LEVELS, type Level, makeEvents, ORDERS } from './world.ts'

vi.hoisted(() => vi.resetModules())
vi.setConfig({ testTimeout: 30_000 })

/** More than are tested at a time. */
const made = makeEvents(45_000, 9)

beforeAll(() => load([...foundation, ...made]))

const conditionsOf = (query: string) =>
  [...new URLSearchParams(query)].flatMap(([name, value]) => {
    const condition = events.filters.get(name)?.lookup(new TextEncoder().encode(value)) ?? []
    return [condition].flat()
  })

/** All ids within the area of a query, by the way that `most` makes it choose. */
const idsBy = async (query: string, ordering: string, level: Level, most: number): Promise<number[]> => {
  const db = openDatabase(env.DB)
  const { ways } = events
  const conditions = conditionsOf(query)
  const area = conditions.find((condition) => 'area' in condition)?.area
  if (ways === undefined || area === undefined) throw new Error('events have ways, the query an area')
  const name = ordering.replace('-', '')
  const column = name === '' || name === 'id' ? null : (events.orderings[name] ?? null)
  const order = { column, descending: ordering.startsWith('-') }
  const request = { conditions, order, page: 1, pageSize: 1, hint: null, key: null }
  const first = await fetchPage(db, events, request, LEVELS[level])
  const rows: Row[] = []
  const search = searchOf(readAtOneRevision(db), events, ways, request, LEVELS[level])
  for await (const batch of everyWithin(search, area, first, most)) rows.push(...batch)
  expect(rows.length).toBe(first.count)
  return rows.map((row): number => row.id)
}

const box = (west: number, east: number, north: number) =>
  `geom_within=POLYGON((${west} -80,${east} -80,${east} ${north},${west} ${north},${west} -80))`
const inBox =
  (west: number, east: number, north: number) =>
  ({ coordinates }: EventRecord) => {
    const [x = Number.NaN, y = Number.NaN] = coordinates ?? []
    const within = (at: number) => at > west && at < east
    return y > -80 && y < north && (within(x) || within(x + 360) || within(x - 360))
  }

const ASKED: [query: string, matches: (event: EventRecord) => boolean, level: Level][] = [
  [box(-170, 170, 80), inBox(-170, 170, 80), 'Public'],
  [box(-170, 170, 80), inBox(-170, 170, 80), 'Hidden'],
  [box(-20, 20, 30), inBox(-20, 20, 30), 'Private'],
  [box(90, 250, 80), inBox(90, 250, 80), 'Public'],
  [`${box(90, 250, 80)}&event_series=1000`, (event) => inBox(90, 250, 80)(event) && event.series === 1, 'Public'],
  [
    `${box(-170, 170, 80)}&category__iregex=flood`,
    (event) => inBox(-170, 170, 80)(event) && /flood/i.test(event.category),
    'Common',
  ],
  [
    `${box(-170, 170, 80)}&timestamp_start__lt=1969-11-01`,
    (event) => inBox(-170, 170, 80)(event) && event.start < Date.UTC(1969, 10, 1),
    'Common',
  ],
]

describe.each([
  ['held', 1_000_000],
  ['passed', 0],
] as const)('every event within, %s', (_, most) => {
  it.each(ASKED)('%s', async (query, matches, level) => {
    for (const ordering of ['', '-id', 'timestamp_start', '-timestamp_end']) {
      const expected = made
        .filter((event) => isVisible(event, level) && matches(event))
        .sort(ORDERS[ordering])
        .map(({ id }) => id)
      expect(expected.length).toBeGreaterThan(500)
      expect(await idsBy(query, ordering, level, most), ordering).toEqual(expected)
    }
  })
})
