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
  /** True: it uses the database in which some series are private. */
  readonly mixed: boolean
  /** Returns the maximum number of rows that may be read, for 1,000,000 events and a number of matches. */
  readonly most: (matches: number) => number
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

const ask = (
  name: string,
  query: Workload['query'],
  most: number | Workload['most'],
  rest: Partial<Workload> = {},
): Workload => ({
  name,
  query,
  to: LIST,
  turns: 0,
  mixed: false,
  most: typeof most === 'number' ? () => most : most,
  ...rest,
})

const summary = (name: string, query: Workload['query'], most: Workload['most'], mixed = false) =>
  ask(`summary, ${name}`, query, most, { to: SUMMARY, mixed })

/** The limit for reading matches. D1 counts several rows for each match: it finds, joins, sorts and groups them. */
const read = (matches: number) => 12 * matches + 15_000

const summaries: readonly Workload[] = [
  summary('no filter', {}, () => 40_000),
  summary('no filter, some series not public', {}, () => 40_000, true),
  summary('level=6', { level: '6' }, () => 12_000),
  summary('one series', SERIES, read),
  summary('a time range of 1 %', RANGE, read),
  summary('one series and a time range', { ...SERIES, ...RANGE }, read),
  summary('category__icontains, 5 %', CATEGORY, read),
  summary('45 % of the time', { timestamp_start__gte: at(11) }, read),
  summary('polygon of 50 vertices', SMALL_AREA, read),
  summary('concave polygon of 2,000 vertices', LARGE_AREA, read),
  summary('the same and a series of 1 %', { ...LARGE_AREA, ...SERIES }, (matches) => read(matches) + 12_000),
]

/** Returns the workloads for `events` events. `canada` is a large real area as GeoJSON. Null leaves it out. */
export const workloads = (events: number, canada: string | null): Workload[] => {
  const middle = { page: String(Math.floor(events / 20)) }
  const pages = (name: string, query: Workload['query'], numbers: readonly number[], most: number) =>
    numbers.map((page) => ask(`${name}, page ${page} by next`, query, most, { turns: page - 1 }))
  return [
    ask('first page, no filter', {}, 60),
    ask('first page, no filter, some series not public', {}, 200, { mixed: true }),
    ...pages('no filter', {}, [2, 10, 100], 80),
    ask('no filter, the page after the middle by next', middle, 80, { turns: 1 }),
    ask('no filter, cold jump to the page in the middle', middle, 5000),
    ask('latest first', { ordering: '-timestamp_start' }, 80),
    ...pages('latest first', { ordering: '-timestamp_start' }, [2, 100], 80),
    ask('latest first, cold jump to the page in the middle', { ...middle, ordering: '-timestamp_start' }, 5000),
    ask('three quarters of the time, in its order', { timestamp_start__gte: at(5), ordering: 'timestamp_start' }, 80),
    ...pages(
      'three quarters of the time, in its order',
      { timestamp_start__gte: at(5), ordering: 'timestamp_start' },
      [2, 100],
      80,
    ),
    ask('one series', SERIES, 60),
    ...pages('one series', SERIES, [2, 10, 100], 80),
    ask('one series and a time range', { ...SERIES, ...RANGE }, (matches) => matches + 100),
    ...pages('one series and a time range', { ...SERIES, ...RANGE }, [2, 10], 200),
    ask('category__icontains, 5 %', CATEGORY, 60 + 41),
    ...pages('category__icontains, 5 %', CATEGORY, [2, 100], 80),
    ask('polygon of 50 vertices', SMALL_AREA, 3000),
    ...pages('polygon of 50 vertices', SMALL_AREA, [2, 10], 3000),
    ask('concave polygon of 2,000 vertices', LARGE_AREA, 40_000),
    ...pages('concave polygon of 2,000 vertices', LARGE_AREA, [2, 100], 1000),
    ask('the same and a series of 1 %', { ...LARGE_AREA, ...SERIES }, 12_000),
    ...pages('the same and a series of 1 %', { ...LARGE_AREA, ...SERIES }, [2], 12_000),
    ask('the same and a time range of 1 %', { ...LARGE_AREA, ...RANGE }, 12_000),
    ...pages('the same and a time range of 1 %', { ...LARGE_AREA, ...RANGE }, [2], 12_000),
    ...(canada === null ? [] : [ask('Canada, 68,099 vertices', { geom_within: canada }, 60_000)]),
    ...summaries,
    ask('detail by id', {}, 5, { item: `/api/v3/events/${Math.floor(events / 2)}/` }),
    ask('detail by the beginning of a uuid', {}, 5, { item: `/api/v4/eventseries/${SMALL_SERIES.slice(0, 8)}/` }),
  ]
}
