import type { D1Database } from '@cloudflare/workers-types'
import { getTableName, sql } from 'drizzle-orm'
import { recountStatements } from '../../schema/counts.ts'
import { listed, nameOf, textOf } from '../../schema/sql.ts'
import { events, suspendedIndexes } from '../../schema/tables.ts'

const { name, definition } = suspendedIndexes
const SUSPEND = sql`INSERT INTO ${suspendedIndexes} (${listed([name, definition].map(nameOf))})`
const INDEXES = sql`FROM sqlite_master WHERE type = 'index' AND tbl_name = ${getTableName(events)} AND sql IS NOT NULL`

/**
 * Takes the indexes of the events away, to build them again in one go at the end, and to count everything then: what is
 * stored meanwhile leaves the counts out. See restoreIndexes.
 */
export async function suspendIndexes(db: D1Database): Promise<void> {
  const { results } = await db.prepare(textOf(sql`SELECT name ${INDEXES}`)).all<{ name: string }>()
  await db.batch([
    db.prepare(textOf(sql`${SUSPEND} SELECT name, sql ${INDEXES}`)),
    ...results.map(({ name }) => db.prepare(`DROP INDEX "${name}"`)),
    db
      .prepare(textOf(sql`${SUSPEND} SELECT printf('count %03d', key), value FROM json_each(?1)`))
      .bind(JSON.stringify(recountStatements())),
  ])
}

/**
 * Builds the indexes that were taken away, also by a load that was cut short, then counts: each step in a transaction.
 * Answers how many steps there were.
 */
export async function restoreIndexes(db: D1Database): Promise<number> {
  const { results } = await db
    .prepare(textOf(sql`SELECT ${name}, ${definition} FROM ${suspendedIndexes} ORDER BY ${name} LIKE 'count %', rowid`))
    .all<{ name: string; definition: string }>()
  for (const row of results)
    await db.batch([
      db.prepare(row.definition),
      db.prepare(textOf(sql`DELETE FROM ${suspendedIndexes} WHERE ${name} = ?1`)).bind(row.name),
    ])
  return results.length
}

/** Whether indexes were taken away and are not built again yet. */
export const areSuspended = async (db: D1Database): Promise<boolean> =>
  (await db.prepare(textOf(sql`SELECT 1 FROM ${suspendedIndexes}`)).first()) !== null
