import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './db/d1.ts'
import { all, columnsOf } from './db/sql.ts'
import { fetchLargePage } from './largeTable.ts'
import type { Page, PageRequest } from './page.ts'
import { fetchSmallPage } from './smallTable.ts'
import type { Row, Table } from './table.ts'

/** Fetches the page that a request asks for, of the rows that a caller of this level sees. Throws notFound past the end. */
export const fetchPage = (db: Database, resource: Table, request: PageRequest, level: number): Promise<Page> =>
  resource.access === undefined
    ? fetchSmallPage(db, resource, request, level)
    : fetchLargePage(db, resource, resource.access, request, level)

/** The one row that a condition names among those that the caller sees, or null; also null when it names several. */
export const fetchItem = async (
  db: Database,
  resource: Table,
  named: SQL | null,
  level: number,
): Promise<Row | null> => {
  if (named === null) return null
  const where = all([named, resource.visible(level, true)])
  const [rows = []] = await db.read(
    sql`SELECT ${columnsOf(resource)} FROM ${resource.table} ${resource.joins ?? sql``} WHERE ${where} LIMIT 2`,
  )
  return rows.length === 1 ? (rows[0] ?? null) : null
}
