import type { Point, Polygon } from 'geojson'
import type { Values } from '../../formats/columns.ts'
import { periodOf, valuesOf } from '../../formats/flatEvents.ts'
import { bboxOf } from '../../geometry/bbox.ts'
import { isOgc, type PageAddress, parameter } from './address.ts'

/** An event in the shape that all parts of the page use. */
export interface EventItem {
  readonly id: number
  readonly url: string
  readonly geometry: Point | null
  readonly category: string
  readonly value: string
  /** Milliseconds since 1970, as is the end. */
  readonly start: number
  readonly end: number
  /** The uuid of its series. */
  readonly series: string
  readonly seriesName: string
  readonly object: { readonly type: string; readonly id: number } | null
  /** All values by the names of their fields. */
  readonly values: Values
}

/** A flat event in GeoJSON. Versions differ in the names of its instants, and only /ogc leaves out its address. */
export interface EventFeature {
  readonly id: number
  readonly geometry: Point | null
  readonly properties: Readonly<Record<string, string | number | null>>
}

/** Returns the values of a row by the names of its fields. */
export const valuesIn = (row: object): Values => (isEvent(row) ? row.values : (row as Values))

export const isEvent = (row: object): row is EventItem => 'series' in row && 'geometry' in row

/** Reads an event. An event of /ogc does not name its own `address`. */
export const readEvent = ({ id, geometry, properties }: EventFeature, address: string): EventItem => {
  const text = (name: string) => String(properties[name] ?? '')
  const [start, end] = periodOf(properties)
  const values = valuesOf({ id, geometry, properties })
  return {
    id,
    // Under /ogc, a column of people's own may have the name.
    url: isOgc({ path: address, parameters: [] }) ? address : text('url'),
    geometry,
    category: text('category'),
    value: text('value'),
    start,
    end,
    series: text('event_series'),
    seriesName: text('event_series_name'),
    object: values.object as EventItem['object'],
    values,
  }
}

/** The names of the filters of a list of events. */
export interface EventList {
  readonly area: string
  readonly start: string
  /** The same events in the list of version 3, which has a summary and tiles. */
  readonly inV3: (place: PageAddress) => PageAddress
}

/** Returns null if the path is not a list of events with a form. */
export const eventListAt = (path: string): EventList | null => {
  if (path.endsWith('/api/v3/events/')) return { area: 'geom_within', start: 'timestamp_start', inV3: (place) => place }
  const [list, prefix = '', uuid] = /^(.*)\/api\/v4\/(?:eventseries\/([^/]+)\/)?events\/$/.exec(path) ?? []
  if (list === undefined) return null
  const ofSeries = uuid === undefined ? [] : [parameter('event_series', uuid)]
  const nameInV3 = (name: string) =>
    name.replace(/^(start|end)(?=__|$)/, 'timestamp_$1').replace(/^geometry__within$/, 'geom_within')
  const inV3 = ({ parameters }: PageAddress): PageAddress => ({
    path: `${prefix}/api/v3/events/`,
    parameters: [...ofSeries, ...parameters.map(({ name, value }) => parameter(nameInV3(name), value))],
  })
  return { area: 'geometry__within', start: 'start', inV3 }
}

export interface Bounds {
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

/** An event series of version 3, of version 4, or of /ogc. The period has other names in version 3. */
export interface Series {
  readonly url: string
  readonly name: string
  readonly description: string
  readonly statistic: string
  readonly color: string
  readonly uuid?: string
  readonly start?: string | null
  readonly end?: string | null
  readonly first_value_timestamp?: number | null
  readonly last_value_timestamp?: number | null
  readonly spatial_bounds?: Bounds | null
  readonly access_modifier?: string
  /** The address of the observation type. /ogc has its name instead. */
  readonly observation_type?: string
  readonly observation_type_name?: string
}

/** The page of a list. */
export interface ListAnswer {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly object[]
}

/** A page of features under /ogc. */
interface FeatureCollection {
  readonly numberMatched: number
  readonly features: readonly object[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

/** Tests if an answer is a page of a list. */
export const isList = (body: unknown): body is ListAnswer | FeatureCollection =>
  typeof body === 'object' && body !== null && ('results' in body || ('numberMatched' in body && 'features' in body))

/** Reads a list at a path, with rows in the shape of the page. Returns null for other answers. */
export const readList = (body: unknown, path: string): ListAnswer | null => {
  if (!isList(body)) return null
  if ('results' in body) return { ...body, results: body.results.map((row) => readRow(row, '')) }
  const { numberMatched: count, features, links } = body
  const linked = (rel: string) => links.find((link) => link.rel === rel)?.href ?? null
  const items = path.replace(/\/$/, '')
  const results = features.map((row) => readRow(row, 'id' in row ? `${items}/${row.id}` : items))
  return { count, next: linked('next'), previous: linked('prev'), results }
}

/** Reads an event or a series into the shape of the page. Other rows stay unchanged. */
export const readRow = (row: object, address: string): object => {
  if (!isFeature(row)) return row
  return address.includes('/collections/eventseries/')
    ? ogcSeries(row as OgcSeries, address)
    : readEvent(row as EventFeature, address)
}

const isFeature = (row: object): row is { readonly properties: object } => 'type' in row && row.type === 'Feature'

interface OgcSeries {
  readonly geometry: Polygon | null
  readonly properties: Omit<Series, 'url'>
}

const ogcSeries = ({ geometry, properties }: OgcSeries, url: string): Series => {
  const { observation_type: _, ...series } = properties
  const [west = 0, south = 0, east = 0, north = 0] =
    bboxOf(Float64Array.from(geometry?.coordinates.flat(2) ?? [])) ?? []
  return { ...series, url, spatial_bounds: geometry === null ? null : { west, south, east, north } }
}

export const isSeries = (row: unknown): row is Series =>
  typeof row === 'object' && row !== null && 'color' in row && 'statistic' in row

/** The uuid of a series. In version 3 only its address has it. */
export const uuidOf = ({ uuid, url }: Pick<Series, 'uuid' | 'url'>): string =>
  uuid ?? new URL(url).pathname.split('/').at(-2) ?? ''

/** Moves the source from the beginning of a description to its end. The description of the data then stands first. */
export const sourceLast = (description: string): string =>
  description.replace(/^(Source: .*?\.)\s+(\p{Lu}.*)$/su, '$2 $1')
