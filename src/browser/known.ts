import { type Place, parameter } from './address.ts'
import { isEnvelope, isSeries, type Series, uuidOf } from './rows.ts'
import { ask } from './service.ts'

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
    readonly start: number
    readonly end: number
    readonly step: number
    /** The least start in a bin, in milliseconds since 1970, and how many start in it. */
    readonly bins: readonly (readonly [number, number])[]
  } | null
  readonly density: {
    readonly level: number
    readonly cells: readonly (readonly [west: number, south: number, east: number, north: number, count: number])[]
  } | null
  readonly without_geometry: number
}

/** The summary of what a place asks for; null where there is none. */
export const summaryOf = async ({ path, parameters }: Place, signal: AbortSignal): Promise<Summary | null> => {
  const filters = parameters.filter(({ name }) => !['page', 'hint', 'ordering', 'page_size', 'format'].includes(name))
  const { status, body } = await ask({ path: `${path}summary/`, parameters: filters }, signal)
  return status === 200 && typeof body === 'object' && body !== null && 'time' in body ? (body as Summary) : null
}
