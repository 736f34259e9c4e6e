import { faultOf, isOfViews } from './faults.ts'
import type { Line } from './line.ts'
import { probesOf, unreadable, VIEWS_QUERY, type Views, viewsIn, withIndexes } from './views.ts'

/** Reads the views in a transaction. The plans of the probes show the indexes. */
export const inspect = async ({ flight, opening, send }: Line): Promise<Views> => {
  const rows = (await flight([...opening, VIEWS_QUERY])).at(-1)
  const columns = viewsIn(rows as never) // the rows of the query
  if (columns.faults.length > 0) return columns
  try {
    return withIndexes(columns, await send(probesOf(columns)))
  } catch (error) {
    if (error instanceof Error && isOfViews(error)) return { ...columns, faults: [unreadable(error)] }
    throw faultOf(error)
  }
}
