import { type SQL, sql } from 'drizzle-orm'
import type { Columns, Row, Table } from '../conditions/table.ts'
import { all, namedColumns, numbersTable } from '../d1/sql.ts'
import { MAX_BYTES } from '../limits.ts'
import { select, sharedColumns } from '../sql/columns.ts'
import type { Database, ReadRows } from './database.ts'

/** Reads the row that a condition names, with its state. Returns null if the level sees no such row, or several. */
export const fetchItem = async (
  db: Database,
  resource: Table,
  named: SQL | null,
  level = db.level,
): Promise<Row | null> => {
  if (named === null) return null
  const columns = { ...resource.columns, ...(resource.state && { state: resource.state }) }
  const [rows] = await db.read(
    sql<Row>`${select(resource, columns)} WHERE ${all([named, resource.visible(level, true)])} LIMIT 2`,
  )
  return rows.length === 1 ? (rows[0] ?? null) : null
}

/**
 * Reads rows by id, at most as many as a page. They come in the order of the ids. Rows that are deleted or hidden are left
 * out. Long rows lack their texts. The columns of the table need `id`.
 */
export const rowsById = async (
  read: ReadRows,
  table: Table,
  ids: readonly number[],
  level: number,
): Promise<readonly Row[]> => {
  if (ids.length === 0) return []
  const [found] = await read(rowsByIdQuery(table, sharedColumns(table, ids.length), ids, level))
  const byId = new Map(found.map((row) => [Number(row.id), row]))
  return ids.flatMap<Row>((id) => byId.get(id) ?? [])
}

/**
 * Reads the texts that rows of `sharedColumns` lack, and returns all rows in batches of at most MAX_BYTES. Rows that are
 * deleted or hidden meanwhile are left out.
 */
export async function* wholeRows<R extends Row>(
  read: ReadRows,
  table: Table,
  rows: readonly R[],
  level: number,
): AsyncGenerator<readonly R[], void> {
  for (const batch of batchesOf(rows)) yield await withTexts(read, table, batch, level)
}

/** Splits rows into batches of at most MAX_BYTES of texts. There is at least one. */
export const batchesOf = <R extends Row>(rows: readonly R[]): readonly R[][] => {
  let batch: R[] = []
  const batches = [batch]
  let bytes = 0
  for (const row of rows) {
    const more = Number(row.longBytes ?? 0)
    if (bytes > 0 && bytes + more > MAX_BYTES) {
      batch = []
      batches.push(batch)
      bytes = 0
    }
    batch.push(row)
    bytes += more
  }
  return batches
}

const withTexts = async <R extends Row>(read: ReadRows, table: Table, rows: readonly R[], level: number) => {
  const long = rows.filter(({ longBytes }) => typeof longBytes === 'number').map(({ id }) => Number(id))
  if (long.length === 0) return rows
  const [found] = await read(rowsByIdQuery(table, table.columns, long, level))
  const whole = new Map(found.map((row) => [row.id, row as R])) // both queries select the columns of the table
  return rows.flatMap<R>((row) => (row.longBytes ? (whole.get(row.id) ?? []) : row))
}

/** Reads columns of the rows with some ids, in no order. */
const rowsByIdQuery = (table: Table, columns: Columns, ids: readonly number[], level: number): SQL<Row> =>
  sql`SELECT ${namedColumns(columns)} FROM (${numbersTable(ids)}) AS wanted
    CROSS JOIN ${table.table} ON ${table.id} = wanted.value ${table.joins ?? sql``} WHERE ${all([table.visible(level)])}`
