import type { Geometry, Position } from '../../src/geometry/geometry.ts'
import { random } from '../bench/events.ts'
import { box, type Ring, smooth, spiky, triangle } from '../bench/shapes.ts'
import { pick, skewedEvents } from '../bench/skewed.ts'
import { FILTERS } from '../engine/filters.ts'
import { DAY, foundation, LEVELS, type Level } from '../engine/world.ts'
import { toWkt } from '../geometry/write.ts'
import type { EventRecord } from '../records.ts'
import { type Row, testMany, testRows } from './oracle.ts'

// Filters of time and place, with others, on events that crowd in time and place.

const CATEGORIES = ['flood', 'Flood', 'flash flood', 'drought', 'Dürre', 'DÜRRE', '', '50%_of']

/** Events that crowd in time and place. They have the series, categories and models of the filters in the tests. */
const events = [...skewedEvents(3000, 3)].map((event, i): EventRecord => {
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

type Random = () => number
const iso = (time: number) => new Date(time).toISOString()
/** A row has plain characters. */
const decoded = (query: string) => decodeURIComponent(query.replaceAll('+', ' '))
const lasting = ({ start, end }: EventRecord) => end - start
const hours = (time: number) => `${Math.floor(time / 3_600_000)}:00:00`

/** Makes a filter on time. Its bounds are times of events, or lie between them. */
const timed = (next: Random): string => {
  const [one, other] = [pick(next, events), pick(next, events)]
  const start = one.start + pick(next, [0, 0, 1, -1, DAY, 400 * DAY])
  const end = pick(next, [start + pick(next, [0, 1, DAY, 30 * DAY, 3650 * DAY]), other.start, other.end])
  const length = hours(Math.floor(lasting(other) / 3_600_000) * 3_600_000)
  const [from, to, first, last] = [start, end, Math.min(start, end), Math.max(start, end)].map(iso)
  return pick(next, [
    `timestamp_start__lt=${to}&timestamp_end__gte=${from}`,
    `timestamp_start__lte=${to}&timestamp_end__gt=${from}`,
    `timestamp_start__gte=${from}&timestamp_end__lt=${to}`,
    `timestamp_start__gt=${from}&timestamp_end__lte=${to}`,
    `timestamp_start__range=${from},${to}`,
    `timestamp_end__range=${from},${to}`,
    `timestamp_start__gte=${from}&timestamp_end__lt=${to}&duration__gte=${length}`,
    `timestamp_start__lt=${to}&timestamp_end__gte=${from}&duration__lte=${length}`,
    `duration__gt=${length}`,
    `duration__in=0,${length},0&timestamp_end__gte=${from}`,
    `datetime=${first}/${last}`,
  ])
}

const REPEATED = [
  'event_series=1000,1000,2000',
  'event_series__id__in=3,3,1',
  'category__in=flood,,flood',
  'object_id__in=7,7,12,7',
  'object_type__model__in=pump,pump&object_id__in=3,3',
]
const OTHERS = [
  ...FILTERS.map(({ query }) => decoded(query)).filter((query) => !/timestamp|duration/.test(query)),
  ...REPEATED,
]

const polygonOf = (ring: Ring): Geometry => ({ type: 'Polygon', coordinates: [ring.map(([x, y]): Position => [x, y])] })

const open = (geometry: Geometry): string => `geom_within=${toWkt(geometry)}`
const within = (west: number, south: number, east: number, north: number): string =>
  `geom_within=POLYGON((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`
/** A box with its sides. If west is greater than east, it crosses 180 degrees. */
const closed = (...sides: readonly number[]): string => `bbox=${sides}`

/** Makes areas around an event, or with an event on their side. */
const placed = (next: Random): string => {
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
  return pick<() => string>(next, [
    () => open(polygonOf(box(centre, size))),
    () => within(x, y, x + size, y + size),
    () => within(170, -80, 250, 80),
    () => within(-200, south, east, north),
    () => closed(west, south, east, north),
    () => closed(east, south, west, north),
    () => closed(Math.max(-180, x - size), Math.max(-90, y - size), x, y),
    () => closed(-180, -90, 180, 90),
    () => open(polygonOf(triangle(next, centre, size))),
    () => open(polygonOf(smooth(next, centre, size, 40))),
    () => open(polygonOf(spiky(next, centre, size, 80))),
    () => `geom_within=MULTIPOINT((${x} ${y}),(${otherX} ${otherY}))`,
    () => {
      const point: Geometry = { type: 'Point', coordinates: [otherX, otherY] }
      const areas = [polygonOf(spiky(next, centre, size, 20)), polygonOf(box([x, y], size)), point]
      return open({ type: 'GeometryCollection', geometries: areas })
    },
  ])()
}

const list = '/api/v3/events/?page_size=10000&fields=id'
const ORDERS = ['id', '-id', 'timestamp_start', '-timestamp_start', 'timestamp_end', '-timestamp_end']
const names = Object.keys(LEVELS) as Level[] // the keys of the constant

const other = (next: Random) => pick(next, OTHERS)
const KINDS: readonly (readonly ((next: Random) => string)[])[] = [
  [timed],
  [timed, other],
  [placed],
  [placed, timed],
  [placed, other],
  [placed, timed, other],
]

const engines = testRows([...foundation, ...events], {})
const next = random(20_261_121)
testMany(
  'every combination of filters',
  12,
  engines,
  Array.from({ length: 96 }, (_, i): Row => {
    const parts = (KINDS[i % KINDS.length] ?? []).map((part) => part(next))
    const asks = `${list}&ordering=${pick(next, ORDERS)}&${parts.join('&')}`
    return { asks, level: pick(next, names) }
  }),
)
