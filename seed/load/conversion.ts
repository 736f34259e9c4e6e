import { bodyFields } from '../../src/model/body.ts'
import { EVENT } from '../../src/model/event.ts'
import type { Fields } from '../../src/model/field.ts'
import { membersOf, rowOf, storedIn, writerOf as writerOfMembers } from '../../src/model/members.ts'
import { OBSERVATION_TYPE } from '../../src/model/observationType.ts'
import {
  type EventRecord,
  KIND_FIELDS,
  type LoadRecord,
  type ObservationTypeRecord,
  parseRecord,
  type SeriesRecord,
} from '../../src/store/records.ts'
import { eventReader, type FileEvent } from '../read/event.ts'
import { featureItems } from '../read/json.ts'
import { ColumnStatistics } from '../read/statistics.ts'
import { listOf, NO_CACHE, pagesOf, type Send } from './api.ts'
import { wholeOf } from './drafts.ts'
import { LoadError, reasonOf } from './error.ts'

export const TYPES = '/api/v4/observationtypes/'
export const SERIES = '/api/v4/eventseries/'
export const EVENTS = '/api/v3/events/'
/** Returns the address of the events of a series. */
export const eventsOf = (uuid: string): string => `${SERIES}${uuid}/events/`
/** Returns the address of the events of the series with this uuid, or with uuids that begin so. Undefined: of all series. */
export const addressOfEvents = (uuid: string | undefined): string =>
  uuid === undefined ? EVENTS : `${EVENTS}?event_series=${uuid}`
/** The list that shows the id and the uuid of each series. */
const NUMBERED = '/ogc/collections/eventseries/items?limit=10000'

/** A record in the form that `npm run load` reads, see src/store/records.ts. */
export type FileRecord = Pick<LoadRecord, 'kind' | 'id'>

export type SeriesItem = Item & Readonly<Record<'uuid' | 'name' | 'created' | 'observation_type', string>>
export type TypeItem = Item & { readonly url: string }
type Item = Readonly<Record<string, unknown>>

export interface ServiceEvent {
  readonly id: number
  readonly properties: Item & { readonly event_series: string; readonly last_modified: string }
}

/** Reads something that a service shows. Throws LoadError if no file could have it as a record. */
function checked<T>(kind: LoadRecord['kind'], id: number, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new LoadError(`the ${kind} ${id} of the service is not valid: ${reasonOf(cause)}`, { cause })
  }
}

/** Converts an item of a service to a record. `own` replaces its members. */
const recordIn = <K extends 'observation_type' | 'event_series'>(kind: K, item: Item, own: { readonly id: number }) => {
  const fields = kind === 'event_series' ? KIND_FIELDS.event_series : OBSERVATION_TYPE
  const given: Item = { ...item, ...own }
  const values = Object.fromEntries(membersOf(fields, 'file').map(({ name }) => [name, given[name]]))
  return checked(kind, own.id, () => parseRecord(JSON.stringify({ kind, ...values }))) as Extract<
    LoadRecord,
    { kind: K }
  >
}

const idIn = (address: string): number => Number(/(\d+)\/(\?|$)/.exec(address)?.[1])

export const readTypes = async (ask: Send): Promise<ObservationTypeRecord[]> => {
  const items = await listOf<TypeItem>(ask, `${TYPES}?ordering=id&page_size=1000`, 'results')
  return items.map(typeOf)
}

export const typeOf = (item: TypeItem): ObservationTypeRecord =>
  recordIn('observation_type', item, { id: idIn(item.url) })

/** Converts a series of a service to a record. Its item has no id. */
export const seriesOf = (item: SeriesItem, id: number, metadata: object | null): SeriesRecord => {
  const own = { id, observation_type: idIn(item.observation_type), metadata }
  return recordIn('event_series', item, own)
}

/** Reads the series. Those that a `filter` finds get numbers as ids, which spares a request. */
export async function readSeries(ask: Send, filter?: string): Promise<SeriesRecord[]> {
  const items: SeriesItem[] = []
  const metadata = new Map<unknown, Item>()
  // A page of so many series has at most 6 MB of text, and a page may have 8 MB.
  const query = `ordering=id&page_size=100&include=metadata${filter === undefined ? '' : `&${filter}`}`
  for await (const { text } of pagesOf(ask, `${SERIES}?${query}`)) {
    const page: { results: SeriesItem[]; metadata: Item[] } = JSON.parse(text)
    items.push(...page.results)
    for (const { uuid, ...each } of page.metadata) metadata.set(uuid, each)
  }
  const ids = filter === undefined ? await idsOf(ask) : new Map(items.map(({ uuid }, i) => [uuid, i + 1]))
  return items.flatMap((item) => {
    const id = ids.get(item.uuid)
    return id === undefined ? [] : [seriesOf(item, id, metadata.get(item.uuid) ?? null)] // It may have been deleted meanwhile.
  })
}

async function idsOf(ask: Send): Promise<Map<string, number>> {
  const numbered = await listOf<{ id: number; properties: SeriesItem }>(ask, NUMBERED, 'features')
  return new Map(numbered.map(({ id, properties }) => [properties.uuid, id]))
}

const readItem = featureItems({ names: {} }, new ColumnStatistics())
const readEvent = eventReader({ names: {}, series: 0, newIds: false })

/** Converts an event of a service to a record of the series with this id. */
export const eventOf = (item: ServiceEvent, series: number): EventRecord => {
  const last_modified = EVENT.last_modified.kind.read(item.properties.last_modified) ?? null
  return { ...checked('event', item.id, () => wholeOf(readEvent(readItem(item)))), series, last_modified }
}

/**
 * Reads all events of a series as one stream. A broken stream continues after its last event. Returns false, and reads no
 * event, if there are more than `most`.
 */
export async function readAllOf(
  ask: Send,
  { id, uuid }: { readonly id: number; readonly uuid: string },
  most: number,
  add: (event: EventRecord) => unknown,
): Promise<boolean> {
  let [last, isRead] = [0, true]
  const onLine = (line: string) => {
    const item: ServiceEvent = JSON.parse(line)
    add(eventOf(item, id))
    last = item.id
  }
  await ask(() => `${eventsOf(uuid)}?format=ndjson&page_size=all&after=${last}`, {
    headers: NO_CACHE,
    lines: (headers) => {
      isRead = last > 0 || Number(headers.get('X-Total-Count')) <= most
      return isRead ? onLine : null
    },
  })
  return isRead
}

const SERIES_BODY = Object.keys(bodyFields(KIND_FIELDS.event_series, 'v4', ''))

/** Converts a series to a body of the service. `own` replaces its members. */
export const seriesBodyOf = (record: SeriesRecord, own: Item): Item => {
  const given: Item = { ...writeSeries(record), ...own }
  return Object.fromEntries(SERIES_BODY.map((name) => [name, given[name]]))
}

/** Returns the fields that exports and posts omit if they are null. */
const omittableIn = (fields: Fields): string[] =>
  storedIn(fields).flatMap(({ name, omittable }) => (omittable ? [name] : []))

const OMITTABLE = omittableIn(EVENT)

const BODY = Object.entries(bodyFields(EVENT, 'v3', 'properties.'))

/** Converts an event to a feature. It omits fields that the file lacks, so the service does not change them. */
export function featureOf(event: FileEvent, series: number | string): object {
  const { start, end, coordinates, object } = event
  const values: Item = {
    ...event,
    series,
    end: end === null ? start : end,
    coordinates: coordinates && { type: 'Point', coordinates },
    object: object && { type: object.model, id: object.id },
  }
  const given = BODY.filter(([, { to }]) => values[to] !== null || !OMITTABLE.includes(to))
  const members = given.map(([path, { to }]) => [path.replace('properties.', ''), values[to]])
  const { geometry, ...properties } = Object.fromEntries(members)
  return { type: 'Feature', geometry, properties }
}

const writerOf = (fields: Fields) => {
  const [toRow, write] = [rowOf(fields), writerOfMembers(membersOf(fields, 'file'))]
  return (record: LoadRecord) => write(toRow(record))
}
const [writeEvent, writeSeries, writeType] = [
  writerOf(EVENT),
  writerOf(KIND_FIELDS.event_series),
  writerOf(OBSERVATION_TYPE),
]

const valuesOf = (record: LoadRecord): Item => {
  if (record.kind === 'event') return writeEvent(record)
  return record.kind === 'event_series' ? writeSeries(record) : writeType(record)
}

/** Converts a record to its form in a file. Instants and access levels become texts. */
export const fileRecordOf = (record: LoadRecord): FileRecord => {
  const values: Record<string, unknown> = { ...valuesOf(record) }
  for (const name of omittableIn(KIND_FIELDS[record.kind])) if (values[name] === null) delete values[name]
  return { kind: record.kind, id: record.id, ...values }
}
