import { Column, is, type SQL, sql } from 'drizzle-orm'
import type { Among, Complement, FilterField, FilterParameter, FilterSet, Positive } from './filter.ts'
import { filterSet } from './filterSet.ts'
import { all, isIn, within } from './sql.ts'

/** The end of a parameter that selects the rows which the parameter without it leaves out. */
export const NOT = '__not'

/** Returns the parameters of a list for a table of fields. The complement of a parameter follows it. */
export const listFilters = (fields: Readonly<Record<string, FilterField>>): FilterSet => {
  const parameters = new Map<string, FilterParameter>()
  for (const [name, filter] of filterSet(fields, listFilters)) {
    parameters.set(name, filter)
    if (!filter.hasComplement) continue
    parameters.set(`${name}${NOT}`, {
      ...filter,
      hasComplement: false,
      description: `Selects what ${name} leaves out.`,
      lookup: (value) => complementOf([filter.lookup(value)].flat()),
    })
  }
  return parameters
}

/**
 * Returns the condition for the rows that do not meet all of these conditions. If each row has an entry, it selects the
 * other entries, because they have stored counts.
 */
const complementOf = (of: readonly Positive[]): Complement => {
  const [only, ...others] = of
  const rest = others.length === 0 && only?.kind === 'entries' ? otherEntries(only) : null
  return { kind: 'complement', of, rest: rest ?? { kind: 'sql', sql: sql`(${all(of.map(testOf))}) IS NOT TRUE` } }
}

/** Returns the condition for the other entries of a dictionary. Returns null if a row may have no entry. */
const otherEntries = ({ dictionary, match, accepts }: Among): Among | null => {
  const { key, id } = dictionary
  if (typeof match === 'function' || key === id || !is(key, Column) || !key.notNull) return null
  const others = sql`(${match}) IS NOT TRUE`
  return { kind: 'entries', dictionary, match: others, ...(accepts && { accepts: (entry) => !accepts(entry) }) }
}

/** Writes a condition as SQL for one row. It is null if a column is null. */
const testOf = (condition: Positive): SQL => {
  if (condition.kind === 'sql') return condition.sql
  if (condition.kind === 'span') return within(condition.column, condition.extent)
  if (condition.kind === 'listed') return isIn(condition.column, condition.values)
  if (condition.kind !== 'entries' || typeof condition.match === 'function')
    throw new RangeError(`A condition of the kind ${condition.kind} has no complement.`)
  const { dictionary, match } = condition
  const { key, id, table } = dictionary
  return key === id ? match : sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${match})`
}
