import type { D1Database } from '@cloudflare/workers-types'
import { type Batch, emptyBatch, put, statements } from '../src/write/batch.ts'
import type { LoadRecord } from '../src/write/records.ts'
import { LoadError } from './error.ts'

/** How many records of each kind were stored. */
export type Totals = Record<LoadRecord['kind'], number>

/** Records of one transaction: what has no more is stored whole or not at all. */
const BATCH_RECORDS = 20_000
const BATCH_LENGTH = 16_000_000 // characters of JSON

/**
 * Stores records, in order, a transaction a batch, each of which leaves the derived columns of the series exact and
 * the revision raised. Throws LoadError when the database refuses a batch: checkRecords says beforehand, and why.
 */
export async function insertRecords(
  db: D1Database,
  records: Iterable<LoadRecord> | AsyncIterable<LoadRecord>,
  onBatch: (totals: Totals) => void = () => {},
): Promise<Totals> {
  const totals: Totals = { observation_type: 0, event_series: 0, event: 0 }
  let batch = emptyBatch()
  const store = async () => {
    await write(db, batch, totals)
    batch = emptyBatch()
    onBatch(totals)
  }
  for await (const record of records) {
    put(batch, record)
    if (batch.records === BATCH_RECORDS || batch.length >= BATCH_LENGTH) await store()
  }
  if (batch.records > 0) await store()
  return totals
}

async function write(db: D1Database, batch: Batch, totals: Totals): Promise<void> {
  try {
    await db.batch(statements(batch).map(({ sql, parameters }) => db.prepare(sql).bind(...parameters)))
  } catch (cause) {
    const before = totals.event > 0 ? `${totals.event} events before them are stored` : 'Nothing was stored'
    throw new LoadError(
      `the database refused ${batch.records} records: an id or uuid may be taken, or a series missing. ${before}.`,
      { cause },
    )
  }
  totals.observation_type += batch.observationTypes.length
  totals.event_series += batch.series.length
  totals.event += batch.events.length
}
