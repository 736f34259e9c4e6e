import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at as item } from '../collections.ts'
import { inRange, oneOf } from '../engine/d1/condition.ts'
import { type ColumnRange, integer, OPERATORS } from '../engine/d1/sql.ts'
import { inUnit } from '../engine/d1/write.ts'
import { LOOKUPS } from '../filters/lookups.ts'
import { EXAMPLES, type Expression, fault } from './expression.ts'
import { like } from './like.ts'
import { and, FALSE, not, ofEntry, or, type Predicate, plain, TRUE } from './predicate.ts'
import {
  instantValue,
  type OrderedValue,
  propertyOf,
  type Queryables,
  type Span,
  scalarOf,
  type TextValue,
  textValue,
  type Value,
} from './values.ts'

/** Each operator, and the one for the same comparison with its sides swapped. */
const MIRRORED = { '<': '>', '>': '<', '<=': '>=', '>=': '<=', '=': '=', '<>': '<>' } as const
/** The lookups that mean the same as an operator. */
const LOOKUP_OF = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte', '=': 'exact' } as const

/** An operator that compares two values. */
export type Comparison = keyof typeof MIRRORED

export const isComparison = (op: string): op is Comparison => Object.hasOwn(MIRRORED, op)

/** Returns the predicate for an operator and two expressions. `at` is their place in the filter, for messages. */
export const comparison = (names: Queryables, op: Comparison, args: readonly Expression[], at: string): Predicate =>
  compare(op, ...pair(names, item(args, 0), item(args, 1)), at)

/** Returns the predicate for a comparison of two values. Throws ValueError if their types differ. */
export const compare = (op: Comparison, left: Value, right: Value, at: string): Predicate => {
  if (left.type === 'text' && right.type === 'text') return compareTexts(op, left, right, at)
  if (left.type !== 'text' && right.type === left.type) return compareOrdered(op, left, right)
  throw fault(
    at,
    `${left.type} and ${right.type} cannot be compared. Enter a text in single quotes, a number without quotes, an instant as TIMESTAMP('2018-02-05T00:00:00Z')`,
  )
}

/** Returns the predicate for BETWEEN. The least and the greatest value are included. */
const between = (names: Queryables, args: readonly Expression[], at: string): Predicate => {
  const [value, least, greatest] = [item(args, 0), item(args, 1), item(args, 2)]
  return and([comparison(names, '>=', [value, least], at), comparison(names, '<=', [value, greatest], at)])
}

/** Returns the predicate for LIKE. The pattern must be a constant. */
const isLike = (names: Queryables, args: readonly Expression[], at: string): Predicate => {
  const [text, pattern] = [scalarOf(names, item(args, 0)), scalarOf(names, item(args, 1))]
  if (text.type !== 'text' || pattern.type !== 'text' || pattern.constant === undefined)
    throw fault(at, `LIKE takes a text and a pattern. Enter one such as ${EXAMPLES.like}`)
  const { constant } = pattern
  return overTexts([text], [constant], (columns) => like(item(columns, 0), constant, at), {
    exact: constant.includes('_'),
  })
}

/** Returns the predicate for IS NULL. */
const isNull = (names: Queryables, args: readonly Expression[], at: string): Predicate => {
  const expression = item(args, 0)
  if (expression.kind !== 'property') throw fault(at, `IS NULL takes a property. Enter one such as ${EXAMPLES.isNull}`)
  const property = propertyOf(names, expression.name, expression.at)
  if (property.kind === 'place') return plain(sql`${property.x} IS NULL`)
  const key = property.kind === 'text' ? property.dictionary?.key : undefined
  return plain(sql`${key ?? property.column} IS NULL`)
}

/** Returns the predicate for IN. The constants become one JSON list, which is one parameter. */
const isIn = (names: Queryables, args: readonly Expression[], at: string): Predicate => {
  const [value, list] = [item(args, 0), item(args, 1)]
  if (list.kind !== 'list') throw fault(at, "IN takes a list. Enter one such as ('hurricane', 'tropical storm')")
  const pairs = list.items.map((each) => pair(names, value, each))
  const isConstant = ([left, right]: readonly [Value, Value]) =>
    left.type === right.type && left.constant === undefined && right.constant !== undefined
  const listed = pairs.filter(isConstant)
  const others = pairs.filter((each) => !isConstant(each)).map(([left, right]) => compare('=', left, right, at))
  if (listed.length === 0) return or(others)
  return or([
    isAmong(
      item(listed, 0)[0],
      listed.map(([, right]) => right),
    ),
    ...others,
  ])
}

const isAmong = (value: Value, constants: readonly Value[]): Predicate => {
  if (value.type === 'text') {
    const texts = constants.flatMap((each) => (each.type === 'text' ? (each.constant ?? []) : []))
    const list = sql`(SELECT value FROM json_each(${JSON.stringify(texts)}))`
    return overTexts([value], texts, ([column]) => sql`${column} IN ${list}`)
  }
  const { column, unit } = value
  const spans = constants.flatMap((each) =>
    each.type === 'text' || each.constant === undefined ? [] : [each.constant],
  )
  if (column === undefined)
    return plain(sql`${value.sql} IN (SELECT value FROM json_each(${JSON.stringify(spans.map(([number]) => number))}))`)
  const ranges = spans.map((span) => inRange(column, rangeOf('=', span, unit))).flatMap(({ extents }) => extents)
  const values = ranges.flatMap(([least, greatest]) => (least !== null && least === greatest ? [least] : []))
  const days = ranges.filter(([least, greatest]) => least !== greatest)
  const listed = values.length > 0 || days.length === 0 ? [oneOf(column, values)] : []
  return or([...listed, ...days.map((day) => inRange(column, day))])
}

/** Returns two values to compare. A text is read like the value beside it: as an instant, or in its stored form. */
const pair = (names: Queryables, a: Expression, b: Expression): readonly [Value, Value] => {
  const [left, right] = [scalarOf(names, a), scalarOf(names, b)]
  return [readLike(right, left, a), readLike(left, right, b)]
}

const readLike = (other: Value, value: Value, { kind, at }: Expression): Value => {
  if (value.type !== 'text' || value.constant === undefined) return value
  if (other.type === 'instant' && kind === 'text') return instantValue(value.constant, at, true)
  return other.type === 'text' && other.canonical ? textValue(other.canonical(value.constant)) : value
}

const compareTexts = (op: Comparison, left: TextValue, right: TextValue, at: string): Predicate => {
  const constants = [left, right].flatMap(({ constant }) => constant ?? [])
  const isFolded = left.foldedFor !== undefined || right.foldedFor !== undefined
  if (isFolded && (constants.length === 0 || (op !== '=' && op !== '<>')))
    throw fault(
      at,
      `CASEI of this property can be compared only with texts, by =, <>, IN and LIKE. Enter a text, or CASEI of ${EXAMPLES.foldable}`,
    )
  const few = op === '=' && constants.length > 0
  return overTexts([left, right], constants, ([a, b]) => sql`${a} ${OPERATORS[op]} ${b}`, { few })
}

/**
 * Returns a predicate over texts. If all columns belong to one dictionary, the database tests each entry once, instead
 * of each row. `constants` are the texts that the columns are compared with. `few`: few entries meet it. `exact`: it
 * depends on the length of the text.
 */
const overTexts = (
  values: readonly TextValue[],
  constants: readonly string[],
  sqlFor: (columns: readonly SQLWrapper[]) => SQL,
  { few = false, exact = false } = {},
): Predicate => {
  const folding = values.find(({ foldedFor }) => foldedFor !== undefined)
  if (folding?.foldedFor !== undefined) {
    const among = (folded: SQL) => values.map((value) => (value === folding ? folded : value.sql))
    return plain(folding.foldedFor(constants, exact, (folded) => sqlFor(among(folded))))
  }
  const variables = values.filter(({ constant }) => constant === undefined)
  const [dictionary, ...others] = new Map(variables.map(({ dictionary }) => [dictionary?.key, dictionary])).values()
  if (dictionary !== undefined && others.length === 0)
    return ofEntry(dictionary, sqlFor(values.map(({ sql }) => sql)), few)
  return plain(sqlFor(values.map(ofRow)))
}

const ofRow = ({ sql: column, dictionary }: TextValue): SQLWrapper =>
  dictionary === undefined
    ? column
    : sql`(SELECT ${column} FROM ${dictionary.table} WHERE ${dictionary.id} = ${dictionary.key})`

/** Tests if a comparison holds for two constants. A value before a day is before its first instant. */
export const holds = (op: Comparison, left: Span, right: Span): boolean => {
  if (op === '<') return left[1] < right[0]
  if (op === '>') return left[0] > right[1]
  if (op === '<=') return left[1] <= right[1]
  if (op === '>=') return left[0] >= right[0]
  return (left[0] === right[0] && left[1] === right[1]) === (op === '=')
}

const compareOrdered = (op: Comparison, left: OrderedValue, right: OrderedValue): Predicate => {
  if (left.constant !== undefined && right.constant !== undefined)
    return holds(op, left.constant, right.constant) ? TRUE : FALSE
  if (op === '<>') return not(compareOrdered('=', left, right))
  if (left.constant !== undefined && right.column !== undefined) return compareOrdered(MIRRORED[op], right, left)
  if (left.column !== undefined && right.constant !== undefined)
    return inRange(left.column, rangeOf(op, right.constant, left.unit))
  const scale = left.unit > right.unit ? right.unit : left.unit
  const scaled = ({ sql: text, unit }: OrderedValue) =>
    unit === scale ? text : sql`${text} * ${integer(unit / scale)}`
  return plain(sql`${scaled(left)} ${OPERATORS[op]} ${scaled(right)}`)
}

/** Returns the range of column values for which a comparison with a constant is true. It may be empty. */
const rangeOf = (op: keyof typeof LOOKUP_OF, [first, last]: Span, unit: bigint): ColumnRange => {
  const extent = LOOKUPS[LOOKUP_OF[op]].range(integral(first, Math.ceil), integral(last, Math.floor))
  return inUnit(extent, unit)[0] ?? [1n, 0n]
}

/** Rounds a number. A fraction has a first value above its last, so that no integer equals it. */
const integral = (value: number | bigint, round: (value: number) => number): bigint =>
  typeof value === 'bigint' ? value : BigInt(round(value))

/** The predicates of other operations on values, by their names in CQL2-JSON. `at` is their place, for messages. */
export const TESTS = new Map([
  ['between', between],
  ['in', isIn],
  ['like', isLike],
  ['isNull', isNull],
])
