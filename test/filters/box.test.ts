import { beforeAll, describe, expect, test } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import type { EventRecord } from '../records.ts'
import { answer, get, load, publicEvents, seedRecords, withKey } from '../service.ts'
import { eventOf, refusal, seriesIds, seriesOf } from './records.ts'

/** Two events without a place. They are in no box. */
const placeless = publicEvents
  .slice(0, 2)
  .map((event, i): EventRecord => ({ ...event, id: 900_001 + i, external_id: null, coordinates: null }))
const atZero: EventRecord[] = placeless.slice(0, 1).map((event) => ({ ...event, id: 900_003, coordinates: [0, 0, 0] }))
const ALL = [...publicEvents, ...placeless, ...atZero]

beforeAll(async () => {
  await load(seedRecords)
  await load([...placeless, ...atZero])
})

type Matches = (event: EventRecord) => boolean
const at =
  (matches: (x: number, y: number) => boolean): Matches =>
  ({ coordinates }) =>
    coordinates !== null && matches(coordinates[0] ?? 0, coordinates[1] ?? 0)
const from = Date.UTC(2015, 0, 1)
const until = Date.UTC(2015, 1, 1)
const [side = 0, ,] = publicEvents.find(({ coordinates }) => coordinates !== null)?.coordinates ?? []

describe('bbox and datetime filter lists and their summary', () => {
  test.each<[query: string, matches: Matches]>([
    ['bbox=-80,20,-60,35', at((x, y) => x >= -80 && x <= -60 && y >= 20 && y <= 35)],
    ['bbox=-80,20,0,-60,35,1000', at((x, y) => x >= -80 && x <= -60 && y >= 20 && y <= 35)],
    ['bbox=-180,-90,180,90', at(() => true)],
    ['bbox=5e-324,9e-101,1,1', at((x, y) => x >= 0 && x <= 1 && y >= 0 && y <= 1)],
    ['bbox=170,-90,-150,90', at((x) => x >= 170 || x <= -150)],
    ['bbox=170,-90,210,90', at((x) => x >= 170 || x <= -150)],
    [`bbox=${side},-90,${side},90`, at((x) => x === side)],
    [
      'bbox=-80,20,-60,35&geom_within=POLYGON((-90 10,-70 10,-70 40,-90 40,-90 10))',
      at((x, y) => x >= -80 && x < -70 && y >= 20 && y <= 35),
    ],
    [
      'bbox=-80,20,-60,35&category=hurricane',
      (event) => event.category === 'hurricane' && at((x, y) => x >= -80 && x <= -60 && y >= 20 && y <= 35)(event),
    ],
    ['datetime=2015-01-01/2015-01-31', ({ start, end }) => start < until && end >= from],
    ['datetime=2015-01-01T00:00:00Z', ({ start, end }) => start <= from && end >= from],
    ['datetime=../2015-01-01T', ({ start }) => start <= from],
    ['datetime=2015-01-01/..&timestamp_end__lt=2015-02-01', ({ end }) => end >= from && end < until],
    ['datetime=../..', () => true],
  ])('%s', async (query, matches) => {
    const expected = ALL.filter(matches).map(({ id }) => id)
    const { count, results } = await get(`/api/v3/events/?page_size=${MAX_PAGE_SIZE}&${query}`)
    expect(count).toBe(expected.length)
    if (count <= MAX_PAGE_SIZE) expect(results.map(({ id }: { id: number }) => id)).toEqual(expected)
    expect((await get(`/api/v3/events/summary/?${query}`)).count).toBe(expected.length)
  })
})

/** West, south, east and north of a series, or null without events. */
const RECTANGLES: readonly (readonly [number, number, number, number] | null)[] = [
  [3, 50, 8, 54],
  [8, 54, 8, 54],
  [-180, -10, -170, 10],
  [170, -10, 180, 10],
  [-180, -90, 180, 90],
  [-60.5, 20, -60, 20.000000000000004],
  null,
]
const LEVELS = { 0: null, 100: 'common', 200: 'private', 300: 'hidden' } as const

describe('bbox finds the series whose rectangle shares a point with it, in both versions at every level', () => {
  const made = Object.keys(LEVELS).flatMap((level, i) =>
    RECTANGLES.map((rectangle, j) => ({ id: 910 + 10 * i + j, access_modifier: Number(level), rectangle })),
  )

  beforeAll(async () => {
    await load(made.map(({ id, access_modifier }) => seriesOf(id, { access_modifier, name: `boxed ${id}` })))
    const corners = made.flatMap(({ id, rectangle }) => {
      const [west, south, east, north] = rectangle ?? []
      const ends = rectangle === null ? [] : [[west, south] as const, [east, north] as const]
      return ends.map(([x = 0, y = 0], i) => eventOf(10_000 * id + i, { series: id, coordinates: [x, y, 0] }))
    })
    await load(corners)
  })

  test.each<[box: string, south: number, north: number, ...longitudes: (readonly [west: number, east: number])[]]>([
    ['3,50,8,54', 50, 54, [3, 8]],
    ['8,54,9,55', 54, 55, [8, 9]],
    ['8.000000000000002,54,9,55', 54, 55, [8.000000000000002, 9]],
    ['-60,20.000000000000004,0,30', 20.000000000000004, 30, [-60, 0]],
    ['0,0,5,1,1,9', 0, 1, [0, 1]],
    ['180,0,180,0', 0, 0, [180, 180]],
    ['170,-90,-170,90', -90, 90, [170, 180], [-180, -170]],
    ['175,0,185,5', 0, 5, [175, 180], [-180, -175]],
    ['-185,0,-181,5', 0, 5, [175, 179]],
    ['9,-90,-61,90', -90, 90, [9, 180], [-180, -61]],
    ['-180,-90,180,90', -90, 90, [-180, 180]],
    ['-190,60,190,61', 60, 61, [-180, 180]],
  ])('bbox=%s', async (box, south, north, ...longitudes) => {
    const found = made.filter(
      ({ rectangle }) =>
        rectangle !== null &&
        rectangle[1] <= north &&
        rectangle[3] >= south &&
        longitudes.some(([west, east]) => rectangle[0] <= east && rectangle[2] >= west),
    )
    for (const [level, key] of Object.entries(LEVELS)) {
      const ids = found.filter((each) => each.access_modifier <= Number(level)).map(({ id }) => id)
      const options = key === null ? {} : await withKey(key)
      expect(await seriesIds(`name__startswith=boxed&bbox=${box}`, options)).toEqual(ids)
      const v3 = await get(`/api/v3/eventseries/?name__startswith=boxed&page_size=1&bbox=${box}`, options)
      expect([level, v3.count]).toEqual([level, ids.length])
    }
  })

  test.each(['v3', 'v4'])('a faulty bbox is a 400 in %s', async (version) => {
    expect(await refusal('bbox=3,50,8', {}, `/api/${version}/eventseries/`)).toEqual({
      bbox: ['Enter west, south, east and north in degrees, such as bbox=3,50,8,54.'],
    })
  })
})

describe('a faulty bbox or datetime is a 400 that says what to enter', () => {
  const numbers = 'Enter west, south, east and north in degrees, such as bbox=3,50,8,54.'
  const time =
    'Enter an instant, a date or an interval, such as 2018-02-05, 2018-02-05T00:00:00Z/2018-02-06T00:00:00Z or 2018-02-05/.. with an open end.'
  test.each<[query: string, faults: Record<string, string[]>]>([
    ['bbox=1,2,3', { bbox: [numbers] }],
    ['bbox=1,2,3,4,5', { bbox: [numbers] }],
    ['bbox=1,2,NaN,4', { bbox: [numbers] }],
    ['bbox=1,2,1e999,4', { bbox: [numbers] }],
    ['bbox=1,2,,4', { bbox: [numbers] }],
    [
      'bbox=1,4,3,2',
      {
        bbox: ['The south of the box is greater than its north. Enter west, south, east and north, such as 3,50,8,54.'],
      },
    ],
    ['datetime=yesterday', { datetime: [time] }],
    [
      'datetime=2016-01-01/2015-01-01',
      {
        datetime: ['The interval ends before it starts. Enter the earlier time first.'],
      },
    ],
  ])('%s', async (query, faults) => {
    expect(await answer(`/api/v3/events/?${query}`)).toEqual({ status: 400, body: faults })
  })
})
