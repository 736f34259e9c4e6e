import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import type { Dictionary } from '../filters/filter.ts'
import { codePointOf } from '../filters/fold.ts'
import { LOOKUPS } from '../filters/lookups.ts'
import { type ColumnRange, integer } from '../filters/sql.ts'
import { EXAMPLES } from './examples.ts'
import { type Expression, fault } from './expression.ts'
import { like } from './like.ts'
import { and, constant, not, ofEntry, ofExtent, type Predicate, plain } from './predicate.ts'
import {
  type InstantValue,
  instantOfText,
  type NumberValue,
  propertyOf,
  type Queryables,
  scalarOf,
  type TextValue,
  type Value,
} from './values.ts'

/** Each operator, and the one for the same comparison with its sides swapped. */
const MIRRORED = { '<': '>', '>': '<', '<=': '>=', '>=': '<=', '=': '=', '<>': '<>' } as const

/** An operator that compares two values. */
export type Comparison = keyof typeof MIRRORED

export const isComparison = (op: string): op is Comparison => Object.hasOwn(MIRRORED, op)

/**
 * Returns the predicate for `=`, `<>`, `<`, `>`, `<=` or `>=` of two expressions. `at` is their place in the filter,
 * for messages.
 */
export const comparison = (names: Queryables, op: Comparison, args: readonly Expression[], at: string): Predicate => {
  const [left, right] = pair(names, args, at)
  return compare(op, left, right, at)
}

/** Returns the predicate for a comparison of two values. Throws ValueError if their types differ. */
export const compare = (op: Comparison, left: Value, right: Value, at: string): Predicate => {
  if (left.type === 'text' && right.type === 'text') return compareTexts(op, left, right, at)
  if (left.type === 'number' && right.type === 'number') return compareNumbers(op, left, right)
  if (left.type === 'instant' && right.type === 'instant') return compareInstants(op, left, right)
  throw fault(
    at,
    `${left.type} and ${right.type} cannot be compared. Enter a text in single quotes, a number without quotes, an instant as TIMESTAMP('2018-02-05T00:00:00Z')`,
  )
}

/** Returns the predicate for BETWEEN. The least and the greatest value are included. */
export const between = (names: Queryables, [value, least, greatest]: readonly Expression[], at: string): Predicate => {
  if (value === undefined || least === undefined || greatest === undefined)
    throw fault(at, `BETWEEN takes two values. Enter some such as ${EXAMPLES.between}`)
  return and([comparison(names, '>=', [value, least], at), comparison(names, '<=', [value, greatest], at)])
}

/** Returns the predicate for LIKE. The pattern must be a constant. */
export const isLike = (names: Queryables, args: readonly Expression[], at: string): Predicate => {
  const [text, pattern] = pair(names, args, at)
  if (text.type !== 'text' || pattern.type !== 'text' || pattern.constant === undefined)
    throw fault(at, `LIKE takes a text and a pattern. Enter one such as ${EXAMPLES.like}`)
  const { constant } = pattern
  return overTexts([text], ([column]) => like(column as SQLWrapper, constant, at), [constant], {
    exact: constant.includes('_'),
  })
}

/** Returns the predicate for IS NULL. */
export const isNull = (names: Queryables, [expression]: readonly Expression[], at: string): Predicate => {
  if (expression?.kind !== 'property') throw fault(at, `IS NULL takes a property. Enter one such as ${EXAMPLES.isNull}`)
  const property = propertyOf(names, expression.name, expression.at)
  const column =
    property.kind === 'place'
      ? property.x
      : property.kind === 'text'
        ? (property.dictionary?.key ?? property.column)
        : property.column
  return plain(sql`${column} IS NULL`)
}

/** Returns two values to compare. A text beside an instant is read as an instant. */
export const pair = (names: Queryables, [a, b]: readonly Expression[], at: string): [Value, Value] => {
  if (a === undefined || b === undefined) throw fault(at, 'a comparison takes two values')
  const [left, right] = [scalarOf(names, a), scalarOf(names, b)]
  if (left.type === 'instant' && b.kind === 'text') return [left, instantOfText(b.value, b.at)]
  if (right.type === 'instant' && a.kind === 'text') return [instantOfText(a.value, a.at), right]
  return [left, right]
}

const compareTexts = (op: Comparison, left: TextValue, right: TextValue, at: string): Predicate => {
  const constants = [left, right].flatMap(({ constant }) => (constant === undefined ? [] : [constant]))
  const [a, b] = constants
  if (a !== undefined && b !== undefined) return constant(holds(op, orderOf(a, b)))
  const isFolded = left.foldedFor !== undefined || right.foldedFor !== undefined
  if (isFolded && (constants.length === 0 || (op !== '=' && op !== '<>')))
    throw fault(
      at,
      `CASEI of this property can be compared only with texts, by =, <>, IN and LIKE. Enter a text, or CASEI of ${EXAMPLES.foldable}`,
    )
  const canonical = left.canonical ?? right.canonical
  const written = [left, right].map((value) =>
    value.constant !== undefined && canonical !== undefined
      ? { ...value, sql: sql`${canonical(value.constant)}` }
      : value,
  )
  return overTexts(written, ([a, b]) => sql`${a} ${sql.raw(op)} ${b}`, constants, {
    namesFewRows: op === '=' && constants.length > 0,
  })
}

/**
 * Returns a predicate over texts. If all columns belong to one dictionary, the database tests each entry once, instead
 * of each row.
 * `constants` are the texts that the columns are compared with. `namesFewRows`: one entry or a few can match. `exact`: the
 * comparison depends on the length of the text.
 */
export const overTexts = (
  values: readonly TextValue[],
  sqlFor: (columns: readonly SQLWrapper[]) => SQL,
  constants: readonly string[],
  { namesFewRows = false, exact = false } = {},
): Predicate => {
  const folding = values.find(({ foldedFor }) => foldedFor !== undefined)
  if (folding?.foldedFor !== undefined)
    return plain(
      folding.foldedFor(constants, exact, (folded) =>
        sqlFor(values.map((value) => (value === folding ? folded : value.sql))),
      ),
    )
  const variables = values.filter(({ constant }) => constant === undefined)
  const keys = new Set(variables.map(({ dictionary }) => dictionary?.key))
  const [first] = variables
  if (first?.dictionary !== undefined && keys.size === 1)
    return ofEntry({ dictionary: first.dictionary, match: sqlFor(values.map(({ sql }) => sql)), namesFewRows })
  return plain(
    sqlFor(values.map((value) => (value.dictionary === undefined ? value.sql : ofRow(value.dictionary, value.sql)))),
  )
}

const ofRow = ({ key, id, table }: Dictionary, column: SQLWrapper): SQL =>
  sql`(SELECT ${column} FROM ${table} WHERE ${id} = ${key})`

/** Compares two texts by code points, as SQLite does. The result is negative if the first is less. */
const orderOf = (a: string, b: string): number => {
  const [first, second] = [[...a], [...b]]
  const place = first.findIndex((character, i) => character !== second[i])
  if (place < 0 || place >= second.length) return first.length - second.length
  return codePointOf(at(first, place)) - codePointOf(at(second, place))
}

/** Tests if a comparison holds for two values with this order: negative, 0 or positive. */
const holds = (op: Comparison, order: number): boolean => {
  if (op === '<') return order < 0
  if (op === '>') return order > 0
  if (op === '<=') return order <= 0
  if (op === '>=') return order >= 0
  return (order === 0) === (op === '=')
}

const compareNumbers = (op: Comparison, left: NumberValue, right: NumberValue): Predicate => {
  if (left.constant !== undefined && right.constant !== undefined)
    return constant(holds(op, Math.sign(left.constant - right.constant)))
  if (op === '<>') return not(compareNumbers('=', left, right))
  if (left.column !== undefined && right.constant !== undefined)
    return ofExtent(left.column, extentOf(op, right.constant))
  if (right.column !== undefined && left.constant !== undefined)
    return ofExtent(right.column, extentOf(MIRRORED[op], left.constant))
  return plain(sql`${left.sql} ${sql.raw(op)} ${right.sql}`)
}

/** Returns the range of integers for which the comparison with a number is true. It is empty for `=` and a fraction. */
const extentOf = (op: Comparison, value: number): ColumnRange => {
  const [floor, ceiling] = [BigInt(Math.floor(value)), BigInt(Math.ceil(value))]
  if (op === '<') return [null, ceiling - 1n]
  if (op === '<=') return [null, floor]
  if (op === '>') return [floor + 1n, null]
  return op === '>=' ? [ceiling, null] : [ceiling, floor]
}

/** The lookups that mean the same as an operator. */
const LOOKUP_NAMES = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte', '=': 'exact' } as const

const compareInstants = (op: Comparison, left: InstantValue, right: InstantValue): Predicate => {
  if (left.column === undefined && right.column === undefined) return constant(isSo(op, left, right))
  if (left.column === undefined) return compareInstants(MIRRORED[op], right, left)
  if (right.column !== undefined) {
    const scale = left.unit > right.unit ? right.unit : left.unit
    const scaled = ({ column, unit }: InstantValue) =>
      unit === scale ? column : sql`${column} * ${integer(unit / scale)}`
    return plain(sql`${scaled(left)} ${sql.raw(op)} ${scaled(right)}`)
  }
  if (op === '<>') return not(compareInstants('=', left, right))
  return ofExtent(left.column, extentOfInstant(op, left, right))
}

/**
 * Returns the range of column values for which the comparison with an instant or a day is true. A value before a day is
 * before its first instant, a value after it is after its last.
 */
export const extentOfInstant = (
  op: keyof typeof LOOKUP_NAMES,
  { unit }: InstantValue,
  { first, last }: InstantValue,
): ColumnRange => LOOKUPS[LOOKUP_NAMES[op]].rangeOf(first, last, unit)

const isSo = (op: Comparison, left: InstantValue, right: InstantValue): boolean => {
  if (op === '<') return left.last < right.first
  if (op === '>') return left.first > right.last
  if (op === '<=') return left.last <= right.last
  if (op === '>=') return left.first >= right.first
  const same = left.first === right.first && left.last === right.last
  return op === '=' ? same : !same
}
