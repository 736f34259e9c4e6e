import type { D1Database } from '@cloudflare/workers-types'
import { openDatabase } from '../../seed/local/database.ts'

/** Every table, index and row of a database, but for the revision, which counts batches, and what D1 keeps of itself. */
export async function dump(state: string): Promise<Record<string, unknown[]>> {
  const { db, close } = await openDatabase(state, true)
  try {
    return await dumpOf(db)
  } finally {
    await close()
  }
}

const OWN = ['revision', 'd1_migrations', 'sqlite_sequence', '_cf_METADATA', '_cf_KV', '_cf_ALARM']

async function dumpOf(db: D1Database): Promise<Record<string, unknown[]>> {
  const rows = async (sql: string) => (await db.prepare(sql).raw<unknown[]>()) as unknown[]
  const schema = await db.prepare('SELECT name, type FROM sqlite_master ORDER BY name').raw<[string, string]>()
  const names = schema.filter(([, type]) => type === 'table').map(([name]) => name)
  const dumped: Record<string, unknown[]> = { schema }
  for (const name of names.filter((name) => !OWN.includes(name)))
    dumped[name] = (await rows(`SELECT * FROM "${name}" ORDER BY 1, 2`)).map((row) => JSON.stringify(row)).sort()
  return dumped
}
