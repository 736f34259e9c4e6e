import { type SQL, sql } from 'drizzle-orm'
import type { Row } from '../engine.ts'
import { integer } from './sql.ts'

const MOST = integer(Number.MAX_SAFE_INTEGER)

/** Finds the ids that JavaScript does not have. An index has the least and the greatest id of a view at its ends. */
export const LONG_IDS: SQL<Row> = sql`SELECT view, id::text FROM (
    SELECT 'event' AS view, unnest(ARRAY[min(id), max(id)]) AS id FROM event
    UNION ALL SELECT 'event_series', unnest(ARRAY[min(id), max(id)]) FROM event_series
    UNION ALL SELECT 'observation_type', unnest(ARRAY[min(id), max(id)]) FROM observation_type
  ) AS ids WHERE abs(id::numeric) > ${MOST}`

/** Returns a fault for each of these ids. */
export const longIdFaults = (rows: readonly Row[]): readonly string[] =>
  rows.map(
    ({ view, id }) =>
      `The view ${view} has the id ${id}. An id is at most ${Number.MAX_SAFE_INTEGER}: show a smaller key, such as a column GENERATED ALWAYS AS IDENTITY.`,
  )
