import { sql } from 'drizzle-orm'
import { nameOf } from '../../schema/sql.ts'
import { events, loads, sequences } from '../../schema/tables.ts'
import type { Statement } from '../../src/engine/run/database.ts'
import { integerOf } from '../../src/filters/sql.ts'
import { MAX_GIVEN, statement } from '../../src/store/statement.ts'
import { type Db, readRow } from './rows.ts'

/** Returns how many records of a file earlier loads have passed. The file has no ids, and its digest identifies it. */
export const readPassed = async (db: Db, digest: string): Promise<number> =>
  (await readRow(db, sql`SELECT ${loads.passed} AS passed FROM ${loads} WHERE ${loads.digest} = ${digest}`))?.passed ??
  0

/** Returns the statement that stores how many records of each file are passed. The keys are digests. Clears the map. */
export function markLoads(passed: Map<string, number>): Statement[] {
  if (passed.size === 0) return []
  const [rows, digest, last] = [JSON.stringify([...passed]), nameOf(loads.digest), nameOf(loads.passed)]
  passed.clear()
  return [
    statement(
      sql`INSERT INTO ${loads} (${digest}, ${last}) SELECT value ->> 0, value ->> 1 FROM json_each(?1) WHERE true
      ON CONFLICT (${digest}) DO UPDATE SET ${last} = excluded.${last}`,
      rows,
    ),
  ]
}

const NEXT_EVENT = sql`
  SELECT 1 + max(coalesce((SELECT max(${events.id}) FROM ${events} WHERE ${events.id} < ${integerOf(MAX_GIVEN)}), 0),
    coalesce((SELECT ${sequences.last} FROM ${sequences} WHERE ${sequences.name} = 'event'), 0)) AS id`

/** Returns the id for the next event without one. It never reuses the id of a deleted event that the API created. */
export const nextEventId = async (db: Db): Promise<number> => (await readRow(db, NEXT_EVENT))?.id
