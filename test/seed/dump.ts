import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Reads rows of the local database in a folder. It opens the file directly, because starting D1 takes a second. */
export function query(state: string, sql: string): Record<string, unknown>[] {
  const db = open(state)
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}

/** Reads a table in the order of its ids, without the state of series. It depends on the number and time of writes. */
export const tableOf = (state: string, table: string): Record<string, unknown>[] =>
  query(state, `SELECT * FROM ${table} ORDER BY id`).map(({ revision: _, changed: __, ...row }) => row)

/**
 * Reads every table, index and row of a database. It leaves out the times and the number of batches of its writes, its
 * changes, and the tables of D1.
 */
export function dump(state: string): Record<string, unknown[]> {
  const db = open(state)
  try {
    return dumpOf(db)
  } finally {
    db.close()
  }
}

function open(state: string): DatabaseSync {
  const files = globSync(join(state, 'v3/d1/*/*.sqlite')).filter((file) => !file.endsWith('metadata.sqlite'))
  const [file, ...others] = files
  if (file === undefined || others.length > 0) throw new Error(`${files.length} databases in ${state}`)
  // The workerd of a killed command may hold the database for a moment.
  return new DatabaseSync(file, { timeout: 10_000 })
}

/** Tables of D1, and tables that depend on the number of writes or on the database. */
const OWN = [
  'revision',
  'change',
  'mark_rule',
  'd1_migrations',
  'sqlite_sequence',
  '_cf_METADATA',
  '_cf_KV',
  '_cf_ALARM',
]

/** Conditions for rows to compare. The time of the last write is left out. */
const WRITTEN: Readonly<Record<string, string>> = { sequence: "name <> 'event_modified'" }

/** The columns that depend on the number and time of writes, by table. */
const OF_WRITES: Readonly<Record<string, readonly string[]>> = {
  event: ['last_modified'],
  event_series: ['revision', 'changed'],
}

function dumpOf(db: DatabaseSync): Record<string, unknown[]> {
  const rows = (sql: string): Record<string, unknown>[] => db.prepare(sql).all()
  const columnsOf = (table: string) =>
    rows(`SELECT name FROM pragma_table_info('${table}')`)
      .map(({ name }) => String(name))
      .filter((name) => !OF_WRITES[table]?.includes(name))
      .map((name) => `"${name}"`)
      .join(', ')
  const schema = rows('SELECT name, type FROM sqlite_master ORDER BY name')
  const names = schema.filter(({ type }) => type === 'table').map(({ name }) => String(name))
  const dumped: Record<string, unknown[]> = { schema }
  for (const name of names.filter((name) => !OWN.includes(name)))
    dumped[name] = rows(`SELECT ${columnsOf(name)} FROM "${name}" WHERE ${WRITTEN[name] ?? 'true'}`)
      .map((row) => JSON.stringify(row))
      .sort()
  return dumped
}
