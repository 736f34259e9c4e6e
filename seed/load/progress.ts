import type { D1Database } from '@cloudflare/workers-types'
import { sql } from 'drizzle-orm'
import { nameOf, textOf } from '../../schema/sql.ts'
import { events, loads, sequences } from '../../schema/tables.ts'
import type { Statement } from '../../src/query/db/d1.ts'
import { MAX_GIVEN, statement } from '../../src/store/statement.ts'

const PASSED = textOf(sql`SELECT ${loads.passed} AS passed FROM ${loads} WHERE ${loads.digest} = ?1`)

/** Returns how many records of a file earlier loads have passed. The file has no ids, and its digest identifies it. */
export const readPassed = async (db: D1Database, digest: string): Promise<number> =>
  (await db.prepare(PASSED).bind(digest).first<number>('passed')) ?? 0

/** Returns the statement that stores how many records of each file are passed. The keys are digests. Clears the map. */
export function markLoads(passed: Map<string, number>): Statement[] {
  if (passed.size === 0) return []
  const rows = JSON.stringify([...passed])
  passed.clear()
  const [digest, last] = [nameOf(loads.digest), nameOf(loads.passed)]
  return [
    statement(
      sql`INSERT INTO ${loads} (${digest}, ${last}) SELECT value ->> 0, value ->> 1 FROM json_each(?1) WHERE true
      ON CONFLICT (${digest}) DO UPDATE SET ${last} = excluded.${last}`,
      rows,
    ),
  ]
}

const NEXT_EVENT = textOf(sql`
  SELECT 1 + max(coalesce((SELECT max(${events.id}) FROM ${events} WHERE ${events.id} < ${MAX_GIVEN}), 0),
    coalesce((SELECT ${sequences.last} FROM ${sequences} WHERE ${sequences.name} = 'event'), 0)) AS id`)

/** Returns the id for the next event without one. It never reuses the id of a deleted event that the API created. */
export const nextEventId = async (db: D1Database): Promise<number> =>
  (await db.prepare(NEXT_EVENT).first<number>('id')) ?? 1
