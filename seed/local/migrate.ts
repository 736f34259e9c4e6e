import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'

/** The table in which wrangler stores the applied migrations. `wrangler d1 migrations` uses it, too. */
const JOURNAL = `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`
const BREAKPOINT = '--> statement-breakpoint'

/**
 * Applies the missing migrations of a folder in order, up to `last`, or all of them. Each migration is one transaction.
 */
export async function migrate(db: D1Database, folder: string, last?: string): Promise<void> {
  await db.prepare(JOURNAL).run()
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  for (const name of migrationsOf(folder)) {
    if (!applied.has(name)) {
      const statements = readFileSync(join(folder, name), 'utf8').split(BREAKPOINT)
      await db.batch([
        ...statements.map((sql) => db.prepare(sql)),
        db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
      ])
    }
    if (name === last) return
  }
}

/** Returns true if a database has every migration of a folder. */
export async function isApplied(db: D1Database, folder: string): Promise<boolean> {
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  return migrationsOf(folder).every((name) => applied.has(name))
}

/** Returns the file names of the migrations in a folder, in order. */
export const migrationsOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
