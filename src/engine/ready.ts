import { is, sql, Table } from 'drizzle-orm'
import * as tables from '../../schema/tables.ts'
import { beingLoaded } from '../base/errors.ts'
import type { Ready } from './engine.ts'
import type { Database } from './run/database.ts'

const isMigrated = sql`SELECT 1 FROM ${sql.join(
  Object.values(tables).flatMap((table) => (is(table, Table) ? [sql`${table}`] : [])),
  sql`, `,
)} LIMIT 0`

/** Returns a row while a first bulk load has dropped the indexes of the events. */
const isLoading = sql`SELECT 1 FROM ${tables.suspendedIndexes} LIMIT 1`

/** The most bytes of a database of D1. */
const MAX_SIZE = 10_000_000_000

/** Tells how the database serves. Throws a 503 if it is not migrated, or if it is being loaded. */
export const readReady = async (db: Database): Promise<Ready> => {
  const [, [load] = []] = await db.read(isMigrated, isLoading)
  if (load !== undefined) throw beingLoaded()
  return { revision: db.state()?.revision ?? 0, bytes: db.cost.size, capacity: MAX_SIZE }
}
