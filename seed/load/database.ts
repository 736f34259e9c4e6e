import { sql } from 'drizzle-orm'
import { nameOf } from '../../schema/sql.ts'
import { eventSeries, events, loads, sequences } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../../src/base/access.ts'
import { at, chunksOf } from '../../src/base/collections.ts'
import { ValueError } from '../../src/base/errors.ts'
import type { Statement } from '../../src/engine/d1/database.ts'
import { integerOf } from '../../src/engine/d1/sql.ts'
import { type MetadataRow, metadataOf } from '../../src/model/metadata.ts'
import type { Metadata } from '../../src/model/types.ts'
import { removeEvents } from '../../src/store/events.ts'
import type { LoadRecord, ObservationTypeRecord, SeriesRecord } from '../../src/store/records.ts'
import { changeMetadata } from '../../src/store/series.ts'
import { guard, MAX_GIVEN, STEP, statement } from '../../src/store/statement.ts'
import { NO_ID } from '../read/event.ts'
import { addressOfEvents } from './conversion.ts'
import { differing, wholeOf } from './drafts.ts'
import { LoadError, reasonOf } from './error.ts'
import { areSuspended, restoreIndexes, suspendIndexes } from './indexes.ts'
import { insertRecords, type StoreOptions } from './insert.ts'
import { type Db, readRow, readRows, runBatch } from './rows.ts'
import { readAllEvents, readEvents, readNamed, readShort } from './stored.ts'
import { type LoadPlan, type Selected, type Target, taken, type Verdict } from './target.ts'

const BULK_EVENTS = 100_000

/** Selects the first and the last id of an event. No id is between them without events. */
const EXTENT = sql<{ readonly first: number; readonly last: number }>`
  SELECT coalesce(min(${events.id}), 1) AS first, coalesce(max(${events.id}), 0) AS last FROM ${events}`

/** Opens a local or deployed database as the target of a load. */
export async function databaseTarget(db: Db, options: StoreOptions = {}): Promise<Target> {
  const { types, series } = await readShort(db)
  const { first, last } = at((await readRows(db, EXTENT)).flat(), 0)
  return {
    types,
    series,
    keepsIds: true,
    ...createKnown([...types, ...series]),
    mayHave: ({ id }) => first <= id && id <= last,
    readAll: async (id, most, add) => {
      const { eventCount } = eventSeries
      const count = sql<{ readonly count: number }>`
        SELECT ${eventCount} AS count FROM ${eventSeries} WHERE ${eventSeries.id} = ${integerOf(id)}`
      if (((await readRow(db, count))?.count ?? 0) > most) return false
      for await (const batch of readAllEvents(db, id)) for (const event of batch.events) add(event)
      return true
    },
    find: (found, isNamed) => (isNamed ? readNamed(db, found) : readEvents(db, idsOf(found))),
    judgeOther: ({ id }, _, field) => takenInDatabase(`event id ${id}`, field),
    passed: async (digest) => {
      const row = await readRow(
        db,
        sql<{ readonly passed: number }>`
          SELECT ${loads.passed} AS passed FROM ${loads} WHERE ${loads.digest} = ${digest}`,
      )
      return row?.passed ?? 0
    },
    store: async (records, plan) => {
      const totals = await storeRecords(db, records, plan, options)
      return { totals, changed: plan.storedIds.size, unchanged: 0 }
    },
    remove: (series, events) => removeRows(db, series, idsOf(events), options),
    addressOf: (chosen) => {
      const start = chosen?.uuid.slice(0, 8) ?? ''
      const isUnique = series.every(({ uuid }) => uuid === chosen?.uuid || !uuid.startsWith(start))
      return addressOfEvents(isUnique && chosen ? start : chosen?.uuid)
    },
    describe: ({ id }, change) => describeSeries(db, id, change, options),
  }
}

/** Changes the description of a series. Throws if another write changes it meanwhile. */
async function describeSeries(
  db: Db,
  id: number,
  change: (stored: Metadata) => Metadata,
  { write = (all) => runBatch(db, all) }: StoreOptions,
): Promise<void> {
  const metadata = sql`SELECT ${eventSeries.metadata} AS metadata FROM ${eventSeries} WHERE ${eventSeries.id}`
  const row = (await readRow(db, sql<MetadataRow>`${metadata} = ${id}`)) ?? { metadata: null }
  const stored = metadataOf(row)
  const changed = change(stored)
  if (JSON.stringify(changed) === JSON.stringify(stored)) return
  const stays = guard(sql`(${metadata} = ?1 ->> 0) IS ?1 ->> 1`, JSON.stringify([id, row.metadata]))
  await write([stays, ...changeMetadata(id, changed, writerNow())])
}

const idsOf = (events: readonly { readonly id: number }[]): number[] => events.map(({ id }) => id)

const writerNow = () => ({ level: ACCESS_LEVELS.Hidden, now: 1000 * Date.now() })

/** Deletes events in steps. Throws LoadError if one of them is no longer in the series. */
async function removeRows(db: Db, series: number, ids: readonly number[], options: StoreOptions): Promise<void> {
  const { write = (all) => runBatch(db, all), batchRecords = STEP } = options
  for (const some of chunksOf(ids, Math.min(STEP, batchRecords))) {
    await write(removeEvents(series, some, writerNow())).catch((cause: unknown) => {
      throw new LoadError(
        `the database refused to delete ${some.length} events: ${reasonOf(cause)}. All rows are stored. Run the same command again to continue.`,
        { cause },
      )
    })
  }
}

type ShortRecord = ObservationTypeRecord | SeriesRecord
/** A record and its place in the files. Null: it is stored. */
type Holder = { readonly record: ShortRecord; readonly place: (() => string) | null }

const typeId = (id: number) => `observation type id ${id}`
const seriesId = (id: number) => `event series id ${id}`

/** Returns the ids and the uuid of a record. They are unique. */
const keysOf = (record: ShortRecord): string[] =>
  record.kind === 'observation_type' ? [typeId(record.id)] : [seriesId(record.id), `event series uuid ${record.uuid}`]

/** Checks types and series. Their keys are unique, and a type comes before its series. */
function createKnown(stored: readonly ShortRecord[]): Pick<Target, 'check' | 'seriesFault'> {
  const holders = new Map<string, Holder>()
  const add = (record: ShortRecord, place: Holder['place']): void => {
    for (const key of keysOf(record)) holders.set(key, { record, place })
  }
  for (const record of stored) add(record, null)
  return {
    check: (record, place) => {
      if (record.kind === 'event_series' && !holders.has(typeId(record.observation_type)))
        return { fault: absent('observation type', record.observation_type) }
      for (const key of keysOf(record)) {
        const holder = holders.get(key)
        if (holder !== undefined) return judgeOf(key, record, holder)
      }
      add(record, place)
      return 'new'
    },
    seriesFault: (id) => (holders.has(seriesId(id)) ? null : absent('event series', id)),
  }
}

/** Compares a record with the one that has its key. The other one must be stored, with the same content. */
function judgeOf(key: string, record: ShortRecord, { record: other, place }: Holder): Verdict {
  if (place !== null) return taken(key, `at ${place()}`)
  const field = differing(record, other)
  return field === undefined ? 'same' : takenInDatabase(key, field)
}

const takenInDatabase = (key: string, field: string) => taken(key, `in the database, with another "${field}"`)

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
    storedIds,
    signal,
    batchRecords,
    write,
    counted: !(await areSuspended(db)),
  })
  if (!signal?.aborted) await restoreIndexes(db)
  return done
}

/** Returns the statement that stores how many records of each file are passed. The keys are digests. Clears the map. */
function markLoads(passed: Map<string, number>): Statement[] {
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

const NEXT_EVENT = sql<{ readonly id: number }>`
  SELECT 1 + max(coalesce((SELECT max(${events.id}) FROM ${events} WHERE ${events.id} < ${integerOf(MAX_GIVEN)}), 0),
    coalesce((SELECT ${sequences.last} FROM ${sequences} WHERE ${sequences.name} = 'event'), 0)) AS id`

/** Returns the id for the next event without one. It never reuses the id of a deleted event that the API created. */
const nextEventId = async (db: Db): Promise<number> => at((await readRows(db, NEXT_EVENT)).flat(), 0).id

/** Completes new records. It yields each at once, because a progress mark counts only records that were stored. */
async function* wholeNew(selected: AsyncIterable<Selected>): AsyncGenerator<LoadRecord> {
  for await (const { record } of selected) yield record.kind === 'event' ? wholeOf(record) : record
}

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
