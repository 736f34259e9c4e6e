import { sql } from 'drizzle-orm'
import { observationTypes, eventSeries as table } from '../../schema/tables.ts'
import { ACCESS_LEVELS, accessName } from '../access.ts'
import { INTEGER, listOf, record, STRING, UUID } from '../formats/schema.ts'
import { as, typeReference } from '../store/readers.ts'
import { FIELDS, type SeriesRecord } from '../store/records.ts'
import { removeSeries } from '../store/removal.ts'
import { addSeries, changeSeries } from '../store/series.ts'
import type { Writable } from '../store/writable.ts'

/** A series as it is read: see `columns` of src/api/series.ts. */
type SeriesRow = Omit<SeriesRecord, 'kind' | 'observation_type' | 'access_modifier' | 'last_modified'> &
  Readonly<Record<'observationType' | 'accessModifier', number>> &
  Readonly<Record<'lastModified' | 'start' | 'end' | 'west' | 'east' | 'south' | 'north', number | null>>

const FIELD = FIELDS.event_series

/** `#` and six hexadecimal digits. */
export const COLOR = { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }
export const ACCESS = { type: 'string', enum: Object.keys(ACCESS_LEVELS) }

const recordOf = ({ observationType, accessModifier, lastModified, ...row }: SeriesRow): SeriesRecord => ({
  ...{ kind: 'event_series', id: row.id, uuid: row.uuid, name: row.name, description: row.description },
  ...{ observation_type: observationType, statistic: row.statistic, color: row.color },
  ...{ access_modifier: accessModifier, created: row.created, last_modified: lastModified },
})

/** No series has this uuid. */
export const NEW_UUID = {
  query: (values: string) =>
    sql`SELECT given.value AS given, ${table.id} AS id FROM json_each(${values}) AS given JOIN ${table} ON ${table.uuid} = given.value`,
  message: () => 'There is a series with this uuid. Leave it out, and a new one is made.',
  fresh: true,
} as const

/** How series are written, in every version. */
export const writable: Writable<SeriesRecord, SeriesRow> = {
  table: 'event_series',
  types: ['application/json'],
  removing: { events: 'delete' },
  fields: {
    uuid: {
      to: 'uuid',
      read: as(FIELD.uuid),
      schema: { ...UUID, description: 'A new one unless given.' },
      once: true,
      lookup: NEW_UUID,
    },
    name: { to: 'name', read: as(FIELD.name), schema: STRING, required: true },
    description: { to: 'description', read: as(FIELD.description), schema: STRING },
    observation_type: {
      to: 'observation_type',
      read: typeReference,
      schema: { anyOf: [INTEGER, { type: 'string', format: 'uri-reference' }], description: 'Its id or its address.' },
      required: true,
      lookup: {
        query: (values) =>
          sql`SELECT given.value AS given, ${observationTypes.id} AS id FROM json_each(${values}) AS given JOIN ${observationTypes} ON ${observationTypes.id} = given.value`,
        message: (id) => `There is no observation type ${id}.`,
      },
    },
    statistic: { to: 'statistic', read: as(FIELD.statistic), schema: STRING },
    color: { to: 'color', read: as(FIELD.color), schema: COLOR },
    access_modifier: { to: 'access_modifier', read: as(FIELD.access_modifier), schema: ACCESS },
  },
  readOnly: [
    'url',
    'first_value_timestamp',
    'last_value_timestamp',
    'spatial_bounds',
    'start',
    'end',
    'created',
    'last_modified',
  ],
  examples: {
    made: { name: 'Earthquakes Utrecht', observation_type: 1 },
    changed: { description: 'As they were felt.' },
  },
  // What is made has to be seen by who made it.
  faultOf: ({ access_modifier: wanted = 0 }, level) =>
    wanted > level ? ['access_modifier', `Enter ${accessName(level)} at most: more this key does not read.`] : null,
  complete: (draft, id, { level, now }) => {
    const uuid = draft.uuid ?? crypto.randomUUID()
    const defaults = {
      description: '',
      statistic: 'raw',
      color: `#${uuid.slice(-6)}`,
      access_modifier: Math.min(level, ACCESS_LEVELS.Private),
    }
    return { ...defaults, ...draft, kind: 'event_series', id, uuid, created: now, last_modified: null } as SeriesRecord
  },
  rowOf: ({ observation_type, access_modifier, last_modified, ...rest }) => ({
    ...rest,
    observationType: observation_type,
    accessModifier: access_modifier,
    lastModified: last_modified,
    ...{ start: null, end: null, west: null, east: null, south: null, north: null },
  }),
  several: (records) => ({ ids: records.map(({ id }) => id), uuids: records.map(({ uuid }) => uuid) }),
  told: record({ ids: listOf(INTEGER), uuids: listOf(UUID) }),
  keyOf: ({ uuid }) => uuid,
  isWhole: (key) => key.replaceAll('-', '').length === 32,
  recordOf,
  add: addSeries,
  change: (row, changes, writer) => changeSeries(recordOf(row), changes, writer),
  remove: (db, { id }, removal) => removeSeries(db, id, removal.asked.has('events'), removal),
}
