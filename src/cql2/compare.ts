import { at as item } from '../base/collections.ts'
import { LOOKUPS } from '../filters/lookups.ts'
import {
  ALWAYS,
  allOf,
  anyOf,
  type Condition,
  type FieldRef,
  inRange,
  NEVER,
  type Operator,
  type TextTest,
} from '../question/condition.ts'
import { kindOf } from '../question/fields.ts'
import { isLikePattern, patternParts } from '../question/like.ts'
import { type Extent, keyOfDouble, unionOf } from '../question/range.ts'
import { EXAMPLES, type Expression, fault } from './expression.ts'
import {
  type BooleanValue,
  instantValue,
  type OrderedValue,
  propertyOf,
  type Queryables,
  type Span,
  scalarOf,
  type TextValue,
  type TypedValue,
  textValue,
  typedAs,
  type Value,
} from './values.ts'

/** Each operator, and the one for the same comparison with its sides swapped. */
const MIRRORED = { '<': '>', '>': '<', '<=': '>=', '>=': '<=', '=': '=', '<>': '<>' } as const
/** The lookups that mean the same as an operator. */
const LOOKUP_OF = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte', '=': 'exact' } as const

export const isComparison = (op: string): op is Operator => Object.hasOwn(MIRRORED, op)

/** Returns the condition for an operator and two expressions. `at` is their place in the filter, for messages. */
export const comparison = (names: Queryables, op: Operator, args: readonly Expression[], at: string): Condition =>
  compare(op, ...pair(names, item(args, 0), item(args, 1)), at)

/** Returns the condition for a comparison of two values. Throws ValueError if their types differ. */
export const compare = (op: Operator, left: Value, right: Value, at: string): Condition => {
  if (left.type === 'any' && right.type === 'any') {
    const types = op === '=' || op === '<>' ? (['number', 'text', 'boolean'] as const) : (['number', 'text'] as const)
    return { kind: 'known', of: types.map((type) => compare(op, typedAs(left, type), typedAs(right, type), at)) }
  }
  const [one, other] = alike(left, right)
  if (one.type === 'text' && other.type === 'text') return compareTexts(op, one, other)
  if (one.type === 'boolean' && other.type === 'boolean') return compareBooleans(op, one, other, at)
  if (isOrdered(one) && isOrdered(other) && one.type === other.type) return compareOrdered(op, one, other)
  throw fault(
    at,
    `${one.type} and ${other.type} cannot be compared. Enter a text in single quotes, a number without quotes, an instant as TIMESTAMP('2018-02-05T00:00:00Z')`,
  )
}

/** Returns two values that are not both attributes. An attribute has the type of the other value. */
const alike = (left: Value, right: Value): readonly [TypedValue, TypedValue] => {
  if (left.type !== 'any') return [left, typedAs(right, left.type)]
  if (right.type !== 'any') return [typedAs(left, right.type), right]
  throw new RangeError('Two attributes have no type.')
}

const isOrdered = (value: TypedValue): value is OrderedValue => value.type === 'number' || value.type === 'instant'

const compareBooleans = (op: Operator, left: BooleanValue, right: BooleanValue, at: string): Condition => {
  if (op !== '=' && op !== '<>') throw fault(at, 'TRUE and FALSE can be compared only by = and <>')
  const is = (value: boolean, { field, constant }: BooleanValue): Condition => {
    if (field === undefined) return value === constant ? ALWAYS : NEVER
    return { kind: 'equals', attribute: field.attribute, values: [value] }
  }
  const one = right.constant ?? left.constant ?? true
  const equal: Condition = { kind: 'same', one: is(one, left), other: is(one, right) }
  return op === '=' ? equal : { kind: 'not', of: equal }
}

/** Returns the condition for BETWEEN. The least and the greatest value are included. */
const between = (names: Queryables, args: readonly Expression[], at: string): Condition => {
  const [value, least, greatest] = [item(args, 0), item(args, 1), item(args, 2)]
  return allOf([comparison(names, '>=', [value, least], at), comparison(names, '<=', [value, greatest], at)])
}

/** The most characters of a text and its pattern that the Worker compares. It tries the pattern at each character. */
const MAX_COMPARED = 10_000

/** Returns the condition for LIKE. The pattern must be a constant. */
const isLike = (names: Queryables, args: readonly Expression[], at: string): Condition => {
  const [text, pattern] = [typedAs(scalarOf(names, item(args, 0)), 'text'), scalarOf(names, item(args, 1))]
  if (text.type !== 'text' || pattern.type !== 'text' || pattern.constant === undefined)
    throw fault(at, `LIKE takes a text and a pattern. Enter one such as ${EXAMPLES.like}`)
  if (text.constant !== undefined) {
    if (text.constant.length + pattern.constant.length > MAX_COMPARED)
      throw fault(at, `the texts have more than ${MAX_COMPARED} characters. Enter fewer`)
    return isLikePattern(text.constant, pattern.constant) ? ALWAYS : NEVER
  }
  const [test, wanted] = testOf(pattern.constant)
  return textTest(text, test, [wanted])
}

/** Returns the test of a pattern, and its text. A lookup of the lists is used if one means the same. */
const testOf = (pattern: string): readonly [TextTest, string] => {
  const parts = patternParts(pattern)
  if (parts.length > 3 || parts.some((part) => part.includes(null))) return ['like', pattern]
  const [first = '', second, third] = parts.map((part) => part.join(''))
  if (second === undefined) return ['is', first]
  if (third === undefined && second === '') return ['starts', first]
  if (third === undefined && first === '') return ['ends', second]
  return first === '' && third === '' ? ['has', second] : ['like', pattern]
}

/** Returns the condition that a property passes a test with one of some texts. */
const textTest = ({ field, fold = null }: TextValue, test: TextTest, texts: readonly string[]): Condition => {
  if (field === undefined) throw new RangeError('The text is not a property.')
  return { kind: 'text', field, fold, test, texts }
}

/** Returns the condition for IS NULL. */
const isNull = (names: Queryables, args: readonly Expression[], at: string): Condition => {
  const expression = item(args, 0)
  if (expression.kind !== 'property') throw fault(at, `IS NULL takes a property. Enter one such as ${EXAMPLES.isNull}`)
  const { field } = propertyOf(names, expression.name, expression.at)
  return { kind: 'missing', field: typeof field === 'object' ? { attribute: field.attribute } : field }
}

/** Returns the condition for IN. One condition has all constants of a type that are compared with a property. */
const isIn = (names: Queryables, args: readonly Expression[], at: string): Condition => {
  const [value, list] = [item(args, 0), item(args, 1)]
  if (list.kind !== 'list') throw fault(at, "IN takes a list. Enter one such as ('hurricane', 'tropical storm')")
  const pairs = list.items.map((each) => {
    const [left, right] = pair(names, value, each)
    return right.type === 'any' ? ([left, right] as const) : alike(left, right)
  })
  const isListed = ([left, right]: readonly [Value, Value]) =>
    left.type === right.type && 'field' in left && 'constant' in right
  const listed = Map.groupBy(pairs.filter(isListed), ([{ type }]) => type)
  const others = pairs.filter((each) => !isListed(each)).map(([left, right]) => compare('=', left, right, at))
  return anyOf([...Array.from(listed.values(), isAmong), ...others])
}

/** Returns the condition that a property is one of some constants of its type. */
const isAmong = (pairs: readonly (readonly [Value, Value])[]): Condition => {
  const [[value]] = [item(pairs, 0)]
  const constants = pairs.flatMap(([, right]) => (right.type === 'any' ? [] : [right]))
  if (value.type === 'text') {
    const texts = constants.flatMap((each) => (each.type === 'text' ? (each.constant ?? []) : []))
    return textTest(value, 'is', texts)
  }
  if (value.type === 'any' || value.field === undefined) throw new RangeError('The value is not a property.')
  if (value.type === 'boolean') {
    const values = constants.flatMap((each) => (each.type === 'boolean' ? (each.constant ?? []) : []))
    return { kind: 'equals', attribute: value.field.attribute, values }
  }
  const { field } = value
  const extents = constants.flatMap((each) =>
    isOrdered(each) && each.constant !== undefined ? [extentOf(field, '=', each.constant)] : [],
  )
  const bounded = extents.flatMap(([least, greatest]) =>
    least !== null && greatest !== null && least <= greatest ? [[least, greatest] as const] : [],
  )
  const within = { kind: 'range', field, extents: unionOf(bounded) } as const
  if (value.type !== 'number' || typeof field === 'string') return within
  const exact = constants.flatMap((each) => ('exact' in each ? [[each.exact ?? 0n, each.exact ?? 0n] as const] : []))
  return { ...within, exact: unionOf(exact) }
}

/** Returns two values to compare. A constant is read like the value beside it: as an instant, or in its stored form. */
const pair = (names: Queryables, a: Expression, b: Expression): readonly [Value, Value] => {
  const [left, right] = [scalarOf(names, a), scalarOf(names, b)]
  return [readLike(names, right, left, a), readLike(names, left, right, b)]
}

const readLike = (names: Queryables, other: Value, value: Value, expression: Expression): Value => {
  const { kind, at } = expression
  if (value.type !== 'text' || value.constant === undefined) return value
  if (other.type === 'instant' && kind === 'text') return instantValue(names, value.constant, at, true)
  return other.type === 'text' && other.canonical ? textValue(other.canonical(value.constant)) : value
}

const compareTexts = (op: Operator, left: TextValue, right: TextValue): Condition => {
  if (left.constant !== undefined && right.field !== undefined) return compareTexts(MIRRORED[op], right, left)
  if ((op === '=' || op === '<>') && left.field !== undefined && right.constant !== undefined) {
    const equal = textTest(left, 'is', [right.constant])
    return op === '=' ? equal : { kind: 'not', of: equal }
  }
  return { kind: 'compare', operator: op, left: left.operand, right: right.operand }
}

/** Tests if a comparison holds for two constants. A value before a day is before its first instant. */
export const holds = (op: Operator, left: Span, right: Span): boolean => {
  if (op === '<') return left[1] < right[0]
  if (op === '>') return left[0] > right[1]
  if (op === '<=') return left[1] <= right[1]
  if (op === '>=') return left[0] >= right[0]
  return (left[0] === right[0] && left[1] === right[1]) === (op === '=')
}

const compareOrdered = (op: Operator, left: OrderedValue, right: OrderedValue): Condition => {
  if (left.constant !== undefined && right.constant !== undefined)
    return holds(op, left.constant, right.constant) ? ALWAYS : NEVER
  if (op === '<>') return { kind: 'not', of: compareOrdered('=', left, right) }
  if (left.constant !== undefined && right.field !== undefined) return compareOrdered(MIRRORED[op], right, left)
  if (left.field !== undefined && right.constant !== undefined) {
    const { field } = left
    const within = inRange(field, extentOf(field, op, right.constant))
    if (right.exact === undefined || typeof field === 'string') return within
    const { range } = LOOKUPS[LOOKUP_OF[op]]
    return { ...within, exact: inRange(field, range(right.exact, right.exact)).extents }
  }
  if (left.operand === undefined || right.operand === undefined) throw new RangeError('An instant is only a constant.')
  return { kind: 'compare', operator: op, left: left.operand, right: right.operand }
}

/**
 * Returns the extent of the values of a field for which a comparison with a constant is true. It may be empty. Attributes
 * are doubles.
 */
const extentOf = (field: FieldRef, op: keyof typeof LOOKUP_OF, [first, last]: Span): Extent => {
  const { range } = LOOKUPS[LOOKUP_OF[op]]
  const isDouble = typeof field === 'object' ? field.as === undefined : kindOf(field) === 'number'
  if (isDouble) return range(keyOfDouble(Number(first)), keyOfDouble(Number(last)))
  return range(integral(first, Math.ceil), integral(last, Math.floor))
}

/** Rounds a number. A fraction has a first value above its last, so that no integer equals it. */
const integral = (value: number | bigint, round: (value: number) => number): bigint =>
  typeof value === 'bigint' ? value : BigInt(round(value))

/** The conditions of other operations on values, by their names in CQL2-JSON. `at` is their place, for messages. */
export const TESTS = new Map([
  ['between', between],
  ['in', isIn],
  ['like', isLike],
  ['isNull', isNull],
])
