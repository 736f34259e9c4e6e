import { lte, sql } from 'drizzle-orm'
import { eventSeries as table } from '../../schema/tables.ts'
import { ACCESS_LEVELS, accessName } from '../access.ts'
import { bodyOf, readOnlyIn } from '../model/body.ts'
import { isObject, uuid as uuidKind } from '../model/kinds.ts'
import { defaultsOf, recordOf, rowOf } from '../model/rows.ts'
import { INTEGER, listOf, record, UUID } from '../model/schema.ts'
import { SERIES, type SeriesRecord, type SeriesRow } from '../model/series.ts'
import { removeSeries } from '../store/removal.ts'
import { addSeries, changeSeries } from '../store/series.ts'
import type { Identity, Writable } from '../store/writable.ts'

/** The members of a series in a body. */
type SeriesDraft = Partial<Omit<SeriesRecord, 'color'>> & {
  /** Null means the default colour, the last six digits of the uuid. */
  readonly color?: string | null
}

const colorOf = (uuid: string): string => `#${uuid.slice(-6)}`

/** Returns the fields of a series. Every address accepts items in the JSON and the GeoJSON of any version. */
export const seriesFields = (prefix: string) => bodyOf(SERIES, 'v4', prefix)

/** Returns the members of series, in any format, that clients cannot write. */
export const readOnlyOf = (prefix: string): string[] => [
  `${prefix}url`,
  ...readOnlyIn(SERIES, prefix, seriesFields(prefix)),
]

/** Finds the stored series by the address or the id in an item. */
export const seriesIdentity = (member: string, pathOf: Identity['pathOf']): Identity => ({
  member,
  nameOf: (item) => {
    const { id, properties, url } = isObject(item) ? item : {}
    const address = isObject(properties) ? properties.url : url
    const [, uuid] = (typeof address === 'string' && /\/eventseries\/([0-9a-f-]{36})\//i.exec(address)) || []
    if (uuid !== undefined) return uuid.toLowerCase()
    return Number.isSafeInteger(id) ? (id as number) : (uuidKind.read(id) ?? null)
  },
  query: (names, level) => sql`SELECT given.value AS given, ${table.id} AS id, ${table.uuid} AS uuid
    FROM json_each(${names}) AS given CROSS JOIN ${table} ON ${table.id} = given.value OR ${table.uuid} = given.value
    WHERE ${lte(table.accessModifier, level)}`,
  pathOf,
})

const [toRecord, toRow] = [recordOf('event_series', SERIES), rowOf(SERIES)]

/** How clients write series, in every version. */
export const writable: Writable<SeriesRecord, SeriesRow, SeriesDraft> = {
  table: 'event_series',
  types: ['application/json', 'application/geo+json'],
  inFeatures: true,
  removing: { events: 'delete' },
  fields: seriesFields(''),
  readOnly: readOnlyOf(''),
  examples: {
    made: { name: 'Earthquakes Utrecht', observation_type: 1 },
    changed: { description: 'As they were felt.' },
  },
  // The writer must be able to read the new series.
  faultOf: ({ access_modifier: wanted = 0 }, _, level) =>
    wanted > level
      ? ['access_modifier', `This key reads at most ${accessName(level)}. Enter that or a lower level.`]
      : null,
  complete: ({ color, ...draft }, { level, now }) => {
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
    } as SeriesRecord
  },
  merge: (stored, { color = stored.color, ...draft }) => ({
    ...stored,
    ...draft,
    color: color ?? colorOf(stored.uuid),
  }),
  identity: seriesIdentity('url', ({ uuid }) => `/api/v4/eventseries/${uuid}/`),
  rowOf: (series) => ({ ...toRow(series), ...NO_EVENTS }),
  several: (records) => ({ ids: records.map(({ id }) => id), uuids: records.map(({ uuid }) => uuid) }),
  idsSchema: record({ ids: listOf(INTEGER), uuids: listOf(UUID) }),
  keyOf: ({ uuid }) => uuid,
  isWhole: (key) => key.replaceAll('-', '').length === 32,
  recordOf: toRecord,
  add: addSeries,
  items: {
    change: (row, changes, writer) => changeSeries(toRecord(row), changes, writer),
    remove: (db, { id }, removal) => removeSeries(db, id, removal.asked.has('events'), removal),
  },
}

/** The columns that a series derives from its events, for a series without events. */
const NO_EVENTS = { start: null, end: null, west: null, east: null, south: null, north: null }
