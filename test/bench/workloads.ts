import { COMMON_CATEGORY, FIRST, random, SMALL_SERIES } from './events.ts'

/** A request of the bench. */
export interface Workload {
  readonly name: string
  /** The address of one item. Absent: the query is posted. */
  readonly item?: string
  /** The address for the post: the list of events or their summary. */
  readonly to: string
  readonly query: Readonly<Record<string, string>>
  /** The number of times to follow `next` before the measured page. */
  readonly turns: number
}

/** Requests of one kind. */
export interface Kind {
  readonly name: string
  readonly requests: readonly Workload[]
}

/** The address of the list of events. */
export const LIST = '/api/v3/events/'
export const SUMMARY = `${LIST}summary/`

const YEAR = 365.25 * 86_400_000
const at = (year: number) => new Date(FIRST + year * YEAR).toISOString()

/** A time range with 1 % of the events. */
export const RANGE = { timestamp_start__gte: at(5), timestamp_start__lt: at(5.2) }
/** The series with 1 % of the events. */
export const SERIES = { event_series: SMALL_SERIES }
/** A filter that 5 % of the events match. */
export const CATEGORY = { category__icontains: COMMON_CATEGORY.slice(-5).toUpperCase() }

/**
 * Makes a concave polygon as GeoJSON. It is a ring around a centre, and its radius varies by sine waves and a little
 * noise.
 */
export const star = (centre: readonly [number, number], radii: readonly [number, number], vertices: number): string => {
  const next = random(vertices)
  const ring = Array.from({ length: vertices }, (_, i) => {
    const angle = (2 * Math.PI * i) / vertices
    const radius = 0.75 + 0.15 * Math.sin(5 * angle + vertices) + 0.08 * Math.sin(17 * angle) + 0.004 * next()
    return [centre[0] + radii[0] * radius * Math.cos(angle), centre[1] + radii[1] * radius * Math.sin(angle)]
  })
  return JSON.stringify({ type: 'Polygon', coordinates: [[...ring, ring[0]]] })
}

/** An area with 50 vertices and 0.2 % of the events. */
export const SMALL_AREA = { geom_within: star([30, 20], [13.8, 10.4], 50) }
/** An area with 2,000 vertices and 20 % of the events. */
export const LARGE_AREA = { geom_within: star([20, 10], [100, 71], 2000) }

/** Makes a request for a list of events. `rest` replaces its parts. */
export const ask = (name: string, query: Workload['query'], rest: Partial<Workload> = {}): Workload => ({
  name,
  query,
  to: LIST,
  turns: 0,
  ...rest,
})

const summary = (name: string, query: Workload['query']) => ask(`summary, ${name}`, query, { to: SUMMARY })

const summaries: readonly Workload[] = [
  summary('no filter', {}),
  summary('level=6', { level: '6' }),
  summary('one series', SERIES),
  summary('a time range of 1 %', RANGE),
  summary('one series and a time range', { ...SERIES, ...RANGE }),
  summary('category__icontains, 5 %', CATEGORY),
  summary('45 % of the time', { timestamp_start__gte: at(11) }),
  summary('polygon of 50 vertices', SMALL_AREA),
  summary('concave polygon of 2,000 vertices', LARGE_AREA),
  summary('the same and a series of 1 %', { ...LARGE_AREA, ...SERIES }),
]

/** Returns the workloads for `events` events. `canada` is a large real area as GeoJSON. Null leaves it out. */
export const workloads = (events: number, canada: string | null): Workload[] => {
  const middle = { page: String(Math.floor(events / 20)) }
  const later = { timestamp_start__gte: at(5), ordering: 'timestamp_start' }
  /** Makes requests for the first page and for later ones, which `next` leads to. */
  const pages = (name: string, query: Workload['query'], ...numbers: number[]) => [
    ask(name, query),
    ...numbers.map((page) => ask(`${name}, page ${page} by next`, query, { turns: page - 1 })),
  ]
  return [
    ...pages('first page, no filter', {}, 2, 10, 100),
    ask('no filter, the page after the middle by next', middle, { turns: 1 }),
    ask('no filter, cold jump to the page in the middle', middle),
    ...pages('latest first', { ordering: '-timestamp_start' }, 2, 100),
    ask('latest first, cold jump to the page in the middle', { ...middle, ordering: '-timestamp_start' }),
    ...pages('three quarters of the time, in its order', later, 2, 100),
    ...pages('one series', SERIES, 2, 10, 100),
    ...pages('one series and a time range', { ...SERIES, ...RANGE }, 2, 10),
    ...pages('category__icontains, 5 %', CATEGORY, 2, 100),
    ...pages('polygon of 50 vertices', SMALL_AREA, 2, 10),
    ...pages('concave polygon of 2,000 vertices', LARGE_AREA, 2, 100),
    ...pages('the same and a series of 1 %', { ...LARGE_AREA, ...SERIES }, 2),
    ...pages('the same and a time range of 1 %', { ...LARGE_AREA, ...RANGE }, 2),
    ...(canada === null ? [] : [ask('Canada, 68,099 vertices', { geom_within: canada })]),
    ...summaries,
    ask('detail by id', {}, { item: `/api/v3/events/${Math.floor(events / 2)}/` }),
    ask('detail by the beginning of a uuid', {}, { item: `/api/v4/eventseries/${SMALL_SERIES.slice(0, 8)}/` }),
  ]
}
