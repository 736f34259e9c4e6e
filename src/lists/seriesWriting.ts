import { ACCESS_LEVELS, accessName } from '../base/access.ts'
import { INTEGER, listOf, record, UUID } from '../base/schema.ts'
import { bodyFields, readOnlyIn } from '../model/body.ts'
import { isObject, uuid as uuidKind } from '../model/kinds.ts'
import { defaultsOf, recordOf, rowOf } from '../model/members.ts'
import { SERIES } from '../model/series.ts'
import type { SeriesRow } from '../model/types.ts'
import { storeAll } from '../store/batch.ts'
import type { SeriesRecord } from '../store/records.ts'
import { changeSeries, removeSeries } from '../store/series.ts'
import type { Writable } from '../store/writable.ts'
import { featureType } from './eventWriting.ts'

/** The members of a series in a body. */
type SeriesDraft = Partial<Omit<SeriesRecord, 'color'>> & {
  /** Null means the default colour, the last six digits of the uuid. */
  readonly color?: string | null
}

const colorOf = (uuid: string): string => `#${uuid.slice(-6)}`

/** Reads the address or the id in an item. */
const nameOf = (item: unknown): string | number | null => {
  const { id, properties, url } = isObject(item) ? item : {}
  const address = isObject(properties) ? properties.url : url
  const [, uuid] = (typeof address === 'string' && /\/eventseries\/([0-9a-f-]{36})\//i.exec(address)) || []
  if (uuid !== undefined) return uuid.toLowerCase()
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : (uuidKind.read(id) ?? null)
}

/** Finds the stored series that an item names. */
const NAMED = { nameOf, rows: 'seriesByIdOrUuid' } as const

/** The columns that a series derives from its events, for a series without events. */
const NO_EVENTS = { start: null, end: null, west: null, east: null, south: null, north: null }

const [toRecord, toRow] = [recordOf<SeriesRecord>('event_series', SERIES), rowOf(SERIES)]

/**
 * Returns how clients write series. Every address accepts items in the JSON and the GeoJSON of any version. `prefix` is
 * the path of the members in an item.
 */
const writableAt = (prefix: '' | 'properties.') => {
  const fields = bodyFields(SERIES, 'v4', prefix)
  return {
    table: 'event_series',
    types: ['application/json', 'application/geo+json'],
    removing: { events: 'delete' },
    fields,
    readOnly: [`${prefix}url`, ...readOnlyIn(SERIES, prefix, fields)],
    // The writer must be able to read the new series.
    faultOf: ({ access_modifier: wanted = 0 }: SeriesDraft, _, level) =>
      wanted > level
        ? [`${prefix}access_modifier`, `This key reads at most ${accessName(level)}. Enter that or a lower level.`]
        : null,
    complete: ({ color, ...draft }: SeriesDraft, { level, now }) => {
      const uuid = draft.uuid ?? crypto.randomUUID()
      return {
        ...defaultsOf(SERIES),
        color: color ?? colorOf(uuid),
        access_modifier: Math.min(level, ACCESS_LEVELS.Private),
        ...draft,
        kind: 'event_series',
        id: 0,
        uuid,
        created: now,
      } as SeriesRecord // the draft has the required members
    },
    merge: (stored: SeriesRecord, { color = stored.color, ...draft }: SeriesDraft) => ({
      ...stored,
      ...draft,
      color: color ?? colorOf(stored.uuid),
    }),
    rowOf: (series) => ({ ...toRow(series), ...NO_EVENTS }),
    several: (records) => ({ ids: records.map(({ id }) => id), uuids: records.map(({ uuid }) => uuid) }),
    idsSchema: record({ ids: listOf(INTEGER), uuids: listOf(UUID) }),
    recordOf: toRecord,
    add: (series: readonly SeriesRecord[], { now }) => storeAll(series, now),
    items: {
      change: (row, changes, writer) => changeSeries(toRecord(row), changes, writer),
      remove: (db, { id }: SeriesRow, removal) => removeSeries(db, id, removal),
    },
  } satisfies Partial<Writable>
}

/** How clients write series, in every version. */
export const seriesWritable: Writable = {
  ...writableAt(''),
  inFeatures: true,
  examples: {
    made: { name: 'Earthquakes Utrecht', observation_type: 1 },
    changed: { description: 'As they were felt.' },
  },
  identity: { ...NAMED, member: 'url', pathOf: ({ uuid }) => `/api/v4/eventseries/${uuid}/` },
  keyOf: ({ uuid }: SeriesRow) => uuid,
  isWhole: (key) => key.replaceAll('-', '').length === 32,
}

const inProperties = writableAt('properties.')

/** How clients write series as features. Time and place of a series follow from its events. */
export const seriesFeatureWritable: Writable = {
  ...inProperties,
  named: 'SeriesFeature',
  fields: { type: featureType('event_series'), ...inProperties.fields },
  readOnly: ['id', 'bbox', 'links', 'geometry', ...inProperties.readOnly],
  examples: {
    made: {
      type: 'Feature',
      geometry: null,
      properties: { name: 'Earthquakes Utrecht', observation_type: 'earthquake' },
    },
    changed: { properties: { description: 'As they were felt.' } },
  },
  identity: { ...NAMED, member: 'id', pathOf: ({ id }) => `/ogc/collections/eventseries/items/${id}` },
  // The address of a feature always has the whole id.
  keyOf: ({ id }) => String(id),
}
