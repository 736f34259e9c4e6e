import { ValueError } from '../../src/errors.ts'
import { FIELDS, isObject } from '../../src/store/records.ts'
import type { Crs } from './crs.ts'
import { eventOf, type FieldNames, type FileEvent, type NameOf, type RawEvent, USUAL } from './event.ts'
import { type TimeOptions, timeReader } from './time.ts'

/** Options for reading the events of a file. */
export interface FeatureOptions {
  /** The names of the fields that the options give. */
  readonly names: FieldNames
  /** The series of all events. Null if each event names its own series. */
  readonly series: number | null
  /** The ids of series by their uuids. The event list names series by uuid in these formats. */
  readonly seriesIds?: ReadonlyMap<string, number>
  /** True: the ids in the file are ignored. */
  readonly newIds: boolean
  /** True: the events may change stored events, so fields may be absent. */
  readonly partial?: boolean
  readonly times?: TimeOptions
  /** The reference system of the coordinates. Absent: they are degrees, longitude first. */
  readonly crs?: Crs
  /** The decimal mark of numbers in CSV. It is a comma or a point. Absent: it is recognised. */
  readonly decimal?: string | undefined
}

/** Members of the event list that are not fields of an event. */
export const SHOWN: readonly string[] = ['url', 'the_geom', 'event_series_name', 'last_modified']

/** Names of members and columns in the file that are not fields of an event. */
export type Unread = Set<string>

/** The number of features whose members are compared with the known names. */
const SAMPLE_FEATURES = 1000

/** Reads events from GeoJSON features. The features come from the event list, or have other properties. */
export function featureReader(options: FeatureOptions, unread: Unread): (feature: unknown) => FileEvent {
  const read = propertiesReader(options, unread, ['object', ...SHOWN])
  const { names, newIds } = options
  return (feature) => {
    if (!isObject(feature) || feature.type !== 'Feature')
      throw new ValueError('not a GeoJSON feature: enter an object with "type": "Feature"')
    const own = isObject(feature.properties) ? feature.properties : {}
    // The external id may be the id of the feature instead of a property.
    const properties = names.external === 'id' && !Object.hasOwn(own, 'id') ? { ...own, id: feature.id } : own
    const id = newIds ? null : names.id === null ? (feature.id ?? null) : properties[names.id]
    return read(properties, { id, coordinates: positionOf(feature.geometry), names: 'coordinates' })
  }
}

/** Reads events from plain objects. Each member is a field, like a column of a table. */
export function objectReader(options: FeatureOptions, unread: Unread): (object: unknown) => FileEvent {
  const read = propertiesReader(options, unread, ['object'])
  return (object) => {
    if (!isObject(object))
      throw new ValueError('not a JSON object: enter one, such as {"time": "2018-02-06", "lon": 5}')
    const nameOf = (field: NameOf) => givenName(options.names, object, field)
    const [x, y, z] = (['x', 'y', 'z'] as const).map((field) => object[nameOf(field)])
    const coordinates =
      (x ?? y ?? null) === null ? (x === undefined ? y : x) : [x, y, ...((z ?? null) === null ? [] : [z])]
    const id = options.newIds ? null : (object[nameOf('id')] ?? null)
    return read(object, { id, coordinates, names: `${nameOf('x')}, ${nameOf('y')}` })
  }
}

const givenName = (names: FieldNames, properties: object, field: NameOf): string =>
  names[field] ?? USUAL[field].find((name) => Object.hasOwn(properties, name)) ?? (USUAL[field][0] as string)

type Given = { readonly id: unknown; readonly coordinates: unknown; readonly names: string }

function propertiesReader(options: FeatureOptions, unread: Unread, ignored: readonly string[]) {
  const { names, series, partial = false, times = {} } = options
  const [readTime, readOwn] = [timeReader(times), timeReader({ ...times, unit: times.unit ?? 'ms' })]
  const fields = Object.keys(USUAL) as NameOf[]
  let features = 0
  return (
    properties: Readonly<Record<string, unknown>>,
    { id, coordinates, names: coordinateNames }: Given,
  ): FileEvent => {
    const nameOf = (field: NameOf): string => givenName(names, properties, field)
    const valueIn = (field: NameOf): unknown => {
      const name = nameOf(field)
      if (names[field] !== null && !Object.hasOwn(properties, name))
        throw new ValueError(`the property "${name}" is missing: add it, or name another one`)
      return Object.hasOwn(properties, name) ? clearedIn(properties[name]) : undefined
    }
    if (features++ < SAMPLE_FEATURES) {
      const known = new Set([...fields.map(nameOf), ...ignored])
      for (const name of Object.keys(properties)) if (!known.has(name)) unread.add(name)
    }
    const raw: RawEvent = {
      ...{
        id,
        series: seriesIn(options, valueIn('series')),
        category: valueIn('category'),
        value: valueIn('value'),
        start: valueIn('start'),
        end: valueIn('end'),
      },
      coordinates: inDegrees(coordinates, options.crs),
      object: objectIn(properties, valueIn('model'), valueIn('object')),
      external: valueIn('external'),
    }
    const shown = { category: nameOf('category'), value: nameOf('value'), start: nameOf('start'), end: nameOf('end') }
    const fixed = {
      external: nameOf('external'),
      id: names.id ?? 'id',
      series: nameOf('series'),
      coordinates: coordinateNames,
      object: 'object',
    }
    const reader = { series, partial, readTime: isOwn(Object.keys(properties)) ? readOwn : readTime }
    return eventOf(raw, { ...shown, ...fixed }, reader)
  }
}

/** Returns true if the names show that the event list wrote the file. Then its numeric times are milliseconds. */
export const isOwn = (names: readonly string[]): boolean =>
  names.includes('timestamp_start') && names.includes('event_series') && names.includes('url')

/**
 * Converts a position to degrees. Returns a value that is not a position unchanged. Throws ValueError for a position
 * outside the reference system.
 */
export function inDegrees(position: unknown, crs: Crs | undefined): unknown {
  if (crs === undefined || !Array.isArray(position) || !position.slice(0, 2).every(Number.isFinite)) return position
  try {
    return [...crs.toDegrees(position.slice(0, 2)), ...position.slice(2)]
  } catch (error) {
    throw new ValueError(error instanceof Error ? error.message : String(error))
  }
}

/** Returns the id of a series that a file names by its uuid. Returns any other value unchanged. */
export const seriesIn = ({ seriesIds }: FeatureOptions, value: unknown): unknown => {
  const uuid = typeof value === 'string' ? FIELDS.event_series.uuid[1](value) : undefined
  return (uuid && seriesIds?.get(uuid)) ?? value
}

/** An empty text clears a field, like null. */
const clearedIn = (value: unknown): unknown => (value === '' ? null : value)

function positionOf(geometry: unknown): unknown {
  if (geometry === undefined || geometry === null) return geometry
  if (!isObject(geometry)) throw new ValueError('"geometry" is not an object: enter a Point, or null')
  if (geometry.type !== 'Point')
    throw new ValueError(`"geometry" is a ${String(geometry.type)}: enter a Point, or null`)
  return geometry.coordinates ?? {}
}

/** Reads an object that is `{type, id}`, as in the event list, or two properties. */
function objectIn({ object }: Record<string, unknown>, model: unknown, id: unknown): unknown {
  if (object === undefined || object === null) {
    const parts = objectOf(model, id)
    return parts === undefined ? object : parts
  }
  if (!isObject(object) || !('type' in object)) return object
  const { type, ...rest } = object
  return { model: type, ...rest }
}

/** Creates an object from its two parts. It is undefined without both parts, and null if both are empty. */
export const objectOf = (model: unknown, id: unknown): unknown =>
  (model ?? id ?? null) === null ? (model === undefined ? id : model) : { model: model ?? null, id: id ?? null }
