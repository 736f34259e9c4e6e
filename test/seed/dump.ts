import type { D1Database } from '@cloudflare/workers-types'
import { openDatabase } from '../../seed/local/database.ts'

/** Every table, index and row of a database, but for what tells when, and in how many batches, it was written, and what D1 keeps. */
export async function dump(state: string): Promise<Record<string, unknown[]>> {
  const { db, close } = await openDatabase(state, true)
  try {
    return await dumpOf(db)
  } finally {
    await close()
  }
}

const OWN = ['revision', 'd1_migrations', 'sqlite_sequence', '_cf_METADATA', '_cf_KV', '_cf_ALARM']

/** The stamp of the last write of events is no content. */
const WRITTEN: Readonly<Record<string, string>> = { sequence: "name <> 'event_modified'" }

async function dumpOf(db: D1Database): Promise<Record<string, unknown[]>> {
  const { results } = await db
    .prepare("SELECT name FROM pragma_table_info('event') WHERE name <> 'last_modified'")
    .all()
  const columnsOf = (table: string) => (table === 'event' ? results.map(({ name }) => `"${name}"`).join(', ') : '*')
  const rows = async (sql: string) => (await db.prepare(sql).raw<unknown[]>()) as unknown[]
  const schema = await db.prepare('SELECT name, type FROM sqlite_master ORDER BY name').raw<[string, string]>()
  const names = schema.filter(([, type]) => type === 'table').map(([name]) => name)
  const dumped: Record<string, unknown[]> = { schema }
  for (const name of names.filter((name) => !OWN.includes(name)))
    dumped[name] = (
      await rows(`SELECT ${columnsOf(name)} FROM "${name}" WHERE ${WRITTEN[name] ?? 'true'} ORDER BY 1, 2`)
    )
      .map((row) => JSON.stringify(row))
      .sort()
  return dumped
}
