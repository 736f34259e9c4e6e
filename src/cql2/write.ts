import { sql } from 'drizzle-orm'
import type { Condition } from '../filters/filter.ts'
import { between, comparison, isIn, isLike, isNull } from './compare.ts'
import { type Expression, fault } from './expression.ts'
import { and, conditionsOf, constant, not, or, type Predicate } from './predicate.ts'
import { spatial } from './spatial.ts'
import { temporal } from './temporal.ts'
import type { Names } from './values.ts'

/** D1 takes 100 parameters a statement, in which a condition may stand twice. */
const MAX_TEXTS = 40

/**
 * The conditions of a filter, by SQL's three-valued logic: an AND of what filters know as the same conditions, places
 * together as one area, anything else as one question to the database. Throws ValueError with the place of what is wrong.
 */
export const conditionsFor = (filter: Expression, names: Names): Condition[] => {
  if (textsIn(filter) > MAX_TEXTS)
    throw fault(filter.at, `there are more than ${MAX_TEXTS} texts and fractions. Enter lists with IN`)
  return conditionsOf(predicateOf(names, filter))
}

const predicateOf = (names: Names, expression: Expression): Predicate => {
  const { kind, at } = expression
  if (kind === 'boolean') return constant(expression.value)
  if (kind !== 'operation') throw fault(at, "here a question is expected. Enter one such as category = 'hurricane'")
  const { op, args } = expression
  if (op === 'and') return and(args.map((each) => predicateOf(names, each)))
  if (op === 'or') return or(args.map((each) => predicateOf(names, each)))
  if (op === 'not') return not(predicateOf(names, args[0] ?? expression))
  if (op === 'between') return between(names, args, at)
  if (op === 'in') return isIn(names, args, at)
  if (op === 'like') return isLike(names, args, at)
  if (op === 'isNull') return isNull(names, args, at)
  if (op.startsWith('s_')) return spatial(names, op, args, at)
  if (op.startsWith('t_')) return temporal(names, op, args, at)
  if (!/^[<>=]/.test(op))
    throw fault(at, `${op} makes a value, of which a question is to be asked, such as ${op} ... > 1`)
  return args.some(isQuestion) ? sameTruth(names, op, args, at) : comparison(names, op, args, at)
}

const isQuestion = (expression: Expression): boolean =>
  expression.kind === 'boolean' ||
  (expression.kind === 'operation' && /^([<>=]|and$|or$|not$|like$|in$|between$|isNull$|[st]_)/.test(expression.op))

/** Whether two questions have the same answer. */
const sameTruth = (names: Names, op: string, args: readonly Expression[], at: string): Predicate => {
  if (op !== '=' && op !== '<>') throw fault(at, 'questions are compared by = and <> only')
  const [left, right] = args.map((each) => predicateOf(names, each).sql())
  return { sql: () => sql`(${left}) ${sql.raw(op)} (${right})` }
}

/** How many parameters a filter may come to, those in lists left out. */
const textsIn = (expression: Expression): number => {
  if (expression.kind === 'text') return 2
  if (expression.kind === 'bbox') return 6
  if (expression.kind === 'number') return Number.isSafeInteger(expression.value) ? 0 : 1
  if (expression.kind !== 'operation') return 0
  return expression.args.reduce((sum, each) => sum + textsIn(each), 0)
}
