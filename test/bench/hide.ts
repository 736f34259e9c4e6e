import type { D1Database } from '@cloudflare/workers-types'
import { countStatements } from '../../schema/counts.ts'
import { RAISE_AT_ONCE } from '../revisions.ts'

const PRIVATE = 200

/**
 * Makes series private. The same batch removes the counts of their events, and adds them again for the new access
 * level.
 */
export const hideSeries = async (db: D1Database, series: readonly number[]): Promise<void> => {
  for (const id of series) {
    const { results } = await db.prepare('SELECT id FROM event WHERE event_series_id = ?').bind(id).all()
    const ids = JSON.stringify(results.map((row) => row.id))
    const counted = (sign: 1 | -1) => countStatements(sign).map((text) => db.prepare(text).bind(ids))
    await db.batch([
      ...counted(-1),
      db.prepare('UPDATE event_series SET access_modifier = ? WHERE id = ?').bind(PRIVATE, id),
      ...counted(1),
      db.prepare(RAISE_AT_ONCE),
    ])
  }
}
