import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoadError } from '../load/error.ts'
import type { Db } from '../load/rows.ts'
import { ROOT } from './wrangler.ts'

const FOLDER = join(ROOT, 'schema/migrations')
/** The table in which wrangler stores the applied migrations. `wrangler d1 migrations` uses it, too. */
const JOURNAL = `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`
const BREAKPOINT = '--> statement-breakpoint'

/** The first migration. Databases of versions before 1.0.0 have others, and may have other tables and counts. */
const FIRST = '0000_1.0.0.sql'

/**
 * Applies the missing migrations in order. Each migration is one transaction. Throws LoadError if another version must do
 * it. `place` names the database.
 */
export async function migrate(db: Db, place: string): Promise<void> {
  const { applied, missing } = await journalOf(db, place)
  await db.prepare(JOURNAL).run()
  for (const name of missing) {
    const statements = statementsOf(name)
    try {
      await db.batch([
        ...statements.map((sql) => db.prepare(sql)),
        db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
      ])
    } catch (error) {
      if ((await appliedIn(db)).has(name)) continue // Another program did it meanwhile.
      throw error
    }
    if (applied.size > 0) console.error(`Changed the database ${place} by ${name}. Earlier versions refuse it now.`)
  }
}

/** Throws LoadError for a deployed database without all migrations of this version, or with others. */
export async function refuseOthers(db: Db): Promise<void> {
  const { missing } = await journalOf(db, 'that is deployed')
  if (missing.length > 0)
    throw new LoadError(
      `the deployed database lacks ${missing.join(', ')}: run npm run wrangler -- d1 migrations apply DB --remote`,
    )
}

interface Journal {
  readonly applied: ReadonlySet<string>
  /** They have the order in which they are applied. */
  readonly missing: readonly string[]
}

/**
 * Reads the applied and the missing migrations. Throws LoadError for a database of a version before 1.0.0, whose counts
 * would be read as others, and of a later version, whose columns would be left out.
 */
async function journalOf(db: Db, place: string): Promise<Journal> {
  const applied = await appliedIn(db)
  if (applied.size > 0 && !applied.has(FIRST)) throw earlier(place)
  const known = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))
  const unknown = [...applied].filter((name) => !known.includes(name))
  const last = unknown.sort().at(-1)
  if (last !== undefined) throw later(place, last)
  return { applied, missing: known.filter((name) => !applied.has(name)).sort() }
}

const earlier = (place: string): LoadError =>
  new LoadError(`a version before 1.0.0 made the database ${place}.
Run git checkout v1.0.0-rc.1, or the commit that made it. There run npm ci && npm run export -- before.ndjson.gz
Then load the file into a new database with this version. If you do not need the data, delete the database.`)

/** The name of a migration has its version, as 0001_1.1.0.sql. */
const later = (place: string, name: string): LoadError =>
  new LoadError(`a later version changed the database ${place}: it has ${name}.
Run git checkout ${name.replace(/^\d+_(.*)\.sql$/, 'v$1')} && npm ci. Then run the same command again.`)

/** Returns the names of the applied migrations. The first versions noted none: the name of their table stands for them. */
async function appliedIn(db: Db): Promise<ReadonlySet<string>> {
  const { results } = await db.prepare("SELECT name FROM sqlite_master WHERE name IN ('event', 'd1_migrations')").all()
  const tables = results.map(({ name }) => String(name))
  if (!tables.includes('d1_migrations')) return new Set(tables)
  const applied = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  return new Set(applied.results.map(({ name }) => name))
}

const statementsOf = (migration: string): string[] =>
  readFileSync(join(FOLDER, migration), 'utf8')
    .split(BREAKPOINT)
    .map((statement) => statement.trim().replace(/;$/, ''))
