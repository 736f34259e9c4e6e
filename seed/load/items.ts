import { accessName } from '../../src/access.ts'
import { instantOf, isoInstant, MICROSECONDS } from '../../src/filters/temporal.ts'
import type { EventRecord } from '../../src/model/event.ts'
import type { ObservationTypeRecord } from '../../src/model/observationType.ts'
import type { SeriesRecord } from '../../src/model/series.ts'
import type { LoadRecord } from '../../src/store/records.ts'
import type { FileEvent } from '../read/event.ts'
import { type Ask, listOf } from './api.ts'

export const TYPES = '/api/v4/observationtypes/'
export const SERIES = '/api/v4/eventseries/'
export const EVENTS = '/api/v3/events/'
/** The list that shows the id and the uuid of each series. */
const NUMBERED = '/ogc/collections/eventseries/items?limit=10000'

/** A record in the form that `npm run load` reads, see src/store/records.ts. */
export type FileRecord = { readonly kind: LoadRecord['kind']; readonly id: number }

/** An observation type in the answers of a service. */
export type TypeItem = Omit<ObservationTypeRecord, 'kind' | 'id'> & { readonly url: string }

/** A series in the answers of a service. `observation_type` is an address. */
export type SeriesItem = Readonly<
  Record<'uuid' | 'name' | 'description' | 'observation_type' | 'statistic' | 'color', string> &
    Record<'access_modifier' | 'created', string>
> & { readonly last_modified: string | null }

/** An event of a service as GeoJSON. */
export interface ServiceEvent {
  readonly id: number
  readonly geometry: { readonly coordinates: readonly [number, number, number] } | null
  readonly properties: Readonly<
    Record<'category' | 'value' | 'timestamp_start' | 'timestamp_end' | 'event_series' | 'last_modified', string> &
      Record<'object_type' | 'external_id', string | null> & { object_id: number | null }
  >
}

/** Returns the number at the end of the address of an item. */
const idIn = (address: string): number => Number(/(\d+)\/(\?|$)/.exec(address)?.[1])

/** Converts an observation type of a service to a record. */
export const typeOf = ({ url, code, name, unit }: TypeItem): ObservationTypeRecord => ({
  ...{ kind: 'observation_type', id: idIn(url), code, name, unit },
})

export const readTypes = async (ask: Ask): Promise<ObservationTypeRecord[]> =>
  (await listOf<TypeItem>(ask, `${TYPES}?ordering=id&page_size=1000`, 'results')).map(typeOf)

/** Reads the series of a service as records of a file. */
export async function readSeries(ask: Ask) {
  const items = await listOf<SeriesItem>(ask, `${SERIES}?ordering=id&page_size=1000`, 'results')
  const numbered = await listOf<Pick<ServiceEvent, 'id'> & { properties: SeriesItem }>(ask, NUMBERED, 'features')
  const ids = new Map(numbered.map(({ id, properties }) => [properties.uuid, id]))
  return items.flatMap((item) => {
    const { uuid, name, description, statistic, color, access_modifier, created, last_modified } = item
    const id = ids.get(uuid)
    if (id === undefined) return [] // It was deleted between the two lists.
    const record = {
      ...{ kind: 'event_series' as const, id, uuid, name, description, observation_type: idIn(item.observation_type) },
      ...{ statistic, color, access_modifier, created, last_modified },
    }
    return [record satisfies Record<keyof SeriesRecord, unknown>]
  })
}

/** Converts an event of a service to a record of the series with this id. */
export const eventOf = ({ id, geometry, properties }: ServiceEvent, series: number): Required<EventRecord> => {
  const { category, value, timestamp_start, timestamp_end, object_type, object_id, external_id } = properties
  return {
    ...{ kind: 'event', id, series, category, value },
    ...{ start: Date.parse(timestamp_start), end: Date.parse(timestamp_end) },
    coordinates: geometry?.coordinates ?? null,
    object: object_type === null || object_id === null ? null : { model: object_type, id: object_id },
    ...{ external_id, last_modified: Number(instantOf(properties.last_modified)) },
  }
}

/** Converts an event to a feature. It omits fields that the file lacks, so the service does not change them. */
export const featureOf = (
  { category, value, start, end, coordinates, object, external_id }: FileEvent,
  event_series: number | string,
) => ({
  type: 'Feature',
  ...(coordinates !== undefined && { geometry: coordinates && { type: 'Point', coordinates } }),
  properties: {
    ...{ category, value, timestamp_start: start, timestamp_end: end === null ? start : end, event_series },
    object: object && { type: object.model, id: object.id },
    ...(external_id && { external_id }),
  },
})

/** Converts a record to its form in a file. Instants and access levels become texts. */
export const fileRecordOf = (record: LoadRecord): FileRecord => {
  if (record.kind === 'observation_type') return record
  const last_modified = isoInstant(record.last_modified ?? null, MICROSECONDS)
  if (record.kind === 'event') {
    const { external_id, last_modified: _, ...rest } = record
    return { ...rest, ...(external_id && { external_id }), last_modified } as FileRecord
  }
  const { access_modifier, created } = record
  const texts = { access_modifier: accessName(access_modifier), created: isoInstant(created, MICROSECONDS) }
  return { ...record, ...texts, last_modified } as FileRecord
}
