import type { D1Database } from '@cloudflare/workers-types'
import { recountStatements } from '../../schema/counts.ts'

/**
 * Takes the indexes of the events away, to build them again in one go at the end, and to count everything then: what is
 * stored meanwhile leaves the counts out. See restoreIndexes.
 */
export async function suspendIndexes(db: D1Database): Promise<void> {
  const { results } = await db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'event' AND sql IS NOT NULL")
    .all<{ name: string }>()
  await db.batch([
    db.prepare(`
      INSERT INTO suspended_index (name, definition)
      SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'event' AND sql IS NOT NULL`),
    ...results.map(({ name }) => db.prepare(`DROP INDEX "${name}"`)),
    db
      .prepare(
        "INSERT INTO suspended_index (name, definition) SELECT printf('count %03d', key), value FROM json_each(?)",
      )
      .bind(JSON.stringify(recountStatements())),
  ])
}

/**
 * Builds the indexes that were taken away, also by a load that was cut short, then counts: each step in a transaction.
 * Answers how many steps there were.
 */
export async function restoreIndexes(db: D1Database): Promise<number> {
  const { results } = await db
    .prepare("SELECT name, definition FROM suspended_index ORDER BY name LIKE 'count %', rowid")
    .all<Record<string, string>>()
  for (const { name = '', definition = '' } of results)
    await db.batch([db.prepare(definition), db.prepare('DELETE FROM suspended_index WHERE name = ?').bind(name)])
  return results.length
}

/** Whether indexes were taken away and are not built again yet. */
export const areSuspended = async (db: D1Database): Promise<boolean> =>
  (await db.prepare('SELECT 1 FROM suspended_index').first()) !== null
