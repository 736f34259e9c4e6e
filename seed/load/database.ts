import { sql } from 'drizzle-orm'
import { events } from '../../schema/tables.ts'
import { ValueError } from '../../src/errors.ts'
import type { ObservationTypeRecord } from '../../src/model/observationType.ts'
import type { SeriesRecord } from '../../src/model/series.ts'
import type { LoadRecord } from '../../src/store/records.ts'
import { NO_ID } from '../read/event.ts'
import { differing, wholeOf } from './drafts.ts'
import { LoadError } from './error.ts'
import { areSuspended, restoreIndexes, suspendIndexes } from './indexes.ts'
import { insertRecords } from './insert.ts'
import { markLoads, nextEventId, readPassed } from './marks.ts'
import { type Db, readRow, type Write } from './rows.ts'
import { readEvents, readNamed, readShort } from './stored.ts'
import { type LoadPlan, type Selected, type Target, taken, type Verdict } from './target.ts'

/** Options for storing records in a database. */
export interface StoreOptions {
  readonly batchRecords?: number
  readonly write?: Write
  /** If at least this number of events goes into an empty database, the indexes are built at the end. */
  readonly bulkEvents?: number
}

const BULK_EVENTS = 100_000

/** Opens a local or deployed database as the target of a load. */
export async function databaseTarget(db: Db, options: StoreOptions = {}): Promise<Target> {
  const { types, series } = await readShort(db)
  const extent = await readRow(db, sql`SELECT min(${events.id}) AS first, max(${events.id}) AS last FROM ${events}`)
  return {
    ...{ types, series, keepsIds: true },
    ...createKnown(types, series),
    mayHave: ({ id }, isNamed) => isNamed || (extent?.first <= id && id <= extent?.last),
    find: (events, isNamed) =>
      isNamed
        ? readNamed(db, events)
        : readEvents(
            db,
            events.map(({ id }) => id),
          ),
    judgeOther: ({ id }, _, field) => takenInDatabase('event id', id, field),
    passed: (digest) => readPassed(db, digest),
    store: async (records, plan) => {
      const totals = await storeRecords(db, records, plan, options)
      return { totals, changed: plan.storedIds.size, unchanged: 0 }
    },
  }
}

type Holder = { readonly record: LoadRecord; readonly place: (() => string) | null }

/** Checks types and series. Their ids and uuids are unique, and a type comes before its series. */
function createKnown(storedTypes: readonly ObservationTypeRecord[], storedSeries: readonly SeriesRecord[]) {
  const holderOf = (record: LoadRecord): Holder => ({ record, place: null })
  const types = new Map(storedTypes.map((record) => [record.id, holderOf(record)]))
  const series = new Map(storedSeries.map((record) => [record.id, holderOf(record)]))
  const uuids = new Map(storedSeries.map((record) => [record.uuid, holderOf(record)]))
  const checkSeries = (record: SeriesRecord, place: () => string): Verdict => {
    const { id, uuid, observation_type } = record
    if (!types.has(observation_type)) return { fault: absent('observation type', observation_type) }
    const [holder, twin] = [series.get(id), uuids.get(uuid)]
    if (holder !== undefined) return judgeOf('event series id', id, record, holder)
    if (twin !== undefined) return judgeOf('event series uuid', uuid, record, twin)
    series.set(id, { record, place })
    uuids.set(uuid, { record, place })
    return 'new'
  }
  const check: Target['check'] = (record, place) => {
    if (record.kind === 'event_series') return checkSeries(record, place)
    const holder = types.get(record.id)
    if (holder !== undefined) return judgeOf('observation type id', record.id, record, holder)
    types.set(record.id, { record, place })
    return 'new'
  }
  return { check, seriesFault: (id: number) => (series.has(id) ? null : absent('event series', id)) }
}

/**
 * Compares a record with the record that has its id or uuid. Two records of files are always a fault. A stored record
 * is a fault if its content differs.
 */
function judgeOf(label: string, key: number | string, record: LoadRecord, { record: other, place }: Holder): Verdict {
  if (place !== null) return taken(label, key, `at ${place()}`)
  const field = differing(record, other)
  return field === undefined ? 'same' : takenInDatabase(label, key, field)
}

const takenInDatabase = (label: string, key: number | string, field: string) =>
  taken(label, key, `in the database, with another "${field}"`)

const absent = (label: string, id: number) =>
  `there is no ${label} ${id} in the database or on an earlier line: add it, or enter the id of an existing one`

async function storeRecords(
  db: Db,
  selected: AsyncIterable<Selected>,
  { totals, storedIds, needsIds, isNamed, signal }: LoadPlan,
  { batchRecords, write, bulkEvents = BULK_EVENTS }: StoreOptions,
) {
  const passed = new Map<string, number>()
  async function* numbered(): AsyncGenerator<Selected> {
    let id = needsIds ? await nextEventId(db) : NO_ID
    for await (const each of selected) {
      const { record, digest, number, storedId } = each
      const isNew = record.kind === 'event' && record.id === NO_ID
      if (isNew && !isNamed && digest !== null) passed.set(digest, number)
      yield isNew ? { ...each, record: { ...record, id: storedId ?? id++ } } : each
    }
  }
  const isBulk = totals.event >= bulkEvents && (await readRow(db, sql`SELECT 1 FROM ${events} LIMIT 1`)) === undefined
  if (isBulk && !(await areSuspended(db))) await suspendIndexes(db)
  const done = await insertRecords(db, storedIds.size === 0 ? wholeNew(numbered()) : merged(db, numbered()), {
    mark: () => markLoads(passed),
    ...{ storedIds, signal, batchRecords, write, counted: !(await areSuspended(db)) },
  })
  if (!signal?.aborted) await restoreIndexes(db)
  return done
}

/** Completes new records. It yields each at once, because a progress mark counts only records that were stored. */
async function* wholeNew(selected: AsyncIterable<Selected>): AsyncGenerator<LoadRecord> {
  for await (const { record } of selected) yield record.kind === 'event' ? wholeOf(record) : record
}

/** The number of records that are merged at once. */
const AT_ONCE = 1_000

/** Completes records. A record that changes a stored event is merged into that event. */
async function* merged(db: Db, selected: AsyncIterable<Selected>): AsyncGenerator<LoadRecord> {
  let batch: Selected[] = []
  const complete = async (): Promise<LoadRecord[]> => {
    const ids = batch.flatMap(({ storedId }) => storedId ?? [])
    const stored = new Map((await readEvents(db, ids)).map((event) => [event.id, event]))
    return batch.map(({ record }) => (record.kind === 'event' ? wholeOf(record, stored.get(record.id)) : record))
  }
  try {
    for await (const each of selected)
      if (batch.push(each) === AT_ONCE) {
        yield* await complete()
        batch = []
      }
    yield* await complete()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    throw new LoadError(`the database was changed during the load: start it again (${error.message})`, { cause: error })
  }
}
