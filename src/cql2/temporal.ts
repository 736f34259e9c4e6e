import { compare } from './compare.ts'
import { type Expression, fault } from './expression.ts'
import { and, constant, or, type Predicate } from './predicate.ts'
import { type InstantValue, instantOfText, type Names, scalarOf } from './values.ts'

/** From an instant to another, both included; null: without end. */
interface Interval {
  readonly from: InstantValue | null
  readonly to: InstantValue | null
}

/** An end: whose first or last instant counts, and on which side it is where there is none. */
interface End {
  readonly of: InstantValue | null
  readonly side: -1 | 1
}

type Ask = (op: '<' | '>' | '=' | '<=' | '>=', a: End, b: End) => Predicate

/** The relations of two intervals (Allen), instants being intervals of no length, and dates those of their day. */
const RELATIONS: Readonly<Record<string, (ask: Ask, a: Ends, b: Ends) => Predicate>> = {
  t_after: (ask, a, b) => ask('>', a.from, b.to),
  t_before: (ask, a, b) => ask('<', a.to, b.from),
  t_contains: (ask, a, b) => and([ask('<', a.from, b.from), ask('>', a.to, b.to)]),
  t_disjoint: (ask, a, b) => or([ask('<', a.to, b.from), ask('>', a.from, b.to)]),
  t_during: (ask, a, b) => and([ask('>', a.from, b.from), ask('<', a.to, b.to)]),
  t_equals: (ask, a, b) => and([ask('=', a.from, b.from), ask('=', a.to, b.to)]),
  t_finishedBy: (ask, a, b) => and([ask('<', a.from, b.from), ask('=', a.to, b.to)]),
  t_finishes: (ask, a, b) => and([ask('>', a.from, b.from), ask('=', a.to, b.to)]),
  t_intersects: (ask, a, b) => and([ask('<=', a.from, b.to), ask('>=', a.to, b.from)]),
  t_meets: (ask, a, b) => ask('=', a.to, b.from),
  t_metBy: (ask, a, b) => ask('=', a.from, b.to),
  t_overlappedBy: (ask, a, b) => and([ask('>', a.from, b.from), ask('<', a.from, b.to), ask('>', a.to, b.to)]),
  t_overlaps: (ask, a, b) => and([ask('<', a.from, b.from), ask('>', a.to, b.from), ask('<', a.to, b.to)]),
  t_startedBy: (ask, a, b) => and([ask('=', a.from, b.from), ask('>', a.to, b.to)]),
  t_starts: (ask, a, b) => and([ask('=', a.from, b.from), ask('<', a.to, b.to)]),
}

interface Ends {
  readonly from: End
  readonly to: End
}

/** One of the temporal functions. */
export const temporal = (names: Names, op: string, args: readonly Expression[], at: string): Predicate => {
  const [a, b] = args.map((each) => endsOf(intervalOf(names, each)))
  const relate = RELATIONS[op]
  if (a === undefined || b === undefined || relate === undefined) throw fault(at, `${op.toUpperCase()} takes two times`)
  return relate((sign, one, other) => compareEnds(sign, one, other, at), a, b)
}

const endsOf = ({ from, to }: Interval): Ends => ({ from: { of: from, side: -1 }, to: { of: to, side: 1 } })

const intervalOf = (names: Names, expression: Expression): Interval => {
  const { at } = expression
  if (expression.kind !== 'operation' || expression.op !== 'interval') {
    const value = instantIn(names, expression)
    return { from: start(value), to: end(value) }
  }
  const [from, to] = expression.args.map((each) => (each.kind === 'open' ? null : instantIn(names, each)))
  const interval = { from: from && start(from), to: to && end(to) }
  const { from: a, to: b } = interval
  if (a && b && a.column === undefined && b.column === undefined && a.first > b.first)
    throw fault(at, 'the interval ends before it starts. Enter the earlier end first')
  return { from: interval.from ?? null, to: interval.to ?? null }
}

const instantIn = (names: Names, expression: Expression): InstantValue => {
  const { at } = expression
  const value = expression.kind === 'text' ? instantOfText(expression.value, at) : scalarOf(names, expression)
  if (value.type === 'instant') return value
  throw fault(at, "here a time is expected. Enter a property, TIMESTAMP('...'), DATE('...') or INTERVAL('...', '..')")
}

const start = (value: InstantValue): InstantValue => ({ ...value, last: value.first })
const end = (value: InstantValue): InstantValue => ({ ...value, first: value.last })

const compareEnds = (op: string, a: End, b: End, at: string): Predicate => {
  if (a.of !== null && b.of !== null) return compare(op, a.of, b.of, at)
  const [x, y] = [a.of === null ? a.side : 0, b.of === null ? b.side : 0]
  if (op === '<') return constant(x < y)
  if (op === '>') return constant(x > y)
  if (op === '=') return constant(x === y)
  return constant(op === '<=' ? x <= y : x >= y)
}
