import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from './tables.ts'

export const MIGRATIONS = join(import.meta.dirname, 'migrations')

/** Returns the names of all migrations in their order. */
export const migrationNames = (): readonly string[] =>
  readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()

/** Makes the tables of all migrations in memory. */
export const migrated = (): DatabaseSync => {
  const db = new DatabaseSync(':memory:')
  for (const name of migrationNames()) db.exec(readFileSync(join(MIGRATIONS, name), 'utf8'))
  return db
}

/** A new node or change writes no row for its primary key. Drizzle cannot declare this. */
const BARE = [schema.eventCounts, schema.changes].map((table) => `CREATE TABLE \`${getTableName(table)}\``)

/** Counts the steps to a table without references. */
const depthOf = (table: SQLiteTable): number =>
  Math.max(0, ...getTableConfig(table).foreignKeys.map((key) => 1 + depthOf(key.reference().foreignTable)))

/** All tables of schema/tables.ts. Each one follows the tables that it refers to. */
const TABLES = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .sort((one, other) => depthOf(one) - depthOf(other))

/** Makes the tables of schema/tables.ts in memory. */
export const declared = async (): Promise<DatabaseSync> => {
  const [none, all] = await Promise.all([generateSQLiteDrizzleJson({}), generateSQLiteDrizzleJson({ ...TABLES })])
  const db = new DatabaseSync(':memory:')
  for (const statement of await generateSQLiteMigration(none, all)) {
    const isBare = BARE.some((start) => statement.startsWith(start))
    db.exec(isBare ? statement.trim().replace(/;$/, ' WITHOUT ROWID') : statement)
  }
  return db
}

/** Describes tables, their columns in any order, references and indexes. */
const SHAPE = `
  SELECT concat_ws(' ', 'the column', t.name || '.' || c.name, lower(c.type), iif(c."notnull", 'NOT NULL', NULL),
    'DEFAULT ' || c.dflt_value, 'key ' || nullif(c.pk, 0), 'generated ' || nullif(c.hidden, 0)) AS part
  FROM sqlite_master AS t JOIN pragma_table_xinfo(t.name) AS c WHERE t.type = 'table'
  UNION SELECT concat_ws(' ', 'the reference', t.name || '.' || f."from", 'to', f."table", f."to", f.on_update, f.on_delete)
  FROM sqlite_master AS t JOIN pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table'
  UNION SELECT 'the table ' || name || iif(wr, ' without rowid', '') FROM pragma_table_list WHERE type = 'table'
  UNION SELECT replace(sql, '\`', '"') FROM sqlite_master WHERE type <> 'table' AND sql IS NOT NULL`

const shapeOf = (db: DatabaseSync): readonly string[] => {
  const rows = db.prepare(SHAPE).all()
  return rows.map(({ part }) => String(part))
}

/** Returns sentences about the differences between a database and schema/tables.ts. */
export const differencesOf = (db: DatabaseSync, wanted: DatabaseSync): readonly string[] => {
  const [has, wants] = [shapeOf(db), shapeOf(wanted)]
  return [
    ...wants.filter((part) => !has.includes(part)).map((part) => `The migrations do not make ${part}`),
    ...has.filter((part) => !wants.includes(part)).map((part) => `schema/tables.ts does not have ${part}`),
  ]
}

/**
 * Writes each table, column and index with the statement that adds it. It is null for a column that is NOT NULL without a
 * default, which a table with rows does not take. Only a column has a table: a new table has its columns. Drizzle writes each
 * column on a line of its own.
 */
const PARTS = `
  SELECT 'table ' || name AS key, '' AS "table", sql AS statement FROM sqlite_master WHERE type = 'table'
  UNION ALL SELECT 'column ' || name, 'table ' || "table", iif(fits, 'ALTER TABLE \`' || "table" || '\` ADD '
    || trim(substr(rest, 1, instr(rest, char(10)) - 1), ',' || char(9)), NULL) FROM (
    SELECT t.name AS "table", t.name || '.' || c.name AS name, c."notnull" = 0 OR c.dflt_value IS NOT NULL AS fits,
      substr(t.sql, instr(t.sql, '	\`' || c.name || '\` ')) AS rest
    FROM sqlite_master AS t JOIN pragma_table_xinfo(t.name) AS c WHERE t.type = 'table')
  UNION ALL SELECT 'index ' || name, '', sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`

/** Returns a statement for each table, column and index that a database lacks, and that can be added. */
export const additionsFor = (db: DatabaseSync, wanted: DatabaseSync): readonly string[] => {
  const [stored, all] = [db.prepare(PARTS).all(), wanted.prepare(PARTS).all()]
  const known = ['', ...stored.map(({ key }) => key)]
  const missing = all.filter(({ key, table }) => known.includes(table) && !known.includes(key))
  return missing.flatMap(({ statement }) => (statement === null ? [] : String(statement)))
}
