import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'

/** The table in which wrangler stores the applied migrations. `wrangler d1 migrations` uses it, too. */
const JOURNAL = `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`
const BREAKPOINT = '--> statement-breakpoint'

/** The migration that makes all tables. Before it there were others with other names, and no release. */
const TABLES = '0000_tables.sql'

/**
 * Applies the missing migrations of a folder in order. Each migration is one transaction. Returns false without a
 * change if an earlier checkout made the tables.
 */
export async function migrate(db: D1Database, folder: string): Promise<boolean> {
  await db.prepare(JOURNAL).run()
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  const hasTables = (await db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'event'").first()) !== null
  if (hasTables && !applied.has(TABLES)) return false
  for (const name of migrationsOf(folder).filter((each) => !applied.has(each))) {
    const statements = readFileSync(join(folder, name), 'utf8').split(BREAKPOINT)
    await db.batch([
      ...statements.map((sql) => db.prepare(sql)),
      db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ])
  }
  return true
}

/** Returns the file names of the migrations in a folder, in order. */
const migrationsOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
