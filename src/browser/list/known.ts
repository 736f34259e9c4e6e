import { boxOf, geometryOf, positionsOf } from '../map/geometry.ts'
import { filtersOf, givenIn, type Parameter, type Place, parameter } from '../page/address.ts'
import { ask } from '../page/service.ts'
import { isEnvelope, isSeries, type Series, uuidOf } from './rows.ts'

/** The series that events refer to, by the number that events carry. */
export type SeriesById = ReadonlyMap<number, Series>

/** Asks for the series of these numbers, which the list answers in their order: it does not show the number itself. */
export const seriesOf = async (prefix: string, ids: ReadonlySet<number>, signal: AbortSignal): Promise<SeriesById> => {
  const wanted = [...ids].sort((a, b) => a - b).slice(0, 1000)
  if (wanted.length === 0) return new Map()
  const place: Place = {
    path: `${prefix}/api/v3/eventseries/`,
    parameters: [parameter('id__in', wanted.join(',')), parameter('ordering', 'id'), parameter('page_size', '1000')],
  }
  const { body } = await ask(place, signal)
  // Where one is missing, the others cannot be told apart.
  if (!isEnvelope(body) || body.results.length !== wanted.length) return new Map()
  const known = new Map<number, Series>()
  body.results.filter(isSeries).forEach((series, i) => {
    known.set(wanted[i] ?? 0, series)
  })
  return known
}

/** All series that the caller sees, for choosing one: at most 1,000 of them. */
export const allSeries = async (prefix: string, signal: AbortSignal): Promise<readonly Series[]> => {
  const place = {
    path: `${prefix}/api/v3/eventseries/`,
    parameters: [parameter('ordering', 'name'), parameter('page_size', '1000')],
  }
  const { body } = await ask(place, signal)
  return isEnvelope(body) ? body.results.filter(isSeries) : []
}

/** The list of a series' events. */
export const eventsOf = (prefix: string, series: Series): Place => ({
  path: `${prefix}/api/v3/events/`,
  parameters: [parameter('event_series', uuidOf(series))],
})

/** How matching events lie in time and space, of all of them, not of a page. */
export interface Summary {
  readonly count: number
  readonly time: {
    /** Of the first event and the last, null where there is none. */
    readonly start: number | null
    readonly end: number | null
    readonly step: number | null
    /** The least start in a bin, in milliseconds since 1970, and how many start in it. */
    readonly bins: readonly (readonly [number, number])[]
  }
  readonly density: {
    readonly level: number | null
    readonly cells: readonly (readonly [west: number, south: number, east: number, north: number, count: number])[]
  }
  readonly without_geometry: number
  readonly facets?: Readonly<Partial<Record<FacetName, FacetCounts>>>
}

export type FacetName = 'category' | 'event_series' | 'object_type__model'

/** An entry of a facet: of a series what it is called, of others their value; and how many events it has. */
export interface Entry {
  readonly value?: string
  readonly id?: number
  readonly uuid?: string
  readonly name?: string
  readonly color?: string
  readonly count: number
}

export interface FacetCounts {
  readonly entries: readonly Entry[]
  readonly more: number
}

const FACETS = 'category,event_series,object_type__model'

/** As many bars as are told apart. */
const BINS = 160

/** Of cells some 10 or 20 pixels wide on the map, which shows the world or, where one is given, the area. */
const levelOf = (place: Place): number => {
  const area = geometryOf(givenIn(place, 'geom_within') ?? '')
  const [west = -180, , east = 180] = (area && boxOf(positionsOf(area))) ?? []
  return Math.max(7, Math.min(12, Math.floor(5.5 + Math.log2(360 / Math.max(east - west, 0.001)))))
}

/** The summary of what a place asks for; null where there is none. */
export const summaryOf = async (place: Place, signal: AbortSignal): Promise<Summary | null> => {
  const sizes = [parameter('bins', String(BINS)), parameter('level', String(levelOf(place)))]
  return sum(place, [...sizes, parameter('facets', FACETS)], signal)
}

/** One facet of what a place asks for; null where there is none. */
export const facetOf = async (place: Place, name: FacetName, signal: AbortSignal): Promise<FacetCounts | null> => {
  const sizes = [parameter('bins', '1'), parameter('level', '0'), parameter('facets', name)]
  return (await sum(place, sizes, signal))?.facets?.[name] ?? null
}

/** How many events each series has that the caller sees, by its uuid: of those with the most, unless there are no others. */
export const countsOfSeries = async (prefix: string, signal: AbortSignal): Promise<ReadonlyMap<string, number>> => {
  const found = await facetOf({ path: `${prefix}/api/v3/events/`, parameters: [] }, 'event_series', signal)
  return new Map((found?.entries ?? []).map(({ uuid = '', count }) => [uuid, count]))
}

const sum = async (place: Place, more: readonly Parameter[], signal: AbortSignal): Promise<Summary | null> => {
  const asked = { path: `${place.path}summary/`, parameters: [...filtersOf(place), ...more] }
  const { status, body } = await ask(asked, signal)
  return status === 200 && typeof body === 'object' && body !== null && 'time' in body ? (body as Summary) : null
}
