import type { D1Database } from '@cloudflare/workers-types'
import { accessName } from '../../src/access.ts'
import { instantOf, isoInstant, MICROSECONDS } from '../../src/filters/temporal.ts'
import {
  type EventRecord,
  type LoadRecord,
  type ObservationTypeRecord,
  parseRecord,
  type SeriesRecord,
} from '../../src/store/records.ts'
import { type ApiAccess, type ApiItem, asks, listOf } from './api.ts'
import { LoadError } from './error.ts'
import { readAllEvents, readShort } from './stored.ts'

/** A record in the form that `npm run load` reads, see src/store/records.ts. */
export type FileRecord = { readonly kind: LoadRecord['kind']; readonly id: number }

/** Yields all data in chunks, types and series first. Throws Changed if the data changes meanwhile. */
export type Source = () => AsyncGenerator<readonly FileRecord[], void>

/** The data changed while it was read, so the records are not from one moment. */
export class Changed extends LoadError {}

const changed = () => new Changed('the data changed during the export')

/** Reads all data of a database. */
export const databaseSource = (db: D1Database): Source =>
  async function* () {
    const { types, series, revision } = await readShort(db)
    yield [...types, ...series].map(fileRecordOf)
    for await (const batch of readAllEvents(db)) {
      if (batch.revision === null || batch.revision !== revision) throw changed()
      yield batch.events.map(fileRecordOf)
    }
  }

/** Converts a record to its form in a file. Instants and access levels become texts. */
const fileRecordOf = (record: LoadRecord): FileRecord => {
  if (record.kind === 'observation_type') return record
  const last_modified = isoInstant(record.last_modified ?? null, MICROSECONDS)
  if (record.kind === 'event') {
    const { external_id, last_modified: _, ...rest } = record
    return { ...rest, ...(external_id && { external_id }), last_modified } as FileRecord
  }
  const { access_modifier, created } = record
  return {
    ...record,
    access_modifier: accessName(access_modifier),
    created: isoInstant(created, MICROSECONDS),
    last_modified,
  } as FileRecord
}

const TYPES = '/api/v4/observationtypes/?ordering=id&page_size=1000'
const SERIES = '/api/v4/eventseries/?ordering=id&page_size=1000'
const EVENTS = '/api/v3/events/?format=geojson&ordering=id&page_size=10000'
/** The service must read its database and not a cache. */
const NO_CACHE = { 'Cache-Control': 'no-cache' }

/**
 * Reads all data that the caller can read from a service. Bookmarks ensure that no answer is older than the one before.
 * After each page, the ETag of the series list must be unchanged. Then all pages show one state.
 */
export const serviceSource = (api: ApiAccess): Source =>
  async function* () {
    const ask = asks(api)
    const tag = (await ask(SERIES, NO_CACHE)).headers.get('ETag') ?? ''
    const check = async () => {
      if ((await ask(SERIES, { ...NO_CACHE, 'If-None-Match': tag })).status !== 304) throw changed()
    }
    const types = await listOf(ask, TYPES)
    const series = await listOf(ask, SERIES)
    const ids = await readSeriesIds(ask, series.length)
    await check()
    if (ids.length !== series.length) throw changed()
    const seriesIds = new Map(series.map(({ uuid }, i) => [uuid, ids[i]]))
    yield [...types.map(typeOf), ...series.map((item, i) => seriesOf(item, ids[i] ?? 0))].map(checked)
    for (let next: string | null = EVENTS; next !== null; ) {
      const { text, headers } = await ask(next, NO_CACHE)
      const { features } = JSON.parse(text) as { features: readonly ServiceFeature[] }
      const records = features.map((feature) =>
        checked(fileRecordOf(eventOf(feature, seriesIds.get(feature.properties.event_series) ?? 0))),
      )
      // The page is valid only if the state is still the same.
      await check()
      yield records
      next = nextOf(headers.get('Link'))
    }
  }

/** Returns the path and query of the next page. Null after the last page. */
function nextOf(link: string | null): string | null {
  const address = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1]
  if (address === undefined) return null
  const { pathname, search } = new URL(address)
  return pathname + search
}

/**
 * Returns the ids of the series, ascending. The API only counts the ids in a range, so this function halves ranges
 * until each is full or empty.
 */
async function readSeriesIds(ask: ReturnType<typeof asks>, count: number): Promise<number[]> {
  const countIn = async (from: number, to: number): Promise<number> => {
    const { text } = await ask(`/api/v3/eventseries/?id__range=${from},${to}&page_size=1`, NO_CACHE)
    return JSON.parse(text).count
  }
  const list = async (from: number, to: number, size: number): Promise<number[]> => {
    if (size === 0) return []
    if (size === to - from + 1) return Array.from({ length: size }, (_, i) => from + i)
    const middle = from + Math.floor((to - from) / 2)
    const below = await countIn(from, middle)
    return [...(await list(from, middle, below)), ...(await list(middle + 1, to, size - below))]
  }
  let to = Math.max(1, count)
  for (let seen = await countIn(1, to); seen < count && to < Number.MAX_SAFE_INTEGER; seen = await countIn(1, to))
    to = Math.min(2 * to, Number.MAX_SAFE_INTEGER)
  return list(1, to, count)
}

/** Returns the last part of the address of an item. */
const keyOf = (address: unknown): string => /([^/]+)\/(\?|$)/.exec(String(address))?.[1] ?? ''

const typeOf = ({ url, code, name, unit }: ApiItem) =>
  ({
    ...{ kind: 'observation_type' as const, id: Number(keyOf(url)), code, name, unit },
  }) satisfies Record<keyof ObservationTypeRecord, unknown>

const seriesOf = (item: ApiItem, id: number) => {
  const { uuid, name, description, observation_type, statistic, color, access_modifier, created, last_modified } = item
  return {
    ...{ kind: 'event_series' as const, id, uuid, name, description },
    ...{ observation_type: Number(keyOf(observation_type)), statistic, color, access_modifier, created, last_modified },
  } satisfies Record<keyof SeriesRecord, unknown>
}

/** An event of a service as GeoJSON. */
export interface ServiceFeature {
  readonly id: number
  readonly geometry: { readonly coordinates: readonly [number, number, number] } | null
  readonly properties: Readonly<
    Record<'category' | 'value' | 'timestamp_start' | 'timestamp_end' | 'event_series' | 'last_modified', string> &
      Record<'object_type' | 'external_id', string | null> & { object_id: number | null }
  >
}

/** Converts an event of a service to a record of the series with this id. A missing field is a type error. */
export const eventOf = ({ id, geometry, properties }: ServiceFeature, series: number): Required<EventRecord> => {
  const { category, value, timestamp_start, timestamp_end, object_type, object_id, external_id, last_modified } =
    properties
  return {
    ...{ kind: 'event', id, series, category, value },
    ...{ start: Date.parse(timestamp_start), end: Date.parse(timestamp_end) },
    coordinates: geometry?.coordinates ?? null,
    object: object_type === null || object_id === null ? null : { model: object_type, id: object_id },
    ...{ external_id, last_modified: Number(instantOf(last_modified)) },
  }
}

/** Returns the record. Throws LoadError if `npm run load` would refuse it. */
function checked<R extends FileRecord>(record: R): R {
  try {
    parseRecord(JSON.stringify(record))
    return record
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new LoadError(`the export could not be loaded again because of ${record.kind} ${record.id}: ${reason}`, {
      cause,
    })
  }
}
