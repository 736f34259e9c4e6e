/** @module-tag exhaustive */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'
import { random } from '../bench/events.ts'
import { box, type Ring, smooth, spiky, triangle } from '../bench/shapes.ts'
import { pick, skewedEvents } from '../bench/skewed.ts'
import { slowWithin } from '../geometry/slow.ts'
import { toWkt } from '../geometry/write.ts'
import type { EventRecord } from '../records.ts'
import { get, load, type Options, post } from '../service.ts'
import { FILTERS, type Filter, filterOf } from './filters.ts'
import { summaryOf } from './slow.ts'
import { DAY, EVENTS, expectPages, foundation, isVisible, LEVELS, type Level, ORDERS, seenBy } from './world.ts'

const SEED = 20_261_121
const CATEGORIES = ['flood', 'Flood', 'flash flood', 'drought', 'Dürre', 'DÜRRE', '', '50%_of']

/** Events that crowd in time and place. They have the series, categories and models of the filters in the tests. */
const events = [...skewedEvents(5000, 3)].map((event, i): EventRecord => {
  const { series, category, object, coordinates } = event
  const words = category.length + category.charCodeAt(0)
  return {
    ...event,
    series: 1 + (series % 6),
    category: CATEGORIES[words % CATEGORIES.length] as string,
    coordinates: i % 40 === 0 ? null : coordinates,
    object: object && { model: object.model < 'sensos' ? 'station' : 'pump', id: object.id },
  }
})

beforeAll(() => load([...foundation, ...events]))

type Random = () => number
const iso = (time: number) => new Date(time).toISOString()
const lasting = ({ start, end }: EventRecord) => end - start
const hours = (time: number) => `${Math.floor(time / 3_600_000)}:00:00`

/** Makes filters on time. Their bounds are times of events, or lie between them. */
const timed = (next: Random): Filter => {
  const [one, other] = [pick(next, events), pick(next, events)]
  const off = pick(next, [0, 0, 1, -1, DAY, 400 * DAY])
  const from = one.start + off
  const to = pick(next, [from + pick(next, [0, 1, DAY, 30 * DAY, 3650 * DAY]), other.start, other.end])
  const length = Math.floor(lasting(other) / 3_600_000) * 3_600_000
  const [first, last] = [Math.min(from, to), Math.max(from, to)]
  const period = { ...filterOf(`datetime=${iso(first)}/${iso(last)}`), from: first }
  return pick(next, [
    filterOf(`timestamp_start__lt=${iso(to)}&timestamp_end__gte=${iso(from)}`),
    filterOf(`timestamp_start__lte=${iso(to)}&timestamp_end__gt=${iso(from)}`),
    filterOf(`timestamp_start__gte=${iso(from)}&timestamp_end__lt=${iso(to)}`),
    filterOf(`timestamp_start__gt=${iso(from)}&timestamp_end__lte=${iso(to)}`),
    filterOf(`timestamp_start__range=${iso(from)},${iso(to)}`),
    filterOf(`timestamp_end__range=${iso(from)},${iso(to)}`),
    filterOf(`timestamp_end__gte=${iso(from)}`),
    filterOf(`timestamp_end__lt=${iso(to)}`),
    filterOf(`timestamp_start__gte=${iso(from)}&timestamp_end__lt=${iso(to)}&duration__gte=${hours(length)}`),
    filterOf(`timestamp_start__lt=${iso(to)}&timestamp_end__gte=${iso(from)}&duration__lte=${hours(length)}`),
    filterOf(`duration__gt=${hours(length)}`),
    filterOf(`duration__lt=${hours(length)}`),
    filterOf(`duration__in=0,${hours(length)},0&timestamp_end__gte=${iso(from)}`),
    period,
  ])
}

const REPEATED = [
  'event_series=1000,1000,2000',
  'event_series__id__in=3,3,1',
  'category__in=flood,,flood',
  'object_id__in=7,7,12,7',
  'object_type__model__in=pump,pump&object_id__in=3,3',
].map(filterOf)
const OTHERS = [...FILTERS.filter(({ query }) => !/timestamp|duration/.test(query)), ...REPEATED]

const polygonOf = (ring: Ring): Geometry => ({ type: 'Polygon', coordinates: [ring.map(([x, y]): Position => [x, y])] })

const open = (geometry: Geometry): Filter => ({
  query: `geom_within=${encodeURIComponent(toWkt(geometry))}`,
  matches: ({ coordinates }) => coordinates !== null && slowWithin(geometry, [coordinates[0], coordinates[1]]),
})

/** A box with its sides. If west is greater than east, it crosses 180 degrees. */
const closed = (...sides: readonly number[]): Filter => filterOf(`bbox=${sides}`)

/** Makes areas around an event, or with an event on their side. */
const placed = (next: Random): Filter => {
  const place = (): readonly [number, number] => {
    const { coordinates } = pick(next, events)
    return coordinates === null ? place() : [coordinates[0], coordinates[1]]
  }
  const [[x, y], [otherX, otherY]] = [place(), place()]
  const size = pick(next, [0.01, 0.2, 2, 20, 60])
  const aside = () => (next() - 0.5) * size
  const centre = [x + aside(), y + aside()] as const
  const [west, south, east, north] = [
    Math.min(x, otherX),
    Math.min(y, otherY),
    Math.max(x, otherX),
    Math.max(y, otherY),
  ]
  return pick<() => Filter>(next, [
    () => open(polygonOf(box(centre, size))),
    () =>
      open(
        polygonOf([
          [x, y],
          [x + size, y],
          [x + size, y + size],
          [x, y + size],
          [x, y],
        ]),
      ),
    () =>
      open(
        polygonOf([
          [170, -80],
          [250, -80],
          [250, 80],
          [170, 80],
          [170, -80],
        ]),
      ),
    () =>
      open(
        polygonOf([
          [-200, south],
          [east, south],
          [east, north],
          [-200, north],
          [-200, south],
        ]),
      ),
    () => closed(west, south, east, north),
    () => closed(east, south, west, north),
    () => closed(Math.max(-180, x - size), Math.max(-90, y - size), x, y),
    () => closed(-180, -90, 180, 90),
    () => open(polygonOf(triangle(next, centre, size))),
    () => open(polygonOf(smooth(next, centre, size, 40))),
    () => open(polygonOf(spiky(next, centre, size, 80))),
    () =>
      open({
        type: 'MultiPoint',
        coordinates: [
          [x, y],
          [otherX, otherY],
        ],
      }),
    () =>
      open({
        type: 'GeometryCollection',
        geometries: [
          polygonOf(spiky(next, centre, size, 20)),
          polygonOf(box([x, y], size)),
          { type: 'Point', coordinates: [otherX, otherY] },
        ],
      }),
  ])()
}

interface Asked {
  readonly filters: readonly Filter[]
  readonly ordering: string
  readonly level: Level
  readonly pages: number
}

const asks = (seed: number, parts: readonly ((next: Random) => Filter)[]): Asked => {
  const next = random(seed)
  return {
    filters: parts.map((part) => part(next)),
    ordering: pick(next, Object.keys(ORDERS)),
    level: pick(next, Object.keys(LEVELS) as Level[]),
    pages: pick(next, [1, 3, 6]),
  }
}

const expectAll = async ({ filters, ordering, level, pages }: Asked): Promise<number> => {
  const found = events
    .filter((event) => isVisible(event, level) && filters.every(({ matches }) => matches(event)))
    .sort(ORDERS[ordering])
  const size = Math.max(1, Math.ceil(found.length / pages))
  const query = filters.map(({ query }) => query).join('&')
  const options = (more: string): Options => ({ ...seenBy(level), ...post(`${query}&${more}`) })
  const listed = [ordering && `ordering=${ordering}`, `page_size=${size}`].filter((part) => part !== '').join('&')
  await expectPages(
    `${EVENTS}?`,
    found.map(({ id }) => id),
    size,
    [1, 4],
    options(listed),
  )
  const from = Math.max(...filters.map(({ from = Number.NEGATIVE_INFINITY }) => from))
  const fineness = { bins: 64, level: 9, from }
  const summary = await get(`${EVENTS}summary/`, options(`bins=${fineness.bins}&level=${fineness.level}`))
  expect(summary, `${query} ${level}`).toEqual(summaryOf(found, fineness, query === ''))
  return found.length
}

const other = (next: Random) => pick(next, OTHERS)
describe('with skewed events, every combination of filters gives the same answer as a test of every event', () => {
  it.each<[string, readonly ((next: Random) => Filter)[], number]>([
    ['a time', [timed], 16],
    ['a time and another', [timed, other], 12],
    ['an area', [placed], 16],
    ['an area and a time', [placed, timed], 16],
    ['an area and another', [placed, other], 24],
    ['an area, a time and another', [placed, timed, other], 12],
  ])('%s', async (name, parts, runs) => {
    let found = 0
    for (let run = 0; run < runs; run++) {
      if ((await expectAll(asks(7 * SEED + 1000 * name.length + run, parts))) > 0) found += 1
    }
    expect(found).toBeGreaterThan(0)
  })
})
