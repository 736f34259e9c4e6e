import { type SQL, sql } from 'drizzle-orm'
import { eventSeries, events } from '../../../schema/tables.ts'
import { UUID_LENGTH } from '../../base/schema.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { FoundItem, Key, Row } from '../engine.ts'
import { firstRows } from '../shared/page.ts'
import { select, selectShared } from './columns.ts'
import type { Database, ReadRows } from './database.ts'
import { all, integerOf, namedColumns, numbersTable } from './sql.ts'
import { type ListTable, tableOf } from './tables.ts'
import { startsWithUuid } from './texts.ts'

/** Reads the row with a key. Returns null if the level sees no such row, or several. */
export const fetchItem = async (
  db: Database,
  list: ListName,
  key: Key,
  fields: readonly FieldName[],
  level = db.level,
): Promise<FoundItem | null> => {
  const table = tableOf(list, fields)
  const columns = { ...table.columns, ...(table.state && { tag: table.state }) }
  const seen = table.visible(level, true)
  const [rows] = await db.read(sql<Row>`${select(table, columns)} WHERE ${all([hasKey(table, key), seen])} LIMIT 2`)
  const [row] = rows
  if (row === undefined || rows.length > 1) return null
  const { tag = null, ...read } = row
  return { row: read, tag: tag as string | null } // the state of a row is a text
}

const hasKey = (table: ListTable, key: Key): SQL => {
  if ('uuid' in key) {
    const { uuid } = eventSeries
    return key.uuid.length === UUID_LENGTH ? sql`${uuid} = ${key.uuid}` : startsWithUuid(uuid, sql`${key.uuid}`)
  }
  const { id, series } = key
  return all([
    sql`${table.id} = ${integerOf(id)}`,
    series === undefined ? null : sql`${events.eventSeriesId} = ${integerOf(series)}`,
  ])
}

/**
 * Reads rows by id, at most as many as a page. They come in the order of the ids. Rows that are deleted or hidden are left
 * out. Long rows lack their texts. The columns of the table need `id`.
 */
export const rowsById = async (
  read: ReadRows,
  table: ListTable,
  ids: readonly number[],
  level: number,
): Promise<readonly Row[]> =>
  ids.length === 0 ? [] : (await read(selectShared(table.columns, ids.length, byIds(table, ids, level))))[0]

/** Selects the rows with some ids, in the order of the ids. */
const byIds = (table: ListTable, ids: readonly number[], level: number): SQL =>
  sql`FROM (${numbersTable(ids)}) AS wanted CROSS JOIN ${table.table} ON ${table.id} = wanted.value
    ${table.joins} WHERE ${all([table.visible(level)])} LIMIT ${integerOf(ids.length)}`

/** Reads the texts that long rows lack. Rows that do not come any more are left out. */
export const withTexts = async (
  read: ReadRows,
  table: ListTable,
  level: number,
  rows: readonly Row[],
): Promise<readonly Row[]> => {
  const long = rows.filter(({ isLong }) => isLong === 1).map(({ id }) => Number(id))
  if (long.length === 0) return rows
  const [found] = await read(sql<Row>`SELECT ${namedColumns(table.columns)} ${byIds(table, long, level)}`)
  const whole = new Map(found.map((row) => [row.id, row]))
  return rows.flatMap<Row>((row) => (row.isLong === 1 ? (whole.get(row.id) ?? []) : row))
}

/** Reads the texts that long rows lack, and returns all rows in batches of at most MAX_BYTES of texts. */
export async function* wholeRows(
  read: ReadRows,
  table: ListTable,
  level: number,
  rows: readonly Row[],
): AsyncGenerator<readonly Row[], void> {
  for (let from = 0; from === 0 || from < rows.length; ) {
    const batch = firstRows(rows, from)
    yield await withTexts(read, table, level, batch)
    from += Math.max(1, batch.length)
  }
}
