import { recountBatches } from '../../schema/counts.ts'
import { DERIVE_ALL } from '../../src/store/derived.ts'
import { RAISE_REVISION, statement } from '../../src/store/statement.ts'
import { type Db, runBatch } from './rows.ts'

/**
 * Computes all counts and the derived columns of the series, and raises the revision. Each tree of counts has its own
 * transaction, because D1 limits a transaction to 30 seconds.
 */
export async function recount(db: Db): Promise<void> {
  for (const batch of [...recountBatches(), [statement(DERIVE_ALL).sql]])
    await runBatch(db, [...batch.map((text) => statement(text)), RAISE_REVISION])
}
