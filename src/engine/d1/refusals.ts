import type { SQL } from 'drizzle-orm'
import { ValueError } from '../../errors.ts'
import { type Condition, leavesOf } from '../../question/condition.ts'
import type { ListName } from '../../question/fields.ts'
import type { Refusal } from '../engine.ts'
import { NOTHING, textOf } from './sql.ts'
import { conditionsFor } from './write.ts'

/** The most characters of the SQL of a condition. D1 limits a statement to 100,000 bytes, and it has the condition twice. */
const MAX_SQL = 40_000

/**
 * Returns the parts of a condition that D1 cannot decide. Without such parts, the whole is refused if it is too long for a
 * statement.
 */
export const refusalsOf = (list: ListName, where: Condition): readonly Refusal[] => {
  const refused = leavesOf(where).flatMap((of) => refusalOf(list, of) ?? [])
  if (refused.length > 0) return refused
  const none = (areas: readonly unknown[]) => areas.map(() => NOTHING)
  const lengths = conditionsFor(list, where).map((each) => {
    if (each.kind === 'sql') return lengthOf(each.sql)
    if (each.kind === 'lookUp') return lengthOf(each.sql(none(each.areas)))
    return each.kind === 'entries' && typeof each.match !== 'function' ? lengthOf(each.match) : 0
  })
  return lengths.reduce((sum, length) => sum + length, 0) > MAX_SQL ? [{ of: where, message: ['largeFilter'] }] : []
}

const lengthOf = (text: SQL): number => textOf(text).sql.length

const refusalOf = (list: ListName, of: Condition): Refusal | null => {
  try {
    conditionsFor(list, of)
    return null
  } catch (error) {
    const [message] = error instanceof ValueError ? error.sentences : []
    if (message === undefined) throw error
    return { of, message }
  }
}
