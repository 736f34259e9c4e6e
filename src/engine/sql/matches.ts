import { type SQL, sql } from 'drizzle-orm'
import { all, integerOf } from '../../filters/sql.ts'
import type { Plan } from './plan.ts'

/** Writes a statement about the matches of a plan. `named` are the names and the queries of its other tables. */
export const statement = <R>({ choice }: Plan, body: SQL<R>, named: Readonly<Record<string, SQL>> = {}): SQL<R> => {
  const tables = Object.entries({ ...(choice && { choice }), ...named }).map(
    ([name, query]) => sql`${sql.identifier(name)} AS MATERIALIZED (${query})`,
  )
  return tables.length === 0 ? body : sql<R>`WITH ${sql.join(tables, sql`, `)} ${body}`
}

/**
 * Selects columns of all matches of a plan. It stands in a `statement`. `more` is a further condition. Without a row in
 * `gate` nothing is read.
 */
export const matchesOf = (
  { sources, choice }: Plan,
  columns: SQL,
  more: SQL | null = null,
  gate: SQL | null = null,
): SQL => {
  const selects = sources.map(({ path, where }, i) => {
    const chosen =
      choice === null ? NONE : sql`(SELECT 1 FROM choice WHERE path = ${integerOf(i)}) AS chosen CROSS JOIN`
    const open = gate === null ? NONE : sql`${gate} AS gate CROSS JOIN`
    return sql`SELECT ${columns} FROM ${open} ${chosen} ${path.from} WHERE ${all([path.enter, where, more])}`
  })
  return sql.join(selects, sql` UNION ALL `)
}

const NONE = sql``

/** Counts all matches of a plan. */
export const countMatches = (plan: Plan): SQL<{ readonly count: number }> =>
  statement(plan, sql`SELECT count(*) AS count FROM (${matchesOf(plan, sql`1`)})`)

/** Asks the database which path it would choose, and for its rows. */
export const choiceQuery = (plan: Plan): SQL<{ readonly path: number; readonly rows: number }> =>
  statement(plan, sql`SELECT path, "rows" FROM choice`)
