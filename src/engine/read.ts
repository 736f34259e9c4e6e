import type { SQL } from 'drizzle-orm'
import { all } from '../filters/sql.ts'
import type { Page, PageRequest } from './conditions/page.ts'
import type { Row, Table } from './conditions/table.ts'
import type { Database } from './run/database.ts'
import { fetchLargePage } from './run/page.ts'
import { fetchSmallPage } from './smallTable.ts'
import { select, tableOf } from './sql/columns.ts'

/** Reads the requested page of the rows that this access level sees. Throws notFound for a page after the last one. */
export const fetchPage = (db: Database, resource: Table, request: PageRequest, level: number): Promise<Page> =>
  resource.access === undefined
    ? fetchSmallPage(db, resource, request, level)
    : fetchLargePage(db, resource, resource.access, request, level)

/** Reads the row that a condition names. Returns null if the caller sees no such row, or several. */
export const fetchItem = async (
  db: Database,
  resource: Table,
  named: SQL | null,
  level: number,
): Promise<Row | null> => {
  if (named === null) return null
  const where = all([named, resource.visible(level, true)])
  const [rows] = await db.read(select(resource.columns).from(tableOf(resource)).where(where).limit(2))
  return rows.length === 1 ? (rows[0] ?? null) : null
}
