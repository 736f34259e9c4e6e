import { ACCESS_LEVELS } from '../../base/access.ts'
import { ValueError } from '../../base/errors.ts'
import { type Condition, leavesOf } from '../../question/condition.ts'
import type { ListName } from '../../question/fields.ts'
import type { Refusal } from '../engine.ts'
import { sqlOf } from './part.ts'
import { searchOf } from './search.ts'
import { preparedText } from './sql.ts'
import { tableOf } from './tables.ts'

/** The most characters of the SQL of a condition. D1 limits a statement to 100,000 bytes, and it has the condition twice. */
const MAX_SQL = 40_000

/**
 * Returns the parts of a condition that D1 cannot decide. Without such parts, the whole is refused if it is too long for a
 * statement.
 */
export const refusalsOf = (list: ListName, where: Condition): readonly Refusal[] => {
  try {
    return lengthOf(list, where) > MAX_SQL ? [{ of: where, message: ['largeFilter'] }] : []
  } catch (error) {
    const [message] = error instanceof ValueError ? error.sentences : []
    if (message === undefined) throw error
    const parts = leavesOf(where)
    return parts.includes(where) ? [{ of: where, message }] : parts.flatMap((part) => refusalsOf(list, part))
  }
}

/** Returns the characters of the SQL of a condition. */
const lengthOf = (list: ListName, where: Condition): number => {
  const { plain, entries, lookUps } = searchOf(tableOf(list, []), { where, latest: null }, ACCESS_LEVELS.Hidden)
  const written = [...plain, ...lookUps.map((part) => sqlOf(part).sql), ...entries.map(({ match }) => match.sql)]
  return written.reduce((sum, text) => sum + preparedText(text).sql.length, 0)
}
