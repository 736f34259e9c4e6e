import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Geometry, Position } from '../../../src/geometry/geometry.ts'
import { prepare } from '../../../src/geometry/within.ts'
import { MAX_PAGE_SIZE } from '../../../src/lists/resource.ts'
import { random } from '../../bench/events.ts'
import { geometries, grids, multiPolygons, polygons } from '../../geometry/shapes.ts'
import { toWkt } from '../../geometry/write.ts'
import type { EventRecord } from '../../records.ts'
import { load, post } from '../../service.ts'
import { EXHAUSTIVE, splitRows } from '../../tags.ts'
import { ask } from '../cost.ts'
import { filterOf, filters } from '../filters.ts'
import {
  EVENTS,
  expectPages,
  foundation,
  isVisible,
  LEVELS,
  type Level,
  makeEvents,
  ORDERS,
  pour,
  seenBy,
} from '../world.ts'

const SEED = 20_261_121
const events = makeEvents(22_000, SEED)

beforeAll(async () => {
  await load([...foundation, ...events])
})

/** Tests a place. test/geometry/within.test.ts compares this test with the slowest one. */
const within = (geometry: Geometry) => {
  const area = prepare(geometry)
  return ({ coordinates }: Pick<EventRecord, 'coordinates'>): boolean =>
    coordinates !== null && area.contains(coordinates[0], coordinates[1])
}

/** Makes a ring around a place with vertices in many directions, near and far in turn. The ring is concave. */
const star = (x: number, y: number, vertices: number, near: number, far: number): Geometry => {
  const ring = Array.from({ length: vertices }, (_, i): Position => {
    const [angle, reach] = [(i / vertices) * 2 * Math.PI, i % 2 === 0 ? far : near]
    return [x + 2 * reach * Math.cos(angle), y + reach * Math.sin(angle)]
  })
  return { type: 'Polygon', coordinates: [[...ring, ring[0] as Position]] }
}

const box = (west: number, south: number, east: number, north: number): Position[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]

const stars = fc
  .record({
    x: fc.constantFrom(0, 90, 175, -180, 5.625),
    y: fc.constantFrom(0, 45, -90, 11.25),
    vertices: fc.constantFrom(6, 64, 500),
    near: fc.constantFrom(0.5, 20, 60),
    far: fc.constantFrom(1, 45, 85),
  })
  .map(({ x, y, vertices, near, far }) => star(x, y, vertices, near, far))

const areas: fc.Arbitrary<Geometry> = fc.oneof(
  { weight: 3, arbitrary: grids.chain(polygons).map((coordinates): Geometry => ({ type: 'Polygon', coordinates })) },
  { weight: 1, arbitrary: grids.chain(multiPolygons) },
  { weight: 1, arbitrary: grids.chain(geometries) },
  { weight: 3, arbitrary: stars },
)

interface Case {
  readonly geometry: Geometry
  readonly query: string
  readonly matches: (event: EventRecord) => boolean
  readonly ordering: string
  readonly level: Level
}

/** Compares the pages of a list with the expected ids. The page size gives about `pages` pages. */
const expectAnswer = async (
  { geometry, query, matches, ordering, level }: Case,
  pages: number,
  jumps: readonly number[] = [1],
): Promise<number> => {
  const inside = within(geometry)
  const expected = events
    .filter((event) => isVisible(event, level) && matches(event) && inside(event))
    .sort(ORDERS[ordering])
    .map(({ id }) => id)
  const size = Math.min(MAX_PAGE_SIZE, Math.max(1, Math.ceil(expected.length / pages)))
  const rest = [query, ordering && `ordering=${ordering}`, `page_size=${size}`].filter((part) => part !== '').join('&')
  const body = `${rest}&geom_within=${encodeURIComponent(toWkt(geometry))}`
  await expectPages(`${EVENTS}?`, expected, size, jumps, { ...seenBy(level), ...post(body) })
  return expected.length
}

const anything = { query: '', matches: () => true, ordering: '', level: 'Public' } as const

describe('every way of reading an area gives the same answer as a test of every event', () => {
  const world: Geometry = { type: 'Polygon', coordinates: [box(-180, -90, 180, 90)] }
  const holed: Geometry = {
    type: 'Polygon',
    coordinates: [box(-180, -90, 180, 90), box(-5.625, -5.625, 5.625, 5.625), box(0, 45, 60, 67.5)],
  }
  const across: Geometry = { type: 'Polygon', coordinates: [box(150, -90, 230, 90)] }
  const wild = star(0, 0, 500, 55, 89)
  const west: Geometry = { type: 'Polygon', coordinates: [box(-179, -89, -20, 89)] }
  const middle: Geometry = { type: 'Polygon', coordinates: [box(-22.5, -22.5, 22.5, 22.5)] }
  const small: Geometry = { type: 'Polygon', coordinates: [box(0, 0, 5.625, 5.625)] }
  const [smallSeries, large] = [filterOf('event_series=2000'), filterOf('event_series=1000')]
  const anywhere = { geometry: holed, ...smallSeries, level: 'Hidden' } as const
  for (const [options, rows] of splitRows<[string, Partial<Case> & Pick<Case, 'geometry'>, number]>(4, [
    ['a small area alone', { geometry: small }, 4],
    ['a small series', { geometry: wild, ...smallSeries }, 5],
    ['a small series, latest first', { geometry: wild, ...smallSeries, ordering: '-timestamp_start' }, 3],
    ['a large series', { geometry: wild, ...large }, 12],
    ['a hidden series', { geometry: world, ...filterOf('event_series=5000') }, 1],
    ['a small series anywhere', anywhere, 20],
    ['a small series anywhere, latest first', { ...anywhere, ordering: '-timestamp_start' }, 20],
    ['a small series anywhere, by the end', { ...anywhere, ordering: 'timestamp_end' }, 20],
    ['several series anywhere', { geometry: holed, ...filterOf('event_series=2000,2100'), level: 'Hidden' }, 20],
    ['a category anywhere', { geometry: holed, ...filterOf('category=drought'), level: 'Hidden' }, 20],
    ['the world', { geometry: world }, 20],
    ['the world, backward', { geometry: world, ordering: '-id', level: 'Hidden' }, 20],
    ['the world with holes, by the end', { geometry: holed, ordering: 'timestamp_end' }, 20],
    ['the world with holes, long pages', { geometry: holed }, 2],
    ['an area far from its first events', { geometry: middle }, 20],
    ['west', { geometry: west }, 20],
    ['many vertices', { geometry: wild, ordering: '-timestamp_end', level: 'Common' }, 20],
    ['across 180', { geometry: across, ordering: 'timestamp_start' }, 20],
  ]))
    it.each(rows)('%s', options, async (_, given, pages) => {
      // `npm test` reads longer pages.
      const most = options.tags ? pages : Math.min(pages, 8)
      await expectAnswer({ ...anything, ...given }, most, [1, 7])
    })
})

it('random areas with random filters, orderings and levels', { ...EXHAUSTIVE, timeout: 60_000 }, async () => {
  const cases = fc.record({
    geometry: areas,
    filter: filters,
    ordering: fc.constantFrom(...Object.keys(ORDERS)),
    level: fc.constantFrom(...(Object.keys(LEVELS) as Level[])),
  })
  let found = 0
  await fc.assert(
    fc.asyncProperty(cases, fc.constantFrom(1, 2, 5, 12), fc.nat(5), async ({ filter, ...rest }, pages, jump) => {
      if ((await expectAnswer({ ...filter, ...rest }, pages, [jump])) > 0) found += 1
    }),
    { seed: SEED, numRuns: 20 },
  )
  expect(found).toBeGreaterThan(8)
})

it('a crowd at the boundary of an area is read a few times', { ...EXHAUSTIVE, timeout: 60_000 }, async () => {
  const MANY = 60_000
  const next = random(SEED)
  const crowd = Array.from({ length: MANY }, (_, i) => ({
    id: 100_000 + i,
    start: i,
    coordinates: [5.1 + next() / 10_000, 52.1 + next() / 10_000, 0] as const,
  }))
  await pour(crowd)
  const area: Geometry = {
    type: 'Polygon',
    coordinates: [
      [
        [5.1, 52.1],
        [5.2, 52.2],
        [5.2, 52.1001],
        [5.1, 52.1],
      ],
    ],
  }
  const all = [...events.filter((event) => isVisible(event, 'Public')), ...crowd]
  const isWithin = within(area)
  const count = all.filter((event) => isWithin(event)).length
  const { body, rows } = await ask({ query: { geom_within: toWkt(area) } }, EVENTS)
  expect(body.count).toBe(count)
  expect(rows).toBeLessThan(4 * MANY)
})
