import { at as item } from '../base/collections.ts'
import { ALWAYS, allOf, anyOf, type Condition, NEVER } from '../question/condition.ts'
import { type Comparison, compare, holds } from './compare.ts'
import { type Expression, fault } from './expression.ts'
import { instantValue, type OrderedValue, type Queryables, scalarOf, typedAs } from './values.ts'

/** An end of an interval. An open start is -1 and an open end is 1. Every instant is between them. */
type End = OrderedValue | -1 | 1

/** An interval between two instants, both included. */
interface Interval {
  readonly from: End
  readonly to: End
}

type EndTest = (op: Comparison, a: End, b: End) => Condition

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

const compareEnds = (op: Comparison, a: End, b: End, at: string): Condition => {
  if (typeof a === 'object' && typeof b === 'object') return compare(op, a, b, at)
  const [x, y] = [typeof a === 'object' ? 0 : a, typeof b === 'object' ? 0 : b]
  return holds(op, [x, x], [y, y]) ? ALWAYS : NEVER
}
