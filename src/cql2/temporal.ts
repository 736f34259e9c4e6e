import { type Comparison, compare } from './compare.ts'
import { type Expression, fault } from './expression.ts'
import { and, constant, or, type Predicate } from './predicate.ts'
import { type InstantValue, instantOfText, type Queryables, scalarOf } from './values.ts'

/** An interval between two instants, both included. Null: open end. */
interface Interval {
  readonly from: InstantValue | null
  readonly to: InstantValue | null
}

/**
 * An end of an interval. `value` is null for an open end. `side` is -1 for a start and 1 for an end, which orders open
 * ends.
 */
interface End {
  readonly value: InstantValue | null
  readonly side: -1 | 1
}

type EndTest = (op: Comparison, a: End, b: End) => Predicate

/**
 * The relations between two intervals (Allen's interval algebra). An instant is an interval of length 0, and a date is
 * the interval of its day.
 */
const RELATIONS: Readonly<Record<string, (test: EndTest, a: Ends, b: Ends) => Predicate>> = {
  t_after: (test, a, b) => test('>', a.from, b.to),
  t_before: (test, a, b) => test('<', a.to, b.from),
  t_contains: (test, a, b) => and([test('<', a.from, b.from), test('>', a.to, b.to)]),
  t_disjoint: (test, a, b) => or([test('<', a.to, b.from), test('>', a.from, b.to)]),
  t_during: (test, a, b) => and([test('>', a.from, b.from), test('<', a.to, b.to)]),
  t_equals: (test, a, b) => and([test('=', a.from, b.from), test('=', a.to, b.to)]),
  t_finishedBy: (test, a, b) => and([test('<', a.from, b.from), test('=', a.to, b.to)]),
  t_finishes: (test, a, b) => and([test('>', a.from, b.from), test('=', a.to, b.to)]),
  t_intersects: (test, a, b) => and([test('<=', a.from, b.to), test('>=', a.to, b.from)]),
  t_meets: (test, a, b) => test('=', a.to, b.from),
  t_metBy: (test, a, b) => test('=', a.from, b.to),
  t_overlappedBy: (test, a, b) => and([test('>', a.from, b.from), test('<', a.from, b.to), test('>', a.to, b.to)]),
  t_overlaps: (test, a, b) => and([test('<', a.from, b.from), test('>', a.to, b.from), test('<', a.to, b.to)]),
  t_startedBy: (test, a, b) => and([test('=', a.from, b.from), test('>', a.to, b.to)]),
  t_starts: (test, a, b) => and([test('=', a.from, b.from), test('<', a.to, b.to)]),
}

interface Ends {
  readonly from: End
  readonly to: End
}

/** Returns the predicate for a temporal function. */
export const temporal = (names: Queryables, op: string, args: readonly Expression[], at: string): Predicate => {
  const [a, b] = args.map((each) => endsOf(intervalOf(names, each)))
  const relate = RELATIONS[op]
  if (a === undefined || b === undefined || relate === undefined) throw fault(at, `${op.toUpperCase()} takes two times`)
  return relate((sign, one, other) => compareEnds(sign, one, other, at), a, b)
}

const endsOf = ({ from, to }: Interval): Ends => ({ from: { value: from, side: -1 }, to: { value: to, side: 1 } })

const intervalOf = (names: Queryables, expression: Expression): Interval => {
  const { at } = expression
  if (expression.kind !== 'operation' || expression.op !== 'interval') {
    const value = instantIn(names, expression)
    return { from: start(value), to: end(value) }
  }
  const [from, to] = expression.args.map((each) => (each.kind === 'open' ? null : instantIn(names, each)))
  const interval = { from: from && start(from), to: to && end(to) }
  const { from: a, to: b } = interval
  if (a && b && a.column === undefined && b.column === undefined && a.first > b.first)
    throw fault(at, 'the interval ends before it starts. Enter the earlier time first')
  return { from: interval.from ?? null, to: interval.to ?? null }
}

const instantIn = (names: Queryables, expression: Expression): InstantValue => {
  const { at } = expression
  const value = expression.kind === 'text' ? instantOfText(expression.value, at) : scalarOf(names, expression)
  if (value.type === 'instant') return value
  throw fault(at, "expected a time. Enter a property, TIMESTAMP('...'), DATE('...') or INTERVAL('...', '..')")
}

const start = (value: InstantValue): InstantValue => ({ ...value, last: value.first })
const end = (value: InstantValue): InstantValue => ({ ...value, first: value.last })

const compareEnds = (op: Comparison, a: End, b: End, at: string): Predicate => {
  if (a.value !== null && b.value !== null) return compare(op, a.value, b.value, at)
  const [x, y] = [a.value === null ? a.side : 0, b.value === null ? b.side : 0]
  if (op === '<') return constant(x < y)
  if (op === '>') return constant(x > y)
  if (op === '=') return constant(x === y)
  return constant(op === '<=' ? x <= y : x >= y)
}
