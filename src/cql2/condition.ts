import { at as item } from '../base/collections.ts'
import { type Geometry, geometriesOf, type Position } from '../geometry/geometry.ts'
import {
  ALWAYS,
  type Area,
  allOf,
  anyOf,
  type Condition,
  leavesOf,
  NEVER,
  type Operator,
} from '../question/condition.ts'
import { patternParts } from '../question/like.ts'
import { compare, comparison, holds, isComparison, TESTS } from './compare.ts'
import { EXAMPLES, type Expression, fault } from './expression.ts'
import {
  asBoolean,
  instantValue,
  isTrue,
  type OrderedValue,
  propertyOf,
  type Queryables,
  scalarOf,
  typedAs,
} from './values.ts'

/** The most texts between the % signs of all patterns in a filter. 400 of them took 10 s for 4,000 long texts. */
const MAX_TEXTS = 20

/** Returns all texts in an expression, and if each belongs to a pattern. */
const textsIn = (expression: Expression, isPattern = false): readonly { value: string; isPattern: boolean }[] => {
  if (expression.kind === 'text') return [{ value: expression.value, isPattern }]
  if (expression.kind === 'list') return expression.items.flatMap((each) => textsIn(each))
  if (expression.kind !== 'operation') return []
  return expression.args.flatMap((each, i) => textsIn(each, isPattern || (expression.op === 'like' && i > 0)))
}

/** The most characters of all texts in a filter. A posted filter could have millions. */
const MAX_CHARACTERS = 100_000

/** Returns the condition for the rows for which a filter is true. Throws ValueError with the place of the fault. */
export const conditionOf = (filter: Expression, names: Queryables): Condition => {
  const texts = textsIn(filter)
  if (texts.reduce((sum, { value }) => sum + value.length, 0) > MAX_CHARACTERS)
    throw fault(filter.at, `the texts have more than ${MAX_CHARACTERS} characters. Enter fewer`)
  const parts = texts.flatMap(({ value, isPattern }) => (isPattern ? patternParts(value) : []))
  if (parts.filter(({ length }) => length > 0).length > MAX_TEXTS)
    throw fault(
      filter.at,
      `the patterns of LIKE have more than ${MAX_TEXTS} texts between their % signs. Enter fewer of them`,
    )
  return read(names, filter)
}

const read = (names: Queryables, expression: Expression): Condition => {
  const { kind, at } = expression
  if (kind === 'boolean') return expression.value ? ALWAYS : NEVER
  const asked = isTrue(names, expression)
  if (asked !== null) return asked
  if (kind !== 'operation') throw fault(at, `expected a condition. Enter one such as ${EXAMPLES.comparison}`)
  const { op, args } = expression
  const parts = () => args.map((each) => read(names, each))
  if (op === 'and') return allOf(parts())
  if (op === 'or') return anyOf(parts())
  if (op === 'not') return { kind: 'not', of: read(names, item(args, 0)) }
  const condition = leafOf(names, op, args, at)
  for (const part of leavesOf(condition)) if (!names.places.has(part)) names.places.set(part, at)
  return condition
}

const leafOf = (names: Queryables, op: string, args: readonly Expression[], at: string): Condition => {
  const test = TESTS.get(op)
  if (test !== undefined) return test(names, args, at)
  if (op.startsWith('s_')) return spatial(names, op, args, at)
  if (op.startsWith('t_')) return temporal(names, op, args, at)
  if (!isComparison(op))
    throw fault(at, `${op} returns a value, not a condition. Compare the value, such as ${op} ... > 1`)
  const [left, right] = [item(args, 0), item(args, 1)]
  const sides = [asBoolean(names, left, right), asBoolean(names, right, left)]
  if (!sides.some(isCondition)) return comparison(names, op, sides, at)
  if (op !== '=' && op !== '<>') throw fault(at, 'conditions can be compared only by = and <>')
  const same: Condition = { kind: 'same', one: read(names, item(sides, 0)), other: read(names, item(sides, 1)) }
  return op === '=' ? same : { kind: 'not', of: same }
}

const isCondition = (expression: Expression): boolean =>
  expression.kind === 'operation' && /^([<>=]|and$|or$|not$|like$|in$|between$|isNull$|[st]_)/.test(expression.op)

type Shape = Extract<Expression, { kind: 'geometry' | 'bbox' }>

/** The converse of a function, if the property is its second argument. All other functions are symmetric. */
const CONVERSE: Readonly<Record<string, string>> = { s_within: 's_contains', s_contains: 's_within' }

/**
 * Returns the condition for a spatial function of a geometry and a row's place, which is a point. It is planar in
 * longitude and latitude, and exact at every double. A point on the boundary of a geometry intersects it and touches
 * it, but is not within it.
 */
export const spatial = (names: Queryables, op: string, [a, b]: readonly Expression[], at: string): Condition => {
  if (a?.kind === 'property' && isShape(b)) return ofPlace(names, a, op, b)
  if (b?.kind === 'property' && isShape(a)) return ofPlace(names, b, CONVERSE[op] ?? op, a)
  throw fault(
    at,
    `${op.toUpperCase()} takes a property and a geometry. Enter ${op.toUpperCase()}(geom, BBOX(4, 51, 6, 53))`,
  )
}

const isShape = (expression: Expression | undefined): expression is Shape =>
  expression?.kind === 'geometry' || expression?.kind === 'bbox'

type Named = Extract<Expression, { kind: 'property' }>

const ofPlace = (names: Queryables, { name, at }: Named, op: string, shape: Shape): Condition => {
  if (propertyOf(names, name, at).field !== 'place') throw fault(at, `${name} is not a geometry`)
  if (op === 's_disjoint') return { kind: 'not', of: inArea(areaOf(shape, true)) }
  return inArea(relation(op, shape))
}

const inArea = (area: Area): Condition => ({ kind: 'area', of: 'point', area })

/** Returns the area of the points that have a relation with a shape. */
const relation = (op: string, shape: Shape): Area => {
  const isPoint = shape.kind === 'geometry' && shape.geometry.type === 'Point'
  if (op === 's_intersects') return areaOf(shape, true)
  if (op === 's_within') return areaOf(shape, isPoint)
  if (op === 's_touches') return { all: [areaOf(shape, true), { outside: areaOf(shape, false) }] }
  // A point contains only itself. It cannot cross or overlap a geometry.
  const [only, ...others] = shape.kind === 'bbox' ? [] : positionsOf(shape.geometry)
  const isOther = ([x, y]: Position) => x !== only?.[0] || y !== only?.[1]
  if (op === 's_crosses' || op === 's_overlaps' || only === undefined || others.some(isOther)) return { nowhere: true }
  return { within: { type: 'Point', coordinates: only }, closed: true }
}

const areaOf = (shape: Shape, closed: boolean): Area =>
  shape.kind === 'bbox' ? { box: shape.bounds, closed } : { within: shape.geometry, closed }

const positionsOf = (geometry: Geometry): Position[] => {
  const { points, lines, polygons } = geometriesOf(geometry)
  return [...points, ...lines.flat(), ...polygons.flat(2)].filter(({ length }) => length > 0)
}

/** An end of an interval. An open start is -1 and an open end is 1. Every instant is between them. */
type End = OrderedValue | -1 | 1

/** An interval between two instants, both included. */
interface Interval {
  readonly from: End
  readonly to: End
}

type EndTest = (op: Operator, a: End, b: End) => Condition

/**
 * The relations between two intervals (Allen's interval algebra). An instant is an interval of length 0, and a date is
 * the interval of its day.
 */
const RELATIONS = new Map<string, (test: EndTest, a: Interval, b: Interval) => Condition>([
  ['t_after', (test, a, b) => test('>', a.from, b.to)],
  ['t_before', (test, a, b) => test('<', a.to, b.from)],
  ['t_contains', (test, a, b) => allOf([test('<', a.from, b.from), test('>', a.to, b.to)])],
  ['t_disjoint', (test, a, b) => anyOf([test('<', a.to, b.from), test('>', a.from, b.to)])],
  ['t_during', (test, a, b) => allOf([test('>', a.from, b.from), test('<', a.to, b.to)])],
  ['t_equals', (test, a, b) => allOf([test('=', a.from, b.from), test('=', a.to, b.to)])],
  ['t_finishedBy', (test, a, b) => allOf([test('<', a.from, b.from), test('=', a.to, b.to)])],
  ['t_finishes', (test, a, b) => allOf([test('>', a.from, b.from), test('=', a.to, b.to)])],
  ['t_intersects', (test, a, b) => allOf([test('<=', a.from, b.to), test('>=', a.to, b.from)])],
  ['t_meets', (test, a, b) => test('=', a.to, b.from)],
  ['t_metBy', (test, a, b) => test('=', a.from, b.to)],
  [
    't_overlappedBy',
    (test, a, b) => allOf([test('>', a.from, b.from), test('<', a.from, b.to), test('>', a.to, b.to)]),
  ],
  ['t_overlaps', (test, a, b) => allOf([test('<', a.from, b.from), test('>', a.to, b.from), test('<', a.to, b.to)])],
  ['t_startedBy', (test, a, b) => allOf([test('=', a.from, b.from), test('>', a.to, b.to)])],
  ['t_starts', (test, a, b) => allOf([test('=', a.from, b.from), test('<', a.to, b.to)])],
])

/** Returns the condition for a temporal function. */
export const temporal = (names: Queryables, op: string, args: readonly Expression[], at: string): Condition => {
  const [a, b] = [intervalOf(names, item(args, 0)), intervalOf(names, item(args, 1))]
  const relate = RELATIONS.get(op)
  if (relate === undefined) throw new Error(`${op} has no relation`)
  return relate((sign, one, other) => compareEnds(sign, one, other, at), a, b)
}

const intervalOf = (names: Queryables, expression: Expression): Interval => {
  const ends = expression.kind === 'operation' && expression.op === 'interval' ? expression.args : [expression]
  const [start, end] = [item(ends, 0), item(ends, -1)].map((each) =>
    each.kind === 'open' ? null : instantIn(names, each),
  )
  const [least, greatest] = [start?.constant?.[0], end?.constant?.[1]]
  if (least !== undefined && greatest !== undefined && least > greatest)
    throw fault(expression.at, 'the interval ends before it starts. Enter the earlier time first')
  return { from: start ? atEdge(start, 0) : -1, to: end ? atEdge(end, 1) : 1 }
}

/** Returns the first or the last instant of a day. */
const atEdge = (value: OrderedValue, edge: 0 | 1): OrderedValue =>
  value.constant === undefined ? value : { ...value, constant: [value.constant[edge], value.constant[edge]] }

const instantIn = (names: Queryables, expression: Expression): OrderedValue => {
  const { kind, at } = expression
  const value =
    kind === 'text' ? instantValue(names, expression.value, at, true) : typedAs(scalarOf(names, expression), 'instant')
  if (value.type === 'instant') return value
  throw fault(at, "expected a time. Enter a property, TIMESTAMP('...'), DATE('...') or INTERVAL('...', '..')")
}

const compareEnds = (op: Operator, a: End, b: End, at: string): Condition => {
  if (typeof a === 'object' && typeof b === 'object') return compare(op, a, b, at)
  const [x, y] = [typeof a === 'object' ? 0 : a, typeof b === 'object' ? 0 : b]
  return holds(op, [x, x], [y, y]) ? ALWAYS : NEVER
}
