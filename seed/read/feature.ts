import { ValueError } from '../../src/errors.ts'
import { type EventRecord, isObject } from '../../src/write/records.ts'
import { eventOf, type NameOf, type Names, type RawEvent, USUAL } from './event.ts'

/** What is read of a feature: what its properties are called where it is said, and of which series it is, if it is said. */
export interface FeatureOptions {
  readonly names: Names
  readonly series: number | null
  /** The ids of the features are not taken. */
  readonly newIds: boolean
}

/** The event of a GeoJSON feature, as the event list writes it or with other properties. Throws ValueError. */
export function recordOfFeature(feature: unknown, { names, series, newIds }: FeatureOptions): EventRecord {
  if (!isObject(feature) || feature.type !== 'Feature')
    throw new ValueError('not a GeoJSON feature: put an object with "type": "Feature"')
  const properties = isObject(feature.properties) ? feature.properties : {}
  const nameOf = (field: NameOf): string =>
    names[field] ?? USUAL[field].find((name) => Object.hasOwn(properties, name)) ?? (USUAL[field][0] as string)
  const of = (field: NameOf): unknown => {
    const name = nameOf(field)
    if (names[field] !== null && !Object.hasOwn(properties, name))
      throw new ValueError(`the feature has no property "${name}": add it, or name another one`)
    return Object.hasOwn(properties, name) ? (properties[name] ?? null) : null
  }
  const raw: RawEvent = {
    id: newIds ? null : names.id === null ? (feature.id ?? null) : of('id'),
    series: of('series'),
    category: of('category'),
    value: of('value'),
    start: of('start'),
    end: of('end'),
    coordinates: positionOf(feature.geometry ?? null),
    object: objectOf(properties, of('model'), of('object')),
  }
  const called = { category: nameOf('category'), value: nameOf('value'), start: nameOf('start'), end: nameOf('end') }
  const fixed = { id: names.id ?? 'id', series: nameOf('series'), coordinates: 'coordinates', object: 'object' }
  return eventOf(raw, { ...called, ...fixed }, series)
}

function positionOf(geometry: unknown): unknown {
  if (geometry === null) return null
  if (!isObject(geometry)) throw new ValueError('"geometry" is no object: put a Point, or null')
  if (geometry.type !== 'Point') throw new ValueError(`"geometry" is a ${String(geometry.type)}: put a Point, or null`)
  return geometry.coordinates ?? {}
}

/** As the event list writes it, `{type, id}`, or as two properties. */
function objectOf({ object = null }: Record<string, unknown>, model: unknown, id: unknown): unknown {
  if (object === null) return model === null && id === null ? null : { model, id }
  if (!isObject(object) || !('type' in object)) return object
  const { type, ...rest } = object
  return { model: type, ...rest }
}
