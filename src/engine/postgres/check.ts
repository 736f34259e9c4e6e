import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { FIELDS, type FieldName, type ListName } from '../../question/fields.ts'
import { isToldBy } from './faults.ts'
import { fieldsOf } from './fields.ts'
import { selectFrom, sourceOf } from './from.ts'
import { LONG_IDS, longIdFaults } from './ids.ts'
import { named } from './sql.ts'
import type { Transaction } from './transaction.ts'
import { probesOf, unreadable, VIEWS_QUERY, type Views, viewsIn, withIndexes } from './views.ts'

/** Selects a row of each list with all its fields, as answers have them. */
const rowsOf = (views: Views): readonly SQL[] =>
  Object.entries(FIELDS).map(([key, fields]) => {
    const list = key as ListName // it has no other keys
    const names = Object.keys(fields) as FieldName[]
    const columns = named(Object.fromEntries(names.map((name) => [name, fieldsOf(views)(list, name).shown])))
    return sql`${selectFrom(sourceOf(views, ACCESS_LEVELS.Hidden, list, names), columns, null)} LIMIT 1`
  })

/**
 * Reads the views in a transaction of its own, and plans the statements of the service. With `reads`, it also runs them:
 * a view may have a plan but no rows, such as that of a foreign server. The plans of the probes show the indexes. Throws
 * the error of the server.
 */
export const inspect = async (send: Transaction['send'], reads: boolean): Promise<Views> => {
  const [found] = await send([VIEWS_QUERY])
  const columns = viewsIn(found as never) // the rows of the query
  if (columns.faults.length > 0) return columns
  const rows = rowsOf(columns).map((query) => (reads ? query : sql`EXPLAIN ${query}`))
  try {
    const [ids = [], ...answers] = await send([LONG_IDS, ...rows, ...probesOf(columns)])
    return { ...withIndexes(columns, answers.slice(rows.length)), faults: longIdFaults(ids) }
  } catch (error) {
    if (error instanceof Error && isToldBy(error)) return { ...columns, faults: [unreadable(error)] }
    throw error
  }
}
