import type { D1Database } from '@cloudflare/workers-types'
import { recountBatches } from '../../schema/counts.ts'
import { DERIVE_ALL } from '../../src/store/derived.ts'
import { RAISE_REVISION, statement } from '../../src/store/statement.ts'

/**
 * Computes all counts and the derived columns of the series, and raises the revision. Each tree of counts has its own
 * transaction, because D1 limits a transaction to 30 seconds. Returns the number of transactions.
 */
export async function recount(db: D1Database): Promise<number> {
  const batches = [...recountBatches(), [statement(DERIVE_ALL).sql]]
  for (const batch of batches) await db.batch([...batch, RAISE_REVISION.sql].map((text) => db.prepare(text)))
  return batches.length
}
