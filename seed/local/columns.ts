import type { D1Database } from '@cloudflare/workers-types'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { TABLES } from '../../schema/all.ts'

const COLUMNS = TABLES.flatMap((table) => {
  const { name, columns } = getTableConfig(table)
  return columns.map((column) => [name, column.name])
})

/** Returns true if a database lacks a column of schema/tables.ts, because an earlier checkout made its tables. */
export async function lacksColumns(db: D1Database): Promise<boolean> {
  const missing = await db
    .prepare(
      `SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (
        SELECT 1 FROM pragma_table_xinfo(wanted.value ->> 0) WHERE name = wanted.value ->> 1)`,
    )
    .bind(JSON.stringify(COLUMNS))
    .first()
  return missing !== null
}
