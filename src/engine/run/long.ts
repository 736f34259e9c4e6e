import { Column, type SQL, sql } from 'drizzle-orm'
import { all, integerOf, namedColumns, numbersTable } from '../../filters/sql.ts'
import { isSame } from '../../state.ts'
import type { Columns, Row, Table } from '../conditions/table.ts'
import type { Database, Read } from './database.ts'
import { DataChanged } from './snapshot.ts'

/** The most bytes of text that one read returns. The Worker holds an answer of D1 in memory, and it has 128 MB. */
export const MAX_BYTES = 8_000_000
/**
 * Up to this many rows need no limit. A record has at most 300,000 characters, so at most 0.9 MB. A row has the texts
 * of two records at most: of an event and its series, or of a series and its type.
 */
const FEW_ROWS = 4

/** Selects the columns of a read with at most this many rows. Each row has an equal share of the bytes. */
export const sharedColumns = (table: Table, rows: number): Columns =>
  rows <= FEW_ROWS ? table.columns : columnsUpTo(table, integerOf(Math.floor(MAX_BYTES / rows)))

/**
 * Selects the columns of rows with at most this many bytes of text each. The texts of a longer row are null, and its
 * `cutId` and `cutBytes` are set. `completed` reads them later. Other rows cost nothing more.
 */
export const columnsUpTo = (table: Table, most: SQL): Columns => {
  const texts = Object.entries(table.columns).filter(([, column]) => isText(column))
  if (texts.length === 0) return table.columns
  const bytes = sql.join(
    texts.map(([, column]) => sql`coalesce(octet_length(${column}), 0)`),
    sql` + `,
  )
  const isLong = sql`(${bytes}) > ${most}`
  const shared = texts.map(([name, column]) => [name, sql`CASE WHEN ${isLong} THEN NULL ELSE ${column} END`])
  return {
    ...table.columns,
    ...Object.fromEntries(shared),
    cutId: sql`CASE WHEN ${isLong} THEN ${table.id} END`,
    cutBytes: sql`CASE WHEN ${isLong} THEN ${bytes} END`,
  }
}

const isText = (column: unknown): boolean => column instanceof Column && column.dataType === 'string'

/** Returns the bytes of all texts that were cut. */
export const bytesCut = (rows: readonly Row[]): number => rows.reduce((sum, { cutBytes }) => sum + (cutBytes ?? 0), 0)

/**
 * Adds the cut texts to rows and returns them in batches of 8 MB. It leaves out rows that were deleted or hidden since.
 */
export async function* completed(
  read: Read,
  table: Table,
  rows: readonly Row[],
  level: number,
): AsyncGenerator<readonly Row[], void> {
  let [batch, bytes]: [Row[], number] = [[], 0]
  for (const row of rows) {
    const more = row.cutBytes ?? 0
    if (bytes > 0 && bytes + more > MAX_BYTES) {
      yield await complete(read, table, batch, level)
      ;[batch, bytes] = [[], 0]
    }
    batch.push(row)
    bytes += more
  }
  yield await complete(read, table, batch, level)
}

const complete = async (read: Read, table: Table, rows: readonly Row[], level: number): Promise<readonly Row[]> => {
  const ids: number[] = rows.flatMap(({ cutId }) => cutId ?? [])
  if (ids.length === 0) return rows
  const [found] = await read(sql`SELECT ${namedColumns(table.columns)}, ${table.id} AS "cutId", NULL AS "cutBytes"
    FROM (${numbersTable(ids)}) AS wanted CROSS JOIN ${table.table} ON ${table.id} = wanted.value ${table.joins ?? sql``}
    WHERE ${all([table.visible(level)])}`)
  const whole = new Map(found.map((row) => [row.cutId, row]))
  return rows.flatMap((row) => (row.cutBytes ? (whole.get(row.cutId) ?? []) : row))
}

/** Reads the cut texts of a page if they fit into one read. Otherwise they are read while the page is sent. */
export const completeShort = async (
  read: Read,
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
export const atItsState = (db: Database): Read => {
  const state = db.state()
  return async (...queries) => {
    const answers = await db.read(...queries)
    if (!isSame(state, db.state())) throw new DataChanged('The data changed while it was sent.')
    return answers
  }
}
