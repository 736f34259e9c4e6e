import { randomUUID } from 'node:crypto'
import { isoInstant, MICROSECONDS } from '../../src/filters/temporal.ts'
import type { Metadata } from '../../src/model/types.ts'
import {
  type EventRecord,
  KIND_FIELDS,
  type ObservationTypeRecord,
  type SeriesRecord,
} from '../../src/store/records.ts'
import type { FileEvent } from '../read/event.ts'
import { type ApiAccess, asks, listOf, NO_CACHE, post, RefusedRequest, type Send } from './api.ts'
import {
  addressOfEvents,
  EVENTS,
  eventOf,
  eventsOf,
  readAllOf,
  readSeries,
  readTypes,
  SERIES,
  type SeriesItem,
  type ServiceEvent,
  seriesBodyOf,
  TYPES,
} from './conversion.ts'
import { LoadError } from './error.ts'
import type { LoadOptions } from './files.ts'
import { createPoster, type SeriesIdentity } from './poster.ts'
import { uuidOfName } from './series.ts'
import { type LoadCounts, type LoadPlan, noTotals, type Selected, type StoredName, type Target } from './target.ts'

/**
 * Opens a service as the target of a load. It posts the events, and the types and series that the service lacks. All get
 * new ids. A repeated post within a day adds nothing. Posts before a fault of the service stay. Throws LoadError if the
 * key cannot write. A feed may change nothing. So the first post checks its key, and one request finds its series.
 */
export async function serviceTarget(api: ApiAccess, options: ServiceOptions = {}): Promise<Target> {
  const ask = asks(api)
  const series = await readSeries(ask, filterOf(options.series))
  const isKnown = options.series !== undefined && series.length > 0
  if (!isKnown || options.key === undefined) await checkKey(ask)
  const types = isKnown && options.observationType === undefined ? [] : await readTypes(ask)
  const service = createService(ask, types, series)
  let hasStored = false
  return {
    types,
    series,
    keepsIds: false,
    check: service.check,
    // The service refuses an unknown series itself.
    seriesFault: () => null,
    mayHave: ({ series }) => !service.newSeries.has(series),
    readAll: async (id, most, add) => {
      const uuid = service.seriesOf.get(id)?.uuid
      return uuid === undefined || readAllOf(ask, { id, uuid }, most, add)
    },
    find: (events, isNamed) => (isNamed ? findNamed : findNumbered)(ask, service.seriesOf, events),
    judgeOther: (event, stored, field) => {
      const { id, external_id, series } = event
      if (stored.external_id && stored.external_id === external_id && stored.series === series) return 'new'
      return {
        fault: `event id ${id} exists already in the service, with another "${field}": send PATCH ${api.address}${EVENTS}${id}/, or use --new-ids to add it as a new event`,
      }
    },
    passed: async () => 0,
    store: async (records, plan) => {
      const counts = await storeRecords(ask, service, records, plan)
      hasStored = counts.totals.event + counts.changed > 0
      return counts
    },
    remove: (id, events) => removeEvents(ask, eventsOf(service.seriesOf.get(id)?.uuid ?? ''), events),
    addressOf: (series) =>
      api.address + addressOfEvents(series && (service.seriesOf.get(series.id)?.uuid ?? series.uuid)),
    describe: async ({ id, uuid, metadata }, change) => {
      const isSame = metadata && JSON.stringify(change(metadata)) === JSON.stringify(metadata)
      if (isSame && !hasStored) return
      await changeMetadata(ask, `${SERIES}${service.seriesOf.get(id)?.uuid ?? uuid}/metadata/`, change)
    },
  }
}

/** Posts events, and makes types and series. */
async function storeRecords(
  ask: Send,
  { seriesOf, make }: ReturnType<typeof createService>,
  records: AsyncIterable<Selected>,
  { isNamed, signal }: LoadPlan,
): Promise<LoadCounts> {
  const totals = noTotals()
  const poster = createPoster(ask, seriesOf, isNamed ? randomUUID() : '')
  for await (const selected of records) {
    if (signal?.aborted) break
    const { record, digest } = selected
    if (record.kind === 'event') await poster.add(selected)
    else if (await make(record, digest === null)) totals[record.kind] += 1
  }
  if (!signal?.aborted) await poster.flush()
  const { created, changed, unchanged } = poster.done
  return { totals: { ...totals, event: created }, changed, unchanged }
}

/** Deletes events at the address of their list. */
async function removeEvents(ask: Send, address: string, events: readonly StoredName[]): Promise<void> {
  // Commas separate the values of a filter. It does not find events without an external id.
  const names = events.flatMap(({ external_id }) => (isListed(external_id) ? [external_id] : []))
  const paths = listsOf(names).map((list) => `?external_id__in=${encodeURIComponent(list)}`)
  const others = events.filter(({ external_id }) => !isListed(external_id))
  for (const path of [...paths, ...others.map(({ id }) => `${id}/`)])
    await ask(address + path, { method: 'DELETE' }).catch((error: unknown) => {
      if (!(error instanceof RefusedRequest) || error.status !== 404) throw error // It was deleted meanwhile.
    })
}

const isListed = (name: string | null): name is string => name !== null && !name.includes(',')

async function changeMetadata(ask: Send, address: string, change: (stored: Metadata) => Metadata): Promise<void> {
  const { text, headers } = await ask(address, { headers: NO_CACHE })
  const stored: Metadata = JSON.parse(text)
  const { more: _, ...changed } = change(stored)
  if (JSON.stringify({ ...changed, more: stored.more }) === JSON.stringify(stored)) return
  const ifMatch = { 'If-Match': headers.get('ETag') ?? '*', 'Content-Type': 'application/json' }
  await ask(address, { method: 'PATCH', body: JSON.stringify(changed), headers: ifMatch })
}

type ServiceOptions = Pick<LoadOptions, 'series' | 'key' | 'observationType'>

/** Returns the filter that finds the series of `--series`. */
function filterOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const uuid = KIND_FIELDS.event_series.uuid.kind.read(given)
  return uuid === undefined ? `name__exact=${encodeURIComponent(given)}` : `uuid=${uuid}`
}

/** The most external ids of a filter, and their characters in an address. */
const [MAX_IDS, MAX_LENGTH] = [1_000, 8_000]

/** Splits external ids to lists that fit into addresses. */
function listsOf(names: readonly string[]): string[] {
  const [list, half] = [names.join(), Math.ceil(names.length / 2)]
  if (names.length <= MAX_IDS && encodeURIComponent(list).length <= MAX_LENGTH) return list === '' ? [] : [list]
  return [...listsOf(names.slice(0, half)), ...listsOf(names.slice(half))]
}

/** Throws LoadError if the key cannot write. The service checks the key before it refuses the empty list. */
async function checkKey(ask: Send): Promise<void> {
  try {
    await post(ask, EVENTS, '[]', randomUUID())
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.status === 401 || error.status === 403) throw error
  }
}

/** Finds or creates the types and series of files in a service. */
function createService(ask: Send, types: readonly ObservationTypeRecord[], series: readonly SeriesRecord[]) {
  const typeIds = new Map(types.toReversed().map(({ code, id }) => [code, id]))
  /** The ids in the service, or the codes, of types by the ids that the files use for them. */
  const typeOf = new Map<number, number | string>()
  const seriesOf = new Map(
    series.map(({ id, uuid, created }) => [id, { uuid, created: isoInstant(created, MICROSECONDS) }]),
  )
  const identities = new Map([...seriesOf.values()].map((identity) => [identity.uuid, identity]))
  const newSeries = new Set<number>()

  const check: Target['check'] = (record) => {
    if (record.kind === 'observation_type') {
      typeOf.set(record.id, typeIds.get(record.code) ?? record.code)
      return typeIds.has(record.code) ? 'same' : 'new'
    }
    const identity = identities.get(record.uuid)
    if (identity !== undefined) seriesOf.set(record.id, identity)
    else newSeries.add(record.id)
    return identity === undefined ? 'new' : 'same'
  }
  /**
   * Creates a type or a series, unless the service has it. Returns true if it did. `isNamed`: the uuid of a series comes
   * from its name, so parallel loads create one series.
   */
  const make = async (record: ObservationTypeRecord | SeriesRecord, isNamed: boolean): Promise<boolean> => {
    if (record.kind === 'observation_type') {
      typeOf.set(record.id, record.code)
      return makeType(ask, record)
    }
    const { observation_type } = record
    const { item, isNew } = await makeSeries(ask, record, typeOf.get(observation_type) ?? observation_type, isNamed)
    seriesOf.set(record.id, { uuid: item.uuid, created: item.created })
    return isNew
  }
  return { check, make, seriesOf, newSeries }
}

/** Creates an observation type. Returns false if another load created one with its code meanwhile. */
async function makeType(ask: Send, { code, name, unit }: ObservationTypeRecord): Promise<boolean> {
  try {
    await post(ask, TYPES, JSON.stringify({ code, name, unit }), randomUUID())
    return true
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === 409) return false
    throw error
  }
}

/**
 * Creates a series, unless the service has one with its uuid. `isNamed`: if a renamed or invisible series has the uuid
 * of the name, the next uuid is tried.
 */
async function makeSeries(ask: Send, record: SeriesRecord, observation_type: number | string, isNamed: boolean) {
  const { name } = record
  for (let i = 0; ; i++) {
    const uuid = isNamed ? uuidOfName(name, i) : record.uuid
    const body = JSON.stringify(seriesBodyOf(record, { uuid, observation_type }))
    try {
      return { item: await post<SeriesItem>(ask, SERIES, body, randomUUID()), isNew: true }
    } catch (error) {
      if (!(error instanceof RefusedRequest) || !error.text.includes('"uuid"')) throw error
    }
    const [item] = await listOf<SeriesItem>(ask, `${SERIES}?uuid=${uuid}`, 'results')
    if (item !== undefined && !(isNamed && item.name !== name)) return { item, isNew: false }
    if (!isNamed)
      throw new LoadError(`the service has a series ${uuid} that this key may not see: use a key that reads Hidden`)
  }
}

/** The series by the ids that the files use for them. */
type SeriesById = ReadonlyMap<number, SeriesIdentity>

async function query(ask: Send, filters: Readonly<Record<string, string>>): Promise<readonly ServiceEvent[]> {
  const body = new URLSearchParams({ ...filters, format: 'geojson', page_size: 'all' })
  return JSON.parse((await ask(EVENTS, { method: 'POST', headers: NO_CACHE, body })).text).features
}
/** Finds events by their ids. If a stored event is in another series, its record gets the series 0. */
async function findNumbered(ask: Send, seriesOf: SeriesById, events: readonly FileEvent[]): Promise<EventRecord[]> {
  const ids = new Map(events.map((event) => [event.id, event.series]))
  const features = await query(ask, { id__in: [...ids.keys()].join(',') })
  return features.map((feature) => {
    const id = ids.get(feature.id) ?? 0
    return eventOf(feature, seriesOf.get(id)?.uuid === feature.properties.event_series ? id : 0)
  })
}
async function findNamed(ask: Send, seriesOf: SeriesById, events: readonly FileEvent[]): Promise<EventRecord[]> {
  const stored: EventRecord[] = []
  for (const [id, group] of Map.groupBy(events, ({ series }) => series)) {
    const uuid = seriesOf.get(id)?.uuid
    if (uuid === undefined) continue
    const names = group.map(({ external_id }) => String(external_id))
    // Commas separate the values of `external_id__in`. An id that has a comma needs its own query.
    const listed = names.filter((name) => !name.includes(',')).join(',')
    const single = names.filter((name) => name.includes(',')).map((external_id) => ({ external_id }))
    for (const each of [...single, ...(listed === '' ? [] : [{ external_id__in: listed }])])
      stored.push(...(await query(ask, { event_series: uuid, ...each })).map((feature) => eventOf(feature, id)))
  }
  return stored
}
