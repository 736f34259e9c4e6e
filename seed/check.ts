import type { D1Database } from '@cloudflare/workers-types'
import type { EventRecord, LoadRecord, SeriesRecord } from '../src/write/records.ts'
import { LoadError } from './error.ts'

/** A record and the place it was read from, such as `events.ndjson, line 7`. */
export type Located<R extends LoadRecord = LoadRecord> = { readonly record: R; readonly place: () => string }

/** By whom each id or uuid is taken: the database, or a record before. */
type Taken = Map<number | string, () => string>
type Known = { readonly types: Taken; readonly series: Taken; readonly uuids: Taken }

const DATABASE = () => 'in the database'
const IDS_AT_ONCE = 5_000
const MAX_EVENTS = 10_000_000 // ids are kept, and a Set holds 16.7 million

/**
 * Reads all records and returns how many there are, if they can be stored one after the other: no id or uuid is taken
 * and each series and observation type is there before what refers to it. Throws LoadError naming the place otherwise.
 */
export async function checkRecords(db: D1Database, items: Iterable<Located> | AsyncIterable<Located>): Promise<number> {
  const known = await readKnown(db)
  const ids = new Set<number>()
  let records = 0
  let events: Located<EventRecord>[] = []
  for await (const { record, place } of items) {
    records += 1
    const reason = record.kind === 'event' ? eventFault(record, known, ids) : otherFault(record, place, known)
    if (reason) throw new LoadError(`${place()}: ${reason}`)
    if (record.kind === 'event') events.push({ record, place })
    if (events.length === IDS_AT_ONCE) {
      await refuseStored(db, events)
      events = []
    }
  }
  await refuseStored(db, events)
  return records
}

async function readKnown(db: D1Database): Promise<Known> {
  const [types, series] = await db.batch<{ id: number; uuid: string }>([
    db.prepare('SELECT id FROM observation_type'),
    db.prepare('SELECT id, uuid FROM event_series'),
  ])
  return {
    types: new Map(types?.results.map(({ id }) => [id, DATABASE])),
    series: new Map(series?.results.map(({ id }) => [id, DATABASE])),
    uuids: new Map(series?.results.map(({ uuid }) => [uuid, DATABASE])),
  }
}

function otherFault(record: Exclude<LoadRecord, EventRecord>, place: () => string, known: Known): string | undefined {
  if (record.kind === 'observation_type') return claim(known.types, 'observation type id', record.id, place)
  const { id, uuid, observation_type } = record satisfies SeriesRecord
  if (!known.types.has(observation_type)) return absent('observation type', observation_type)
  return claim(known.series, 'event series id', id, place) ?? claim(known.uuids, 'event series uuid', uuid, place)
}

function eventFault({ id, series }: EventRecord, known: Known, ids: Set<number>): string | undefined {
  if (!known.series.has(series)) return absent('event series', series)
  if (ids.has(id)) return taken('event id', id, 'on a line before')
  if (ids.size === MAX_EVENTS) return `more than ${MAX_EVENTS} events: load them in several runs`
  ids.add(id)
  return undefined
}

function claim(known: Taken, what: string, key: number | string, place: () => string): string | undefined {
  const holder = known.get(key)
  if (holder) return taken(what, key, holder())
  known.set(key, () => `at ${place()}`)
  return undefined
}

async function refuseStored(db: D1Database, events: Located<EventRecord>[]): Promise<void> {
  const ids = JSON.stringify(events.map(({ record }) => record.id))
  const stored = await db
    .prepare(
      'SELECT event.id FROM json_each(?) AS ids CROSS JOIN event ON event.id = ids.value ORDER BY ids.key LIMIT 1',
    )
    .bind(ids)
    .first<number>('id')
  const found = events.find(({ record }) => record.id === stored)
  if (found) throw new LoadError(`${found.place()}: ${taken('event id', found.record.id, DATABASE())}`)
}

const taken = (what: string, key: number | string, holder: string) =>
  `${what} ${key} exists already ${holder}: take another, or leave the line out`

const absent = (what: string, id: number) =>
  `there is no ${what} ${id}, neither in the database nor on a line before: add it, or put the id of one there is`
