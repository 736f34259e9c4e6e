import type { D1Database } from '@cloudflare/workers-types'
import type { Statement } from '../src/query/db/d1.ts'

const MAX_GIVEN = 2 ** 52 // ids from here on are of files that have their own

/** How many records of a file without ids earlier loads have passed, by its digest. */
export const readPassed = async (db: D1Database, digest: string): Promise<number> =>
  (await db.prepare('SELECT passed FROM load_progress WHERE digest = ?').bind(digest).first<number>('passed')) ?? 0

/** The statement that keeps how many records of files are passed, by digest; empties what it was told. */
export function markLoads(passed: Map<string, number>): Statement[] {
  if (passed.size === 0) return []
  const rows = JSON.stringify([...passed])
  passed.clear()
  const sql = `
    INSERT INTO load_progress (digest, passed) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
    ON CONFLICT (digest) DO UPDATE SET passed = excluded.passed`
  return [{ sql, parameters: [rows] }]
}

const NEXT_EVENT = `
  SELECT 1 + max(coalesce((SELECT max(id) FROM event WHERE id < ${MAX_GIVEN}), 0),
    coalesce((SELECT last FROM sequence WHERE name = 'event'), 0)) AS id`

/** The id that the next event without one gets: none that the API has given to one that was deleted. */
export const nextEventId = async (db: D1Database): Promise<number> =>
  (await db.prepare(NEXT_EVENT).first<number>('id')) ?? 1
