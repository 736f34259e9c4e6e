import { at as item } from '../base/collections.ts'
import { ALWAYS, allOf, anyOf, type Condition, leavesOf, NEVER } from '../question/condition.ts'
import { patternParts } from '../question/like.ts'
import { comparison, isComparison, TESTS } from './compare.ts'
import { EXAMPLES, type Expression, fault } from './expression.ts'
import { spatial } from './spatial.ts'
import { temporal } from './temporal.ts'
import { asBoolean, isTrue, type Queryables } from './values.ts'

/** The most texts between the % signs of all patterns in a filter. 400 of them took 10 s for 4,000 long texts. */
const MAX_TEXTS = 20

/** Returns the number of texts between the % signs of all patterns in an expression. */
const textsOfPatterns = (expression: Expression, isPattern = false): number => {
  if (expression.kind === 'text')
    return isPattern ? patternParts(expression.value).filter(({ length }) => length > 0).length : 0
  if (expression.kind !== 'operation') return 0
  const counts = expression.args.map((each, i) =>
    textsOfPatterns(each, isPattern || (expression.op === 'like' && i > 0)),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Returns the condition for the rows for which a filter is true. Throws ValueError with the place of the fault. */
export const conditionOf = (filter: Expression, names: Queryables): Condition => {
  if (textsOfPatterns(filter) > MAX_TEXTS)
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
