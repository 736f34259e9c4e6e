import type { Point } from 'geojson'
import { type PageAddress, parameter } from './address.ts'

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
  readonly values: Readonly<Record<string, unknown>>
}

/** A flat event in GeoJSON. Versions differ in the names of its instants, and only /ogc leaves out its address. */
export interface EventFeature {
  readonly id: number
  readonly geometry: Point | null
  readonly properties: Readonly<Record<string, string | number | null>>
}

export const isEvent = (row: object): row is EventItem => 'series' in row && 'geometry' in row

/** Reads an event. An event of /ogc does not name its own `address`. */
export const readEvent = ({ id, geometry, properties }: EventFeature, address: string): EventItem => {
  const text = (name: string) => String(properties[name] ?? '')
  const instant = (name: string) => Date.parse(text(name) || text(`timestamp_${name}`))
  const [start, end] = [instant('start'), instant('end')]
  const { object_type: type, object_id: number } = properties
  const object = typeof type === 'string' && typeof number === 'number' ? { type, id: number } : null
  const [coordinates, duration] = [geometry?.coordinates ?? null, end - start]
  return {
    id,
    url: text('url') || address,
    geometry,
    category: text('category'),
    value: text('value'),
    start,
    end,
    series: text('event_series'),
    seriesName: text('event_series_name'),
    object,
    values: { ...properties, id, coordinates, duration, object },
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
