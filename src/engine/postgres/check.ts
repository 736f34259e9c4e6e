import { faultOf, isOfViews } from './faults.ts'
import type { Transaction } from './transaction.ts'
import { probesOf, unreadable, VIEWS_QUERY, type Views, viewsIn, withIndexes } from './views.ts'

/** Reads the views in a transaction of its own. The plans of the probes show the indexes. */
export const inspect = async (send: Transaction['send']): Promise<Views> => {
  try {
    const [rows] = await send([VIEWS_QUERY])
    const columns = viewsIn(rows as never) // the rows of the query
    if (columns.faults.length > 0) return columns
    return await send(probesOf(columns)).then(
      (answers) => withIndexes(columns, answers),
      (error) => {
        if (error instanceof Error && isOfViews(error)) return { ...columns, faults: [unreadable(error)] }
        throw error
      },
    )
  } catch (error) {
    throw faultOf(error)
  }
}
