import { at as item } from '../collections.ts'
import type { Condition } from '../engine/d1/condition.ts'
import { textOf } from '../engine/d1/sql.ts'
import { comparison, isComparison, TESTS } from './compare.ts'
import { EXAMPLES, type Expression, fault } from './expression.ts'
import { textsIn } from './like.ts'
import { conditionsOf, FALSE, joined, not, type Predicate, TRUE } from './predicate.ts'
import { spatial } from './spatial.ts'
import { temporal } from './temporal.ts'
import type { Queryables } from './values.ts'

/**
 * The maximum length of a filter's SQL. D1 limits a statement to 100,000 bytes, and a statement contains the filter
 * twice.
 */
const MAX_SQL = 40_000 // characters

/** The most texts between the % signs of all patterns in a filter. 400 of them took 10 s for 4,000 long texts. */
const MAX_TEXTS = 20

/** Returns the number of texts between the % signs of all patterns in an expression. */
const textsOfPatterns = (expression: Expression, isPattern = false): number => {
  if (expression.kind === 'text') return isPattern ? textsIn(expression.value) : 0
  if (expression.kind !== 'operation') return 0
  const counts = expression.args.map((each, i) =>
    textsOfPatterns(each, isPattern || (expression.op === 'like' && i > 0)),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

const lengthOf = (condition: Condition): number => {
  const text = condition.kind === 'sql' ? condition.sql : condition.kind === 'entries' ? condition.match : null
  return text === null || typeof text === 'function' ? 0 : textOf(text).sql.length
}

/**
 * Returns the conditions for the rows for which a filter is true, in the three-valued logic of SQL. The parts of the
 * outermost AND become conditions of the list filters if these have equivalents. The rest becomes SQL.
 * Throws ValueError with the place of the fault.
 */
export const conditionsFor = (filter: Expression, names: Queryables): Condition[] => {
  if (textsOfPatterns(filter) > MAX_TEXTS)
    throw fault(
      filter.at,
      `the patterns of LIKE have more than ${MAX_TEXTS} texts between their % signs. Enter fewer of them`,
    )
  const conditions = [...conditionsOf(predicateOf(names, filter))]
  const length = conditions.reduce((sum, condition) => sum + lengthOf(condition), 0)
  if (length > MAX_SQL)
    throw fault(
      filter.at,
      `the filter is too large: it becomes ${length} characters of SQL, more than ${MAX_SQL}. Enter fewer comparisons, or IN for lists`,
    )
  return conditions
}

/** Returns the predicate of a filter, or its opposite. NOT before AND or OR goes to their parts, which is the same. */
const predicateOf = (names: Queryables, expression: Expression, truth = true): Predicate => {
  if (expression.kind === 'operation') {
    const { op, args } = expression
    if (op === 'not') return predicateOf(names, item(args, 0), !truth)
    const parts = () => args.map((each) => predicateOf(names, each, truth))
    if (op === 'and' || op === 'or') return joined((op === 'and') === truth ? 'AND' : 'OR', parts())
  }
  const predicate = leafOf(names, expression)
  return truth ? predicate : not(predicate)
}

const leafOf = (names: Queryables, expression: Expression): Predicate => {
  const { kind, at } = expression
  if (kind === 'boolean') return expression.value ? TRUE : FALSE
  if (kind !== 'operation') throw fault(at, `expected a condition. Enter one such as ${EXAMPLES.comparison}`)
  const { op, args } = expression
  const test = TESTS.get(op)
  if (test !== undefined) return test(names, args, at)
  if (op.startsWith('s_')) return spatial(names, op, args, at)
  if (op.startsWith('t_')) return temporal(names, op, args, at)
  if (!isComparison(op))
    throw fault(at, `${op} returns a value, not a condition. Compare the value, such as ${op} ... > 1`)
  if (!args.some(isPredicate)) return comparison(names, op, args, at)
  if (op !== '=' && op !== '<>') throw fault(at, 'conditions can be compared only by = and <>')
  const [one, other] = [predicateOf(names, item(args, 0)), predicateOf(names, item(args, 1))]
  return op === '=' ? { kind: 'same', one, other } : not({ kind: 'same', one, other })
}

const isPredicate = (expression: Expression): boolean =>
  expression.kind === 'boolean' ||
  (expression.kind === 'operation' && /^([<>=]|and$|or$|not$|like$|in$|between$|isNull$|[st]_)/.test(expression.op))
