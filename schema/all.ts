import { is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from './tables.ts'

/** Counts the steps to a table without references. */
const depthOf = (table: SQLiteTable): number =>
  Math.max(0, ...getTableConfig(table).foreignKeys.map((key) => 1 + depthOf(key.reference().foreignTable)))

/** All tables of schema/tables.ts. Each one follows the tables that it refers to. */
export const TABLES = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .sort((one, other) => depthOf(one) - depthOf(other))
