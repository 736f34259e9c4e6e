/** Reads flat events of GeoJSON for the page and for readers without scripts. */

import type { Values } from './columns.ts'

/** The members of a flat event that are no columns of people's own. */
export const MEMBERS = [
  ...['category', 'value', 'value_number', 'timestamp_start', 'timestamp_end', 'start', 'end', 'url', 'distance'],
  ...['event_series', 'event_series_name', 'object_type', 'object_id', 'external_id', 'last_modified'],
]

/** Returns the attributes of an event. A series' collection under /ogc has them among its properties. */
const attributesIn = ({ attributes, ...others }: Values): unknown =>
  attributes === undefined
    ? Object.fromEntries(Object.entries(others).filter(([name]) => !MEMBERS.includes(name)))
    : attributes

/** An item with its properties apart, as in GeoJSON. */
export interface FeatureItem {
  readonly id?: unknown
  readonly geometry?: { readonly type: string; readonly coordinates?: unknown } | null
  readonly properties: Values
}

/** Returns the start and the end of a flat event in milliseconds since 1970. An event without an end lasts no time. */
export const periodOf = (properties: Values): readonly [start: number, end: number] => {
  const instant = (name: string) => Date.parse(String(properties[name] ?? properties[`timestamp_${name}`] ?? ''))
  const [start, end] = [instant('start'), instant('end')]
  return [start, Number.isNaN(end) ? start : end]
}

/** Returns the values of a flat event. They include its object, its duration and its coordinates. */
export const valuesOf = ({ id, geometry, properties }: FeatureItem): Values => {
  const { object_type: type, object_id: number } = properties
  const [start, end] = periodOf(properties)
  return {
    ...properties,
    attributes: attributesIn(properties),
    id,
    coordinates: geometry?.coordinates ?? null,
    duration: Number.isNaN(start) ? null : end - start,
    object: typeof type === 'string' && typeof number === 'number' ? { type, id: number } : null,
  }
}
