import { filtersOf, givenIn, isLong, type PageAddress, parameter } from './address.ts'
import type { DescribedField } from './fields.ts'
import { type BarLength, barLengthOf, clock, zoneFor } from './format.ts'
import { type Bounds, isSeries, type ListAnswer, readList, type Series, uuidOf } from './rows.ts'
import { ask } from './service.ts'

/** Series by their uuids. A row tells the name of its series, but not the colour. */
export type SeriesById = ReadonlyMap<string, Pick<Series, 'name'> & Partial<Series>>

/** The number of all series that the caller sees, and at most 1,000 of them. */
export interface KnownSeries {
  readonly count: number
  readonly all: ReadonlyMap<string, Series>
}

export const NO_SERIES: SeriesById = new Map()

/** Reads the series that the caller sees, in the order of their names. */
export const allSeries = async (prefix: string, signal: AbortSignal): Promise<KnownSeries> => {
  const parameters = [parameter('ordering', 'name'), parameter('page_size', '1000')]
  const { body } = await ask({ path: `${prefix}/api/v3/eventseries/`, parameters }, signal)
  const { count = 0, results = [] } = readList(body, '') ?? {}
  return { count, all: new Map(results.filter(isSeries).map((series) => [uuidOf(series), series])) }
}

/** The columns of a series, and its source and licence in words. */
export interface SeriesDescription {
  readonly fields: readonly DescribedField[]
  readonly origin: string
}

export const NO_DESCRIPTION: SeriesDescription = { fields: [], origin: '' }

/** Reads the description of a series. */
export const describedOf = async (prefix: string, uuid: string, signal: AbortSignal): Promise<SeriesDescription> => {
  const { body } = await ask({ path: `${prefix}/api/v4/eventseries/${uuid}/metadata/`, parameters: [] }, signal)
  const {
    fields = [],
    source,
    license,
  } = (body ?? {}) as Partial<SeriesDescription> & Record<'source' | 'license', string>
  return { fields, origin: [source, license].filter(Boolean).join(', ') }
}

/** Reads a page of events. */
export const readEvents = async (place: PageAddress, signal: AbortSignal): Promise<ListAnswer | null> =>
  readList((await ask(place, signal, 'application/geo+json')).body, place.path)

/** Returns the place of the list of a series' events, the newest first. */
export const eventsOf = (prefix: string, uuid: string): PageAddress => ({
  path: `${prefix}/api/v3/events/`,
  parameters: [parameter('event_series', uuid), ...FIRST_PAGE],
})

/** The order and the rows of the lists that pages link to. Other addresses have the order and the rows of the API. */
export const FIRST_PAGE = [parameter('ordering', '-timestamp_start'), parameter('page_size', '50')]

export const FACETS = ['event_series', 'category', 'object_type__model'] as const

/** The parts of a start that have facets, on the clock of the page. */
export const TIMES = ['timestamp_start__year', 'timestamp_start__month']

/** An entry of a facet and its number of events. A series has a name, other entries have a value. */
export interface FacetEntry {
  readonly count: number
  readonly value?: string
  readonly uuid?: string
  readonly name?: string
  readonly color?: string
}

export interface FacetAnswer<Entry = FacetEntry> {
  readonly entries: readonly Entry[]
  /** The number of further entries. */
  readonly more: number
  /** The number of events without the attribute. */
  readonly without?: number
}

export type FacetsByName = Readonly<Record<string, FacetAnswer>>

/** The start of a bin in milliseconds since 1970, and how many events start in it. */
export type Bin = readonly [start: number, count: number]

/** The distribution of all matching events in time and space. */
export interface SummaryAnswer {
  readonly count: number
  readonly time: { readonly start: number | null; readonly end: number | null; readonly bins: readonly Bin[] }
  readonly density: {
    readonly cells: readonly (readonly [west: number, south: number, east: number, north: number, count: number])[]
  }
  readonly spatial_bounds: Bounds | null
  readonly without_geometry: number
  readonly facets?: FacetsByName
  /** The most frequent entries of a facet, with their own bins. */
  readonly by?: Readonly<Record<string, FacetAnswer<FacetEntry & { readonly bins: readonly Bin[] }>>>
  readonly statistics?: Readonly<Record<string, Statistics & { readonly bins: readonly NumberBin[] }>>
}

/** The statistics of a number in a bin, which starts at so many milliseconds since 1970. */
export type NumberBin = Statistics & { readonly start: number }

export interface Statistics {
  /** The number of events with a number. */
  readonly count: number
  readonly sum: number | null
  readonly mean: number | null
  readonly min: number | null
  readonly max: number | null
}

/** A longitude and a latitude, in WKT or in GeoJSON. */
const POSITION = /(-?\d[\d.]*)[\s,]+-?\d[\d.]*/g

/** Cells of 22.5 degrees tell which longitudes are empty, for the bounds. All events have stored counts of them. */
const COARSE = 4

/**
 * Returns the level of the cells. The map shows them only without tiles, and then they are 10 to 20 pixels wide. It shows the
 * given area, or the world. The first view lacks the readers of geometries, so only the longitudes are read.
 */
const levelOf = (place: PageAddress): number => {
  const hasTiles = !isLong({ ...place, parameters: filtersOf(place) })
  if (hasTiles) return COARSE
  const longitudes = Array.from((givenIn(place, 'geom_within') ?? '').matchAll(POSITION), ([, x]) => Number(x))
  const width = longitudes.length === 0 ? 360 : Math.max(...longitudes) - Math.min(...longitudes)
  return Math.max(7, Math.min(12, Math.floor(5.5 + Math.log2(360 / Math.max(width, 0.001)))))
}

/** Tests if all events of a summary belong to one series. */
export const isOneSeries = (summary: SummaryAnswer | null): boolean =>
  summary?.facets?.event_series?.entries.length === 1

type Unit = BarLength['unit']

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
export const summaryKeyOf = (place: PageAddress): string => JSON.stringify([clock.value.name, filtersOf(place)])

/** Reads the summary of the events at a place. Null if there is no summary. */
export const summaryOf = (place: PageAddress, signal: AbortSignal): Promise<SummaryAnswer | null> => {
  const unit = unitOf(place)
  return sum(place, { bins: unit ?? '1', level: String(levelOf(place)), facets: FACETS.join() }, signal)
}

/** A facet whose entries the graph can show apart. */
export type StackField = 'event_series' | 'category'

/**
 * Reads the bins of a unit. Each of the most frequent entries of a facet has its own bins, and a number has its statistics
 * in each bin.
 */
export const timeOf = (
  place: PageAddress,
  unit: Unit,
  by: StackField | null,
  number: string | null,
  signal: AbortSignal,
): Promise<SummaryAnswer | null> =>
  sum(place, { bins: unit, level: '0', ...(by && { by }), ...(number && { statistics: number }) }, signal)

/** The most events whose numbers the page sums up by itself. The service reads a row for each. */
export const MOST_SUMMED = 10_000

/** Reads the statistics of the numbers at the beginning of values. Null if there is no summary. */
export const valuesOf = async (place: PageAddress, signal: AbortSignal): Promise<Statistics | null> =>
  (await sum(place, { bins: '1', level: '0', statistics: 'value' }, signal))?.statistics?.value ?? null

/** Reads one facet of the events at a place. Null if there is no summary. */
export const facetOf = async (place: PageAddress, name: string, signal: AbortSignal): Promise<FacetAnswer | null> =>
  (await facetsOf(place, [name], signal))?.[name] ?? null

/** The facets of attributes of more events cost too much for what they tell: each event is a row to read. */
export const MOST_COUNTED = 100_000

/** Reads facets of the events at a place, with values as texts. Null if there is no summary. */
export const facetsOf = async (
  place: PageAddress,
  names: readonly string[],
  signal: AbortSignal,
): Promise<FacetsByName | null> => {
  const { facets } = (await sum(place, { bins: '1', level: '0', facets: names.join() }, signal)) ?? {}
  if (facets === undefined) return null
  // An attribute may have any value of JSON. No filter finds an object or an array.
  const isPlain = ({ value }: FacetEntry) => Object(value) !== value
  const asText = ({ value, ...entry }: FacetEntry): FacetEntry =>
    value === undefined ? entry : { ...entry, value: String(value) }
  return Object.fromEntries(
    Object.entries(facets)
      .filter(([, { entries }]) => entries.every(isPlain))
      .map(([name, facet]) => [name, { ...facet, entries: facet.entries.map(asText) }]),
  )
}

/** Reads a summary of the events at a place. Null if there is none. */
export const sum = async (
  place: PageAddress,
  asked: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<SummaryAnswer | null> => {
  const more = Object.entries(asked).map(([name, value]) => parameter(name, value))
  const isTimed = !/^\d+$/.test(asked.bins ?? '') || /(^|,)timestamp_start__/.test(asked.facets ?? '')
  const zone = zoneFor(place, isTimed)
  const summary = { path: `${place.path}summary/`, parameters: [...filtersOf(place), ...zone, ...more] }
  const { status, body } = await ask(summary, signal)
  return status === 200 && typeof body === 'object' && body !== null && 'time' in body ? (body as SummaryAnswer) : null
}
