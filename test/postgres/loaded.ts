import { Client } from 'pg'
import { CloudflareSocket } from 'pg-cloudflare'
import series from '../../schema/postgres/series.sql?raw'
import tables from '../../schema/postgres/tables.sql?raw'
import { addRecords } from '../../seed/postgres/rows.ts'
import type { LoadRecord } from '../records.ts'
import { wholeRecords } from '../records.ts'
import { freshPostgres, type PostgresDatabase, sqlIn } from './database.ts'

/** Makes a database with the tables of schema/postgres/tables.sql, and fills them with records. */
export const loadedPostgres = async (
  records: readonly LoadRecord[],
  ...more: readonly string[]
): Promise<PostgresDatabase> => {
  const database = await freshPostgres(tables)
  const client = new Client({ connectionString: database.owner, stream: () => new CloudflareSocket(false) })
  client.on('error', () => {}) // A socket reports its own end as an error.
  await client.connect()
  await addRecords(client, [...wholeRecords(records)])
  await client.end()
  for (const sql of [series, ...more, 'ANALYZE']) await sqlIn(database, sql)
  return database
}
