import { sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { fetchLongPage } from './long.ts'
import type { Page } from './page.ts'
import type { Plan } from './plan.ts'
import type { Resource, Row } from './resource.ts'
import { fetchShortPage } from './short.ts'
import { all, columnsOf } from './sql.ts'

/** Fetches the page that a plan asks for, of the rows that a caller of this level sees. Throws notFound past the end. */
export const fetchPage = (db: Database, resource: Resource, plan: Plan, level: number): Promise<Page> =>
  resource.ways === undefined
    ? fetchShortPage(db, resource, plan, level)
    : fetchLongPage(db, resource, resource.ways, plan, level)

/** The one item that a key names among those that the caller sees, or null; also null when it names several. */
export const fetchItem = async (db: Database, resource: Resource, key: string, level: number): Promise<Row | null> => {
  const named = resource.find(key)
  if (named === null) return null
  const where = all([named, resource.visible(level)])
  const [rows = []] = await db.read(
    sql`SELECT ${columnsOf(resource)} FROM ${resource.table} ${resource.joins ?? sql``} WHERE ${where} LIMIT 2`,
  )
  return rows.length === 1 ? (rows[0] ?? null) : null
}
