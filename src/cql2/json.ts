import { orUndefined } from '../base/errors.ts'
import { readGeoJson } from '../geometry/geojson.ts'
import { exactOf } from '../question/range.ts'
import { boxOf, EXAMPLES, type Expression, endOf, fault, finite, geometryOf, OPERATIONS, spend } from './expression.ts'

/** Reads CQL2-JSON. `srid` is the reference system of its geometries. Throws ValueError with the place of the fault. */
export const readJson = (text: string, srid = 0): Expression => {
  const value = orUndefined((): unknown => JSON.parse(text))
  if (value === undefined) throw fault('the beginning', `this is not JSON. Enter an object such as ${EXAMPLES.json}`)
  return readAny({ expressions: 0, srid }, value, '$', 1)
}

/** The number of expressions that were read, and the reference system of geometries. */
type Reading = { expressions: number; readonly srid: number }

type Members = Readonly<Record<string, unknown>>

const readAny = (reading: Reading, value: unknown, at: string, depth: number): Expression => {
  spend(reading, depth, at)
  if (typeof value === 'string') return { kind: 'text', value, at }
  if (typeof value === 'number') return { kind: 'number', value: finite(value, at), exact: exactOf(String(value)), at }
  if (typeof value === 'boolean') return { kind: 'boolean', value, at }
  if (Array.isArray(value))
    return { kind: 'list', items: value.map((each, i) => readAny(reading, each, `${at}[${i}]`, depth + 1)), at }
  if (typeof value !== 'object' || value === null)
    throw fault(at, 'null is not a value. Enter {"op":"isNull","args":[...]}')
  return readObject(reading, value as Members, at, depth) // a JSON object
}

const readObject = (reading: Reading, members: Members, at: string, depth: number): Expression => {
  const { op, args, property, date, timestamp, interval, bbox, type } = members
  if (typeof op === 'string') return readOperation(reading, op, args, at, depth)
  if (typeof property === 'string') return { kind: 'property', name: property, at }
  if (typeof date === 'string') return { kind: 'instant', value: date, at }
  if (typeof timestamp === 'string') return { kind: 'instant', value: timestamp, at }
  if (Array.isArray(interval)) {
    if (interval.length !== 2) throw fault(at, 'an interval takes two ends. Enter both, with ".." for an open end')
    const ends = interval.map((end, i) => {
      const place = `${at}.interval[${i}]`
      return typeof end === 'string' ? endOf(end, place) : readAny(reading, end, place, depth + 1)
    })
    return { kind: 'operation', op: 'interval', args: ends, at }
  }
  if (Array.isArray(bbox) && bbox.every((each): each is number => typeof each === 'number')) {
    const sides = bbox.map((each) => finite(each, at))
    return boxOf(sides, reading.srid, at)
  }
  if (typeof type === 'string') return geometryOf(() => readGeoJson(JSON.stringify(members)), reading.srid, at)
  throw fault(
    at,
    'this is not an expression. Enter an object with op and args, property, date, timestamp, interval or bbox, or a GeoJSON geometry',
  )
}

const readOperation = (reading: Reading, name: string, operands: unknown, at: string, depth: number): Expression => {
  const arity = name === 'interval' ? undefined : OPERATIONS.get(name)
  if (arity === undefined) throw fault(`${at}.op`, `there is no operation ${JSON.stringify(name.slice(0, 24))}`)
  const [least, most] = arity
  if (!Array.isArray(operands) || operands.length < least || operands.length > most)
    throw fault(`${at}.args`, `${name} takes an array of ${least === most ? least : `${least} to ${most}`} values`)
  const args = operands.map((each, i) => readAny(reading, each, `${at}.args[${i}]`, depth + 1))
  const [only] = args
  // CQL2-text reads a minus and a number as a negative number, so CQL2-JSON does the same.
  if (name === '-' && args.length === 1 && only?.kind === 'number') return { ...only, value: -only.value }
  return { kind: 'operation', op: name, args, at }
}
