import type { Schemas } from '../api.d.ts'
import type { AddressParameter, PageAddress } from './address.ts'
import { parameter } from './address.ts'

type FlatEvent = Schemas['EventFeature']

/** An event of /ogc. The address of its list and its id make its own address. */
type OgcEvent = Omit<FlatEvent, 'properties'> & { readonly properties: Omit<FlatEvent['properties'], 'url'> }

/** An event of version 3, of version 4, or of /ogc. */
export type EventFeature = Schemas['Feature'] | Schemas['EventV4'] | Schemas['EventWithSeriesV4'] | OgcEvent

/** The number of a series in version 3, or its uuid. */
export type SeriesKey = number | string

/** What version 3 leaves out of an event. */
export interface Details {
  /** The id of the event at its source. */
  readonly externalId: string | null
  readonly attributes: Readonly<Record<string, unknown>>
  /** All values by the names of their fields. */
  readonly values: Readonly<Record<string, unknown>>
}

/** An event in the shape that all parts of the page use. */
export interface EventItem {
  readonly id: number
  readonly url: string
  readonly geometry: Schemas['Point'] | null
  readonly category: string
  readonly value: string
  /** Milliseconds since 1970, as is the end. */
  readonly start: number
  readonly end: number
  readonly series: SeriesKey
  readonly object: Schemas['ObjectReference'] | null
  /** The values of the answer by the names of their fields. */
  readonly values: Readonly<Record<string, unknown>>
  /** Null until they are known. */
  readonly details: Details | null
}

export const isEvent = (row: object): row is EventItem => 'series' in row && 'geometry' in row

/** Reads the details of an event. Null if its form has none. */
export const detailsOf = (properties: object): Details | null => {
  if (!('external_id' in properties && 'attributes' in properties)) return null
  const { external_id: externalId, attributes } = properties as Pick<
    FlatEvent['properties'],
    'external_id' | 'attributes'
  >
  return { externalId, attributes: attributes ?? {}, values: { ...properties } }
}

/** Reads an event of version 3, version 4 or /ogc. An event of /ogc does not name its own `address`. */
export const readEvent = (feature: EventFeature, address: string): EventItem => {
  const { id, geometry, properties: p } = feature
  const own = ownOf(feature, address)
  const { start, end, series, object } = own
  const coordinates = geometry?.coordinates ?? null
  const values = { ...p, id, coordinates, duration: end - start, event_series: series, object }
  return { id, geometry, category: p.category, value: p.value, ...own, values, details: detailsOf(p) }
}

/** Returns what the versions name differently. */
const ownOf = ({ properties: p }: EventFeature, address: string) => {
  if ('start' in p) {
    const [inAddress = ''] = new URL(p.url).pathname.split('/').slice(-4)
    const series = 'event_series' in p ? p.event_series : inAddress
    return { url: p.url, start: Date.parse(p.start), end: Date.parse(p.end), series, object: p.object }
  }
  if ('url' in p) {
    const { url, timestamp_start: start, timestamp_end: end, event_series: series, object } = p
    return { url, start, end, series, object }
  }
  const { object_type: type, object_id: id, timestamp_start: start, timestamp_end: end, event_series: series } = p
  const object = type === null || id === null ? null : { type, id }
  return { url: address, start: Date.parse(start), end: Date.parse(end), series, object }
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
  const inV3 = ({ parameters }: PageAddress): PageAddress => ({
    path: `${prefix}/api/v3/events/`,
    parameters: [...ofSeries, ...parameters.map(nameInV3)],
  })
  return { area: 'geometry__within', start: 'start', inV3 }
}

const nameInV3 = ({ name, encoded }: AddressParameter): AddressParameter => ({
  name: name.replace(/^(start|end)(?=__|$)/, 'timestamp_$1').replace(/^geometry__within$/, 'geom_within'),
  encoded,
})
