import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { TABLES } from '../../schema/all.ts'
import { ROOT } from './wrangler.ts'

const FOLDER = join(ROOT, 'schema/migrations')
/** The table in which wrangler stores the applied migrations. `wrangler d1 migrations` uses it, too. */
const JOURNAL = `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`
const BREAKPOINT = '--> statement-breakpoint'

/** The migration that makes all tables. Before it there were others with other names, and no release. */
const FIRST = '0000_tables.sql'

const COLUMNS = TABLES.flatMap((table) => {
  const { name, columns } = getTableConfig(table)
  return columns.map((column) => [name, column.name])
})
const MISSING = `SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (
  SELECT 1 FROM pragma_table_xinfo(wanted.value ->> 0) WHERE name = wanted.value ->> 1)`

/** A very large load drops the indexes, see seed/load/indexes.ts. */
const OTHER_INDEX = `SELECT 1 FROM json_each(?) AS wanted WHERE wanted.value NOT IN (
  SELECT sql FROM sqlite_master WHERE sql IS NOT NULL UNION ALL SELECT definition FROM suspended_index)`

/**
 * Applies the missing migrations in order. Each migration is one transaction. Returns false if the tables then lack a
 * column or an index of schema/tables.ts, because an earlier checkout made them.
 */
export async function migrate(db: D1Database): Promise<boolean> {
  await db.prepare(JOURNAL).run()
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  const hasTables = (await db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'event'").first()) !== null
  if (hasTables && !applied.has(FIRST)) return false
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.sql') && !applied.has(name))
  for (const name of names.sort()) {
    const statements = statementsOf(name)
    await db.batch([
      ...statements.map((sql) => db.prepare(sql)),
      db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ])
  }
  if ((await db.prepare(MISSING).bind(JSON.stringify(COLUMNS)).first()) !== null) return false
  const indexes = statementsOf(FIRST).filter((statement) => /^CREATE (UNIQUE )?INDEX/.test(statement))
  return (await db.prepare(OTHER_INDEX).bind(JSON.stringify(indexes)).first()) === null
}

const statementsOf = (migration: string): string[] =>
  readFileSync(join(FOLDER, migration), 'utf8')
    .split(BREAKPOINT)
    .map((statement) => statement.trim().replace(/;$/, ''))
