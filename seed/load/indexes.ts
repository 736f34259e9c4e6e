import type { D1Database } from '@cloudflare/workers-types'
import { getTableName, sql } from 'drizzle-orm'
import { recountStatements } from '../../schema/counts.ts'
import { listed, nameOf, textOf } from '../../schema/sql.ts'
import { events, suspendedIndexes } from '../../schema/tables.ts'

const { name, definition } = suspendedIndexes
const SUSPEND = sql`INSERT INTO ${suspendedIndexes} (${listed([name, definition].map(nameOf))})`
const INDEXES = sql`FROM sqlite_master WHERE type = 'index' AND tbl_name = ${getTableName(events)} AND sql IS NOT NULL`

/**
 * Drops the indexes of the table of events, because a bulk load is faster without them. Their definitions are stored.
 * Rows stored from now on do not update the counts. Call restoreIndexes afterwards.
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
 * Builds the suspended indexes, then counts all events. Each step is one transaction that also removes its entry, so an
 * interrupted run can be continued. Returns the number of steps.
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

/** Returns true if some suspended indexes have not been restored. */
export const areSuspended = async (db: D1Database): Promise<boolean> =>
  (await db.prepare(textOf(sql`SELECT 1 FROM ${suspendedIndexes}`)).first()) !== null
