import { beforeAll, describe, expect, test } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/resource.ts'
import type { EventRecord } from '../records.ts'
import { answer, get, load, publicEvents, seedRecords } from '../service.ts'

/** Two events without a place. They are in no box. */
const placeless = publicEvents
  .slice(0, 2)
  .map((event, i): EventRecord => ({ ...event, id: 900_001 + i, coordinates: null }))
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
