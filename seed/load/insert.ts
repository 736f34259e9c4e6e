import type { D1Database } from '@cloudflare/workers-types'
import type { Statement } from '../../src/query/db/d1.ts'
import { type Batch, emptyBatch, put, statements } from '../../src/store/batch.ts'
import { replacing } from '../../src/store/events.ts'
import type { EventRecord, LoadRecord } from '../../src/store/records.ts'
import { noTotals, type Totals } from './check.ts'
import { LoadError } from './error.ts'
import { mayPass, type Write } from './patience.ts'

/** What may be said of storing records. */
export interface InsertOptions {
  /** Told of each batch that is stored: how many records are by then. */
  readonly onBatch?: (totals: Totals) => void
  /** The statements that belong into the batch of the records so far, asked for when one is full. */
  readonly mark?: () => Statement[]
  /** Whether an event takes the place of the one with its id. */
  readonly isReplaced?: (id: number) => boolean
  /** Ends before the next batch. */
  readonly signal?: AbortSignal | undefined
  /** Records of one transaction: what has no more is stored whole or not at all. */
  readonly batchRecords?: number | undefined
  /** What stores a batch; by default the database itself. */
  readonly write?: Write | undefined
  /** What is stored is counted as it is stored; else all is counted at the end, see indexes.ts. */
  readonly counted?: boolean | undefined
}

const BATCH_RECORDS = 20_000
const BATCH_LENGTH = 16_000_000 // characters of JSON

/**
 * Stores records, in order, a transaction a batch, each of which leaves the derived columns of the series exact and
 * the revision raised. While one batch is stored, the next is made. Throws LoadError when the database refuses a batch:
 * createCheck says beforehand, and why.
 */
export async function insertRecords(
  db: D1Database,
  records: Iterable<LoadRecord> | AsyncIterable<LoadRecord>,
  {
    onBatch = () => {},
    mark = () => [],
    isReplaced = () => false,
    signal,
    batchRecords = BATCH_RECORDS,
    write = writeTo(db),
    counted = true,
  }: InsertOptions = {},
): Promise<Totals> {
  const totals = noTotals()
  let batch = emptyBatch()
  let others: EventRecord[] = []
  let flight: Promise<void> = Promise.resolve()
  const store = async () => {
    const [made, replaced] = [batch, others.length]
    const all = [...replacing(others), ...statements(batch, 1000 * Date.now(), counted), ...mark()]
    batch = emptyBatch()
    others = []
    await flight
    if (signal?.aborted) return
    flight = storeBatch(write, made, all, totals).then(() => {
      totals.event -= replaced
      onBatch(totals)
    })
    flight = flight.catch((error) => {
      if (!signal?.aborted) throw error // Ctrl-C ends the database, too: then the batch is not stored.
    })
    flight.catch(() => {}) // Told to the next who waits for it.
  }
  for await (const record of records) {
    if (signal?.aborted) break
    put(batch, record)
    if (record.kind === 'event' && isReplaced(record.id)) others.push(record)
    if (batch.records === batchRecords || batch.length >= BATCH_LENGTH) await store()
  }
  if (batch.records > 0 && !signal?.aborted) await store()
  await flight
  return totals
}

const writeTo =
  (db: D1Database): Write =>
  (statements) =>
    db.batch(statements.map(({ sql, parameters }) => db.prepare(sql).bind(...parameters)))

async function storeBatch(write: Write, batch: Batch, all: readonly Statement[], totals: Totals): Promise<void> {
  try {
    await write(all)
  } catch (cause) {
    const stored = totals.event > 0 ? `${totals.event} events before them are stored` : 'Nothing was stored'
    const again = mayPass(cause) || totals.event > 0 ? ' The same command goes on from there.' : ''
    throw new LoadError(`the database refused ${batch.records} records: ${whyOf(cause)}. ${stored}.${again}`, { cause })
  }
  totals.observation_type += batch.observationTypes.length
  totals.event_series += batch.series.length
  totals.event += batch.events.length
}

/** What the database said; of an id that is taken, or a series that is not there, in words of ours first. */
function whyOf(cause: unknown): string {
  const said = (cause instanceof Error ? cause.message : String(cause)).replace(/[.\s]+$/, '')
  if (/external_id/.test(said)) return `an event of the series has the same external id: --key changes it (${said})`
  return /constraint failed/i.test(said) ? `an id or uuid may be taken, or a series missing (${said})` : said
}
