import type { Schemas } from '../api.d.ts'
import { type AddressParameter, filtersOf, givenIn, type PageAddress, parameter } from './address.ts'
import type { SeriesKey } from './event.ts'
import { zone } from './format.ts'
import { isSeries, readList, type Series, uuidOf } from './rows.ts'
import { ask } from './service.ts'
import { type BarLength, barLengthOf } from './units.ts'

/** The series that events refer to, by the keys that the events carry. */
export type SeriesById = ReadonlyMap<SeriesKey, Series>

/** Reads the series with these keys. */
export const seriesOf = async (
  prefix: string,
  keys: ReadonlySet<SeriesKey>,
  signal: AbortSignal,
): Promise<SeriesById> => {
  const ids = [...keys].filter((key) => typeof key === 'number')
  const uuids = [...keys].filter((key) => typeof key === 'string')
  return new Map([...(await seriesByNumber(prefix, ids, signal)), ...(await seriesByUuid(prefix, uuids, signal))])
}

/** Reads series by their ids. The answer has no ids, but is in their order. */
const seriesByNumber = async (
  prefix: string,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<readonly [SeriesKey, Series][]> => {
  const wanted = ids.toSorted((a, b) => a - b).slice(0, 1000)
  if (wanted.length === 0) return []
  const sizes = [parameter('ordering', 'id'), parameter('page_size', '1000')]
  const { series } = await readSeries(prefix, [parameter('id__in', wanted.join(',')), ...sizes], signal)
  if (series.length === wanted.length) return wanted.map((id, i) => [id, series[i] as Series])
  if (series.length === 0) return []
  // One is missing, so the ids of the others are unknown. Each half is asked for itself.
  const middle = Math.ceil(wanted.length / 2)
  const halves = [wanted.slice(0, middle), wanted.slice(middle)]
  return (await Promise.all(halves.map((half) => seriesByNumber(prefix, half, signal)))).flat()
}

/** Reads series by their uuids. The list can filter by only one uuid. */
const seriesByUuid = async (
  prefix: string,
  uuids: readonly string[],
  signal: AbortSignal,
): Promise<readonly [SeriesKey, Series][]> => {
  const [uuid, ...others] = uuids
  if (uuid === undefined) return []
  const { series } =
    others.length > 0 ? await allSeries(prefix, signal) : await readSeries(prefix, [parameter('uuid', uuid)], signal)
  return series.map((series) => [uuidOf(series), series])
}

const readSeries = async (
  prefix: string,
  parameters: readonly AddressParameter[],
  signal: AbortSignal,
): Promise<SeriesList> => {
  const { body } = await ask({ path: `${prefix}/api/v3/eventseries/`, parameters }, signal)
  const list = readList(body, '')
  return { count: list?.count ?? 0, series: list?.results.filter(isSeries) ?? [] }
}

/** Series, and the number of all that a request matches. */
interface SeriesList {
  readonly count: number
  readonly series: readonly Series[]
}

/** Reads the series that the caller sees. It reads at most 1,000 of them. */
export const allSeries = (prefix: string, signal: AbortSignal): Promise<SeriesList> =>
  readSeries(prefix, [parameter('ordering', 'name'), parameter('page_size', '1000')], signal)

/** Returns the place of the list of a series' events, the newest first. */
export const eventsOf = (prefix: string, series: Series): PageAddress => ({
  path: `${prefix}/api/v3/events/`,
  parameters: [parameter('event_series', uuidOf(series)), ...FIRST_PAGE],
})

/** The order and the rows of the lists that pages link to. Other addresses have the order and the rows of the API. */
export const FIRST_PAGE = [parameter('ordering', '-timestamp_start'), parameter('page_size', '50')]

/** The distribution of all matching events in time and space. */
export type SummaryAnswer = Schemas['Summary']
type Statistics = Schemas['SummaryStatistics']

type Facets = NonNullable<SummaryAnswer['facets']>
type EntryOf<Name extends FacetName> = NonNullable<Facets[Name]>['entries'][number]

export type FacetName = keyof Facets

/** An entry of a facet and its number of events. A series has a name, other entries have a value. */
export type FacetEntry = Partial<EntryOf<'event_series'> & EntryOf<'category'>> & { readonly count: number }

export interface FacetAnswer {
  readonly entries: readonly FacetEntry[]
  readonly more: number
}

const FACETS = 'category,event_series,object_type__model'

/** A longitude and a latitude, in WKT or in GeoJSON. */
const POSITION = /(-?\d[\d.]*)[\s,]+-?\d[\d.]*/g

/**
 * Returns the level at which cells are 10 to 20 pixels wide. The map shows the given area, or the world. The first view
 * lacks the readers of geometries, so only the longitudes are read.
 */
const levelOf = (place: PageAddress): number => {
  const longitudes = Array.from((givenIn(place, 'geom_within') ?? '').matchAll(POSITION), ([, x]) => Number(x))
  const width = longitudes.length === 0 ? 360 : Math.max(...longitudes) - Math.min(...longitudes)
  return Math.max(7, Math.min(12, Math.floor(5.5 + Math.log2(360 / Math.max(width, 0.001)))))
}

type Unit = BarLength['unit']

/** Returns the bins of a unit in the zone of the page. Only another zone than UTC is named, because it costs a scan. */
const binsOf = (unit: Unit): readonly AddressParameter[] => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const bins = parameter('bins', unit)
  return zone.value === 'utc' || timeZone === 'UTC' ? [bins] : [bins, parameter('timezone', timeZone)]
}

/**
 * Returns the unit of the bins in the summary of a place. It suits the period that someone brushed, or a long one. Null
 * without filters, because then units cost more rows, and the period is not known.
 */
const unitOf = (place: PageAddress): Unit | null => {
  if (filtersOf(place).length === 0) return null
  const instant = (lookup: string) => Date.parse(givenIn(place, `timestamp_start__${lookup}`) ?? '')
  const period = instant('lt') - instant('gte')
  return period > 0 ? barLengthOf(period).unit : 'month'
}

/** Tests if the summary of a place has bins for bars of this length. */
export const hasBins = (place: PageAddress, { unit }: BarLength): boolean => {
  const given = unitOf(place)
  return given === unit || (given === 'month' && unit === 'year')
}

/** Returns a key that changes with the summary of a place. */
export const summaryKeyOf = (place: PageAddress): string => JSON.stringify([zone.value, filtersOf(place)])

/** Reads the summary of the events at a place. Null if there is no summary. */
export const summaryOf = async (place: PageAddress, signal: AbortSignal): Promise<SummaryAnswer | null> => {
  const unit = unitOf(place)
  const rest = [parameter('level', String(levelOf(place))), parameter('facets', FACETS)]
  return sum(place, [...(unit === null ? [parameter('bins', '1')] : binsOf(unit)), ...rest], signal)
}

/** A facet whose entries the graph can show apart. */
export type StackField = 'event_series' | 'category'

/** Reads the bins of a unit. Each of the most frequent entries of a facet has its own bins. */
export const timeOf = (
  place: PageAddress,
  unit: Unit,
  by: StackField | null,
  signal: AbortSignal,
): Promise<SummaryAnswer | null> => {
  const entries = by === null ? [] : [parameter('by', by)]
  return sum(place, [...binsOf(unit), parameter('level', '0'), ...entries], signal)
}

/** Reads the statistics of the numbers at the beginning of values. Null if there is no summary. */
export const valuesOf = async (place: PageAddress, signal: AbortSignal): Promise<Statistics | null> => {
  const asked = [parameter('bins', '1'), parameter('level', '0'), parameter('statistics', 'value')]
  return (await sum(place, asked, signal))?.statistics?.value ?? null
}

/** Reads one facet of the events at a place. Null if there is no summary. */
export const facetOf = async (
  place: PageAddress,
  name: FacetName,
  signal: AbortSignal,
): Promise<FacetAnswer | null> => {
  const sizes = [parameter('bins', '1'), parameter('level', '0'), parameter('facets', name)]
  return (await sum(place, sizes, signal))?.facets?.[name] ?? null
}

/** Reads the number of events of each series that the caller sees, by uuid. The summary has only the largest series. */
export const countsOfSeries = async (prefix: string, signal: AbortSignal): Promise<ReadonlyMap<string, number>> => {
  const found = await facetOf({ path: `${prefix}/api/v3/events/`, parameters: [] }, 'event_series', signal)
  return new Map((found?.entries ?? []).map(({ uuid = '', count }) => [uuid, count]))
}

const sum = async (
  place: PageAddress,
  more: readonly AddressParameter[],
  signal: AbortSignal,
): Promise<SummaryAnswer | null> => {
  const asked = { path: `${place.path}summary/`, parameters: [...filtersOf(place), ...more] }
  const { status, body } = await ask(asked, signal)
  return status === 200 && typeof body === 'object' && body !== null && 'time' in body ? (body as SummaryAnswer) : null
}
