import { isSame } from '../../state.ts'
import type { Row, Table } from '../conditions/table.ts'
import { completeRowsQuery, MAX_BYTES } from '../sql/columns.ts'
import type { Database, ReadRows } from './database.ts'
import { DataChanged } from './snapshot.ts'

/** Returns the bytes of all texts that were cut. */
export const bytesCut = (rows: readonly Row[]): number => rows.reduce((sum, row) => sum + bytesCutFrom(row), 0)

const bytesCutFrom = ({ cutBytes }: Row): number => (typeof cutBytes === 'number' ? cutBytes : 0)

/**
 * Adds the cut texts to rows and returns them in batches of 8 MB. It leaves out rows that were deleted or hidden since.
 */
export async function* completed<R extends Row>(
  read: ReadRows,
  table: Table,
  rows: readonly R[],
  level: number,
): AsyncGenerator<readonly R[], void> {
  let [batch, bytes]: [R[], number] = [[], 0]
  for (const row of rows) {
    const more = bytesCutFrom(row)
    if (bytes > 0 && bytes + more > MAX_BYTES) {
      yield await complete(read, table, batch, level)
      ;[batch, bytes] = [[], 0]
    }
    batch.push(row)
    bytes += more
  }
  yield await complete(read, table, batch, level)
}

const complete = async <R extends Row>(
  read: ReadRows,
  table: Table,
  rows: readonly R[],
  level: number,
): Promise<readonly R[]> => {
  const ids = rows.flatMap(({ cutId }) => (typeof cutId === 'number' ? cutId : []))
  if (ids.length === 0) return rows
  const [found] = await read(completeRowsQuery(table, ids, level))
  const whole = new Map(found.map((row) => [row.cutId, row as R])) // both queries select the columns of the table
  return rows.flatMap<R>((row) => (row.cutBytes ? (whole.get(row.cutId) ?? []) : row))
}

/** Reads the cut texts of a page if they fit into one read. Otherwise they are read while the page is sent. */
export const completeShort = async (
  read: ReadRows,
  table: Table,
  rows: readonly Row[],
  level: number,
  most = MAX_BYTES,
): Promise<readonly Row[]> => {
  const bytes = bytesCut(rows)
  if (bytes === 0 || bytes > most) return rows
  const whole: Row[] = []
  for await (const batch of completed(read, table, rows, level)) whole.push(...batch)
  return whole
}

/** Returns a reader for the state of the last read. It throws if the data has changed since. */
export const atItsState = (db: Database): ReadRows => {
  const state = db.state()
  return async (...queries) => {
    const answers = await db.read(...queries)
    if (!isSame(state, db.state())) throw new DataChanged('The data changed while it was sent.')
    return answers
  }
}
