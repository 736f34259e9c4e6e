import type { Statement } from '../../src/engine/d1/database.ts'
import { emptyBatch, put, statements } from '../../src/store/batch.ts'
import { replacing } from '../../src/store/events.ts'
import type { EventRecord, LoadRecord } from '../../src/store/records.ts'
import { LoadError, reasonOf } from './error.ts'
import { mayPass } from './retry.ts'
import { type Db, runBatch, type Write } from './rows.ts'
import { type Counts, noTotals } from './target.ts'

/** Options for storing records in a database. */
export interface StoreOptions {
  /** The maximum number of records in one transaction. The database stores all of them or none. */
  readonly batchRecords?: number | undefined
  /** Stores a batch. Default: `db.batch`. */
  readonly write?: Write | undefined
  /** If at least this number of events goes into an empty database, the indexes are built at the end. */
  readonly bulkEvents?: number
}

interface InsertOptions extends Omit<StoreOptions, 'bulkEvents'> {
  /** Returns further statements for the transaction of a batch. It is called when the batch is full. */
  readonly mark?: () => Statement[]
  readonly storedIds?: ReadonlySet<number>
  /** Stops before the next batch. */
  readonly signal?: AbortSignal | undefined
  /** False: the batches do not update the counts, and restoreIndexes counts at the end. Default: true. */
  readonly counted?: boolean | undefined
}

const BATCH_RECORDS = 20_000
const BATCH_LENGTH = 16_000_000 // characters of JSON

/**
 * Stores records in order. Each batch is a transaction that also updates derived columns of series and raises the
 * revision. The next batch is prepared meanwhile. Throws LoadError if the database refuses a batch, with a fault that
 * the check missed.
 */
export async function insertRecords(
  db: Db,
  records: Iterable<LoadRecord> | AsyncIterable<LoadRecord>,
  {
    mark = () => [],
    storedIds = new Set(),
    signal,
    batchRecords = BATCH_RECORDS,
    write = (all) => runBatch(db, all),
    counted = true,
  }: InsertOptions = {},
): Promise<Counts> {
  const totals = noTotals()
  let batch = emptyBatch()
  let replacements: EventRecord[] = []
  let flight: Promise<void> = Promise.resolve()
  const store = async () => {
    const full = batch
    const added = full.rows.event.length - replacements.length
    const all = [...replacing(replacements), ...statements(batch, 1000 * Date.now(), { counted }), ...mark()]
    batch = emptyBatch()
    replacements = []
    await flight
    if (signal?.aborted) return
    flight = storeBatch(write, full.records, all, totals).then(() => {
      totals.observation_type += full.rows.observation_type.length
      totals.event_series += full.rows.event_series.length
      totals.event += added
    })
    flight = flight.catch((error) => {
      if (!signal?.aborted) throw error // Ctrl-C also stops the database. The batch is not stored then.
    })
    flight.catch(() => {}) // The next `await flight` throws this error.
  }
  for await (const record of records) {
    if (signal?.aborted) break
    put(batch, record)
    if (record.kind === 'event' && storedIds.has(record.id)) replacements.push(record)
    if (batch.records === batchRecords || batch.length >= BATCH_LENGTH) await store()
  }
  if (batch.records > 0 && !signal?.aborted) await store()
  await flight
  return totals
}

async function storeBatch(write: Write, records: number, all: readonly Statement[], totals: Counts): Promise<void> {
  try {
    await write(all)
  } catch (cause) {
    const stored = totals.event > 0 ? `${totals.event} events before them are stored` : 'Nothing was stored'
    const again = mayPass(cause) || totals.event > 0 ? ' Run the same command again to continue.' : ''
    throw new LoadError(`the database refused ${records} records: ${whyOf(cause)}. ${stored}.${again}`, { cause })
  }
}

/** Returns the message of the database. For a duplicate or a missing series, an explanation comes first. */
function whyOf(cause: unknown): string {
  const message = reasonOf(cause).replace(/[.\s]+$/, '')
  if (/external_id/.test(message))
    return `an event of the series has the same external id: use --key-column to change it (${message})`
  return /constraint failed/i.test(message)
    ? `another record may have the same id or uuid, or a series may be missing (${message})`
    : message
}
