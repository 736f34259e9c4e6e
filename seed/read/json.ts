import { at } from '../../src/collections.ts'
import { ValueError } from '../../src/errors.ts'
import { isObject } from '../../src/model/kinds.ts'
import { attributeNamer, isAttribute, withAttributes } from './attributes.ts'
import { type EventOptions, type Item, isOwn, REASON, SHOWN, USUAL, usualOf } from './event.ts'
import type { ColumnStatistics } from './statistics.ts'

/** The number of objects whose members are compared with the known names. */
const SAMPLE = 1000

/** The options that name members. */
type NamingOptions = Pick<EventOptions, 'names' | 'attributes'>

/** Reads GeoJSON features. The features come from the event list, or have other properties. */
export function featureItems(options: NamingOptions, statistics: ColumnStatistics): (value: unknown) => Item {
  const { names } = options
  const read = memberReader(options, statistics, ['object', ...SHOWN])
  return (feature) => {
    if (!isObject(feature) || feature.type !== 'Feature')
      throw new ValueError('not a GeoJSON feature: enter an object with "type": "Feature"')
    const properties = isObject(feature.properties) ? feature.properties : {}
    const item = read(properties)
    const valueIn: Item['valueIn'] = (field) => {
      // The id of the feature is its id here, or at its source.
      const isId = field === 'id' && names.id === undefined
      const isKey = field === 'external_id' && names.external_id === 'id' && !Object.hasOwn(properties, 'id')
      return isId || isKey ? feature.id : item.valueIn(field)
    }
    return { ...item, valueIn, place: { position: positionOf(feature.geometry) } }
  }
}

/** Reads plain objects. Each member is a field, like a column of a table. */
export function objectItems(options: NamingOptions, statistics: ColumnStatistics): (value: unknown) => Item {
  const read = memberReader(options, statistics, ['object', REASON])
  return (object) => {
    if (!isObject(object))
      throw new ValueError('not a JSON object: enter one, such as {"time": "2018-02-06", "lon": 5}')
    return read(object)
  }
}

/** Objects of one file may lack a position. */
const SPARSE: readonly string[] = ['x', 'y', 'z']

function memberReader({ names, attributes }: NamingOptions, statistics: ColumnStatistics, ignored: readonly string[]) {
  let objects = 0
  const attributeNames = attributeNamer(statistics.renamed)
  return (members: Readonly<Record<string, unknown>>): Item => {
    const nameOf = (field: string): string =>
      names[field] ?? usualOf(field).find((name) => Object.hasOwn(members, name)) ?? at(usualOf(field), 0)
    const fields = () => new Set([...[...USUAL.keys()].map(nameOf), ...ignored])
    const valueIn = (field: string): unknown => {
      const name = nameOf(field)
      if (field === 'attributes' && attributes !== undefined) {
        const known = fields()
        const others = Object.entries(members).filter(([other]) => isAttribute(attributes, other, known.has(other)))
        const given = attributeNames(others.map(([other]) => other))
        const named = others.map(([, value], i): [string, unknown] => [given[i] ?? '', value])
        return withAttributes(members[name], named)
      }
      // An empty text clears a field, like null.
      if (Object.hasOwn(members, name)) return members[name] === '' ? null : members[name]
      if (names[field] === undefined || SPARSE.includes(field)) return undefined
      throw new ValueError(`the property "${name}" is missing: add it, or name another one`)
    }
    if (objects++ < SAMPLE) {
      const known = fields()
      for (const name of Object.keys(members))
        if (!known.has(name) && !isAttribute(attributes, name, false)) statistics.unread.add(name)
    }
    const object = Object.hasOwn(members, 'object') ? { object: { reference: members.object } } : {}
    return { nameOf, valueIn, isOwn: isOwn(Object.keys(members)), ...object }
  }
}

function positionOf(geometry: unknown): unknown {
  if (geometry === undefined || geometry === null) return geometry
  if (!isObject(geometry)) throw new ValueError('"geometry" is not an object: enter a Point, or null')
  if (geometry.type !== 'Point')
    throw new ValueError(`"geometry" is a ${String(geometry.type)}: enter a Point, or null`)
  return geometry.coordinates ?? {}
}
