import { at } from '../../src/base/collections.ts'
import { ValueError } from '../../src/base/errors.ts'
import { LongNumber } from '../../src/base/json.ts'
import { NUMBER_FORM } from '../../src/formats/csv.ts'
import { isObject } from '../../src/model/kinds.ts'
import { oneLine } from '../load/error.ts'
import { attributeNamer, isAttribute, withAttributes } from './attributes.ts'
import type { EventOptions, Item } from './event.ts'
import { type FieldNames, isOwn, REASON, SHOWN, USUAL, usualOf } from './fields.ts'
import { dateAndTime, joinedOf, namesIn } from './joined.ts'
import { unlessMissing } from './missing.ts'
import { pointOf } from './place.ts'
import type { ColumnStatistics } from './statistics.ts'

/** The number of objects whose members are compared with the known names. */
const SAMPLE = 1000

/** The options that name members. */
type NamingOptions = Pick<EventOptions, 'names' | 'attributes' | 'times' | 'marks'>

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
    return { ...item, valueIn, place: { position: pointOf(feature.geometry) } }
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
const SPARSE: readonly string[] = ['x', 'y', 'z', 'place']
const TIMES: readonly string[] = ['start', 'end']

type Members = Readonly<Record<string, unknown>>

function memberReader(options: NamingOptions, statistics: ColumnStatistics, ignored: readonly string[]) {
  const { attributes, marks = new Set() } = options
  let names = options.names
  let objects = 0
  const attributeNames = attributeNamer(statistics.renamed)
  return (given: Members): Item => {
    const cleared = () => Object.entries(given).map(([name, each]) => [name, unlessMissing(marks, each, null)])
    const members: Members = marks.size === 0 ? given : Object.fromEntries(cleared())
    if (objects === 0) names = { ...names, ...startIn(members, options, statistics) }
    const nameOf = (field: string): string =>
      names[field] ?? usualOf(field).find((name) => Object.hasOwn(members, name)) ?? at(usualOf(field), 0)
    const partsOf = (field: string): readonly string[] => {
      const name = nameOf(field)
      return TIMES.includes(field) && !Object.hasOwn(members, name) ? namesIn(name) : [name]
    }
    // Only an option names the member of the whole place. A member such as geometry may be anything.
    const own = [...USUAL.keys()].filter((field) => field !== 'place' || names.place !== undefined)
    const fields = () => new Set([...own.flatMap(partsOf), ...ignored])
    const fieldIn = (field: string): unknown => {
      if (!own.includes(field)) return undefined
      const [name = '', ...more] = partsOf(field)
      if (more.length > 0)
        return joinedOf(
          [name, ...more].map((each) => members[each]),
          [name, ...more],
        )
      // An empty text clears a field, like null.
      if (Object.hasOwn(members, name)) return members[name] === '' ? null : members[name]
      if (SPARSE.includes(field)) return NUMBER_FORM.test(name) ? Number(name) : undefined
      if (names[field] === undefined) return undefined
      throw new ValueError(`the property "${name}" is missing: add it, or name another one`)
    }
    const valueIn = (field: string): unknown => {
      if (field !== 'attributes') return fieldIn(field)
      const known = fields()
      const others = Object.entries(members).filter(([other]) => isAttribute(attributes, other, known.has(other)))
      if (attributes === undefined && others.length === 0) return fieldIn(field)
      const own = attributeNames(others.map(([other]) => other))
      const named = others.map(([, value], i): [string, unknown] => [at(own, i), exactOf(value)])
      return withAttributes(members[nameOf(field)], named)
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

/** Returns the digits of a number that no double is near. Returns other values unchanged. */
const exactOf = (value: unknown): unknown =>
  value instanceof LongNumber && value.nearest === null ? value.digits : value

/** Finds a date and a time of day in the first object of a file, if no member is clearly the start. */
function startIn(members: Members, { names, times }: NamingOptions, statistics: ColumnStatistics): FieldNames {
  const own = Object.keys(members)
  const usual = usualOf('start').find((name) => Object.hasOwn(members, name))
  const pair = names.start === undefined ? dateAndTime(own, usual, (place) => [members[at(own, place)]], times) : null
  if (pair === null) return {}
  const start = pair.map((place) => own[place]).join('+')
  statistics.guesses.add(`The start is ${oneLine(start)}. --start names other columns`)
  return { start }
}
