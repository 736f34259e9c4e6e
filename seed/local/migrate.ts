import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { TABLES } from '../../schema/all.ts'
import { LoadError } from '../load/error.ts'
import type { Db } from '../load/rows.ts'
import { ROOT } from './wrangler.ts'

const FOLDER = join(ROOT, 'schema/migrations')
/** The table in which wrangler stores the applied migrations. `wrangler d1 migrations` uses it, too. */
const JOURNAL = `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`
const BREAKPOINT = '--> statement-breakpoint'

/** The migration that makes all tables. It has another name than those of versions with other tables or counts. */
const FIRST = '0000_schema.sql'

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
 * Applies the missing migrations in order. Each migration is one transaction. Throws LoadError if an earlier version made
 * the tables. `place` names the database.
 */
export async function migrate(db: Db, place: string): Promise<void> {
  await refuseEarlier(db, place)
  await db.prepare(JOURNAL).run()
  const applied = await appliedIn(db)
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.sql') && !applied.has(name))
  for (const name of names.sort()) {
    const statements = statementsOf(name)
    await db.batch([
      ...statements.map((sql) => db.prepare(sql)),
      db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ])
  }
  const indexes = statementsOf(FIRST).filter((statement) => /^CREATE (UNIQUE )?INDEX/.test(statement))
  const missing = await db.prepare(MISSING).bind(JSON.stringify(COLUMNS)).first()
  const other = await db.prepare(OTHER_INDEX).bind(JSON.stringify(indexes)).first()
  if (missing !== null || other !== null) throw earlier(place)
}

/** Throws LoadError for a database with the tables of an earlier version. Its counts would be read as others. */
export async function refuseEarlier(db: Db, place: string): Promise<void> {
  const { results } = await db.prepare("SELECT name FROM sqlite_master WHERE name IN ('event', 'd1_migrations')").all()
  const tables = results.map(({ name }) => name)
  if (!tables.includes('event')) return
  if (!tables.includes('d1_migrations') || !(await appliedIn(db)).has(FIRST)) throw earlier(place)
}

/** Throws LoadError for a database with migrations of a later version. This version would leave out their columns. */
export async function refuseLater(db: Db): Promise<void> {
  const known = readdirSync(FOLDER)
  const later = [...(await appliedIn(db))].filter((name) => !known.includes(name))
  if (later.length > 0)
    throw new LoadError(
      `a later version changed the database: it has ${later.join(', ')}. Run this command in a checkout of that version`,
    )
}

const earlier = (place: string): LoadError =>
  new LoadError(`an earlier version made the database ${place}: export it with npm run export in a checkout of that version.
Then load the file into a new database. If you do not need its data, delete it.`)

const appliedIn = async (db: Db): Promise<ReadonlySet<string>> => {
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  return new Set(results.map(({ name }) => name))
}

const statementsOf = (migration: string): string[] =>
  readFileSync(join(FOLDER, migration), 'utf8')
    .split(BREAKPOINT)
    .map((statement) => statement.trim().replace(/;$/, ''))
