import { isSame } from '../../state.ts'
import type { Row, Table } from '../conditions/table.ts'
import { MAX_BYTES } from '../limits.ts'
import { rowsByIdQuery, sharedColumns } from '../sql/columns.ts'
import type { Database, ReadRows } from './database.ts'
import { DataChanged } from './snapshot.ts'

/**
 * Reads rows by id, at most as many as a page. They come in the order of the ids, in batches of at most MAX_BYTES. Rows
 * that are deleted or hidden are left out. The columns of the table need `id`.
 */
export async function* rowsById(
  read: ReadRows,
  table: Table,
  ids: readonly number[],
  level: number,
): AsyncGenerator<readonly Row[], void> {
  if (ids.length === 0) return
  const [found] = await read(rowsByIdQuery(table, sharedColumns(table, ids.length), ids, level))
  const byId = new Map(found.map((row) => [Number(row.id), row]))
  const inOrder = ids.flatMap<Row>((id) => byId.get(id) ?? [])
  yield* wholeRows(read, table, inOrder, level)
}

/** Reads the texts that rows of `sharedColumns` lack, and returns all rows in batches as `rowsById` does. */
export async function* wholeRows<R extends Row>(
  read: ReadRows,
  table: Table,
  rows: readonly R[],
  level: number,
): AsyncGenerator<readonly R[], void> {
  let [batch, bytes]: [R[], number] = [[], 0]
  for (const row of rows) {
    const more = Number(row.longBytes ?? 0)
    if (bytes > 0 && bytes + more > MAX_BYTES) {
      yield await withTexts(read, table, batch, level)
      ;[batch, bytes] = [[], 0]
    }
    batch.push(row)
    bytes += more
  }
  yield await withTexts(read, table, batch, level)
}

const withTexts = async <R extends Row>(read: ReadRows, table: Table, rows: readonly R[], level: number) => {
  const long = rows.filter(({ longBytes }) => typeof longBytes === 'number').map(({ id }) => Number(id))
  if (long.length === 0) return rows
  const [found] = await read(rowsByIdQuery(table, table.columns, long, level))
  const whole = new Map(found.map((row) => [row.id, row as R])) // both queries select the columns of the table
  return rows.flatMap<R>((row) => (row.longBytes ? (whole.get(row.id) ?? []) : row))
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
