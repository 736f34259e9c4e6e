import { Column, is, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type Condition, entries } from './condition.ts'
import { all, gapsOf, inRanges } from './sql.ts'

/**
 * Returns the condition for the rows that do not meet all of these conditions. If each row has an entry, or a value, it
 * selects the other entries or ranges, because they have stored counts.
 */
export const complementOf = (of: readonly Condition[]): Condition => {
  const [only, ...others] = of
  const rest = others.length === 0 && only !== undefined ? othersThan(only) : null
  return rest ?? { kind: 'sql', sql: sql`(${all(of.map(testOf))}) IS NOT TRUE` }
}

/** An expression is never null if none of its columns is. */
const isNeverNull = (value: SQLWrapper): boolean => {
  const columns = is(value, Column) ? [value] : value.getSQL().queryChunks.filter((chunk) => is(chunk, Column))
  return columns.length > 0 && columns.every(({ notNull }) => notNull)
}

/** The most gaps that become ranges. Each is an OR, and D1 limits an expression to 100 levels. */
const MAX_GAPS = 10

/** Returns the condition for the other entries or values. Returns null if a row may have none, or for too many gaps. */
const othersThan = (condition: Condition): Condition | null => {
  if (condition.kind === 'range' && isNeverNull(condition.column)) {
    const extents = gapsOf(condition.extents)
    return extents.length > MAX_GAPS ? null : { ...condition, extents }
  }
  if (condition.kind !== 'entries' || typeof condition.match === 'function') return null
  const { dictionary, match } = condition
  if (dictionary.key === dictionary.id || !isNeverNull(dictionary.key)) return null
  return entries(dictionary, sql`(${match}) IS NOT TRUE`)
}

/** Writes a condition as SQL for one row. It is null if a column is null. */
export const testOf = (condition: Condition): SQL => {
  if (condition.kind === 'sql') return condition.sql
  if (condition.kind === 'range') return inRanges(condition.column, condition.extents)
  if (condition.kind !== 'entries' || typeof condition.match === 'function')
    throw new RangeError(`A condition of the kind ${condition.kind} has no complement.`)
  const { dictionary, match } = condition
  const { key, id, table } = dictionary
  return key === id ? match : sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${match})`
}
