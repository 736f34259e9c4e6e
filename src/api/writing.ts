import { lte, sql } from 'drizzle-orm'
import { observationTypes, eventSeries as table } from '../../schema/tables.ts'
import { ACCESS_LEVELS, accessName } from '../access.ts'
import { INTEGER, listOf, orNull, record, STRING, UUID } from '../formats/schema.ts'
import type { Field } from '../store/fields.ts'
import { as, emptyAs, MAX_NAME, typeReference } from '../store/readers.ts'
import { FIELDS, isObject, type SeriesRecord } from '../store/records.ts'
import { removeSeries } from '../store/removal.ts'
import { addSeries, changeSeries } from '../store/series.ts'
import type { Identity, Writable } from '../store/writable.ts'

/** A row of a series, see `columns` in src/api/series.ts. */
type SeriesRow = Omit<SeriesRecord, 'kind' | 'observation_type' | 'access_modifier' | 'last_modified'> &
  Readonly<Record<'observationType' | 'accessModifier', number>> &
  Readonly<Record<'lastModified' | 'start' | 'end' | 'west' | 'east' | 'south' | 'north', number | null>>

const FIELD = FIELDS.event_series

/** The schema of a colour: `#` and six hexadecimal digits. */
export const COLOR = { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }
export const ACCESS = { type: 'string', enum: Object.keys(ACCESS_LEVELS) }

const recordOf = ({ observationType, accessModifier, lastModified, ...row }: SeriesRow): SeriesRecord => ({
  ...{ kind: 'event_series', id: row.id, uuid: row.uuid, name: row.name, description: row.description },
  ...{ observation_type: observationType, statistic: row.statistic, color: row.color },
  ...{ access_modifier: accessModifier, created: row.created, last_modified: lastModified },
})

/** Checks that no series has this uuid. */
export const NEW_UUID = {
  query: (values: string) =>
    sql`SELECT given.value AS given, ${table.id} AS id FROM json_each(${values}) AS given JOIN ${table} ON ${table.uuid} = given.value`,
  message: () => 'Another series has this uuid. Leave it out to get a new one.',
  fresh: true,
} as const

/** The members of a series in a body. */
export type SeriesDraft = Partial<Omit<SeriesRecord, 'color'>> & {
  /** Null means the default colour, the last six digits of the uuid. */
  readonly color?: string | null
}

const colorOf = (uuid: string): string => `#${uuid.slice(-6)}`

/** The fields of a series. Every address accepts items in the JSON and the GeoJSON of any version. */
export const SERIES_FIELDS = {
  uuid: {
    to: 'uuid',
    read: emptyAs(undefined, as(FIELD.uuid)),
    schema: { ...orNull(UUID), description: 'Without a value, the series gets a new uuid.' },
    once: true,
    lookup: NEW_UUID,
  },
  name: {
    to: 'name',
    read: as(FIELD.name),
    most: MAX_NAME,
    schema: { ...STRING, maxLength: MAX_NAME },
    required: true,
  },
  description: { to: 'description', read: emptyAs('', as(FIELD.description)), schema: orNull(STRING) },
  observation_type: {
    to: 'observation_type',
    read: typeReference,
    schema: { anyOf: [INTEGER, STRING], description: 'The id, the address or the code of the type.' },
    required: true,
    lookup: {
      query: (values: string) =>
        sql`SELECT given.value AS given, min(${observationTypes.id}) AS id FROM json_each(${values}) AS given
          JOIN ${observationTypes} ON CASE given.type
            WHEN 'integer' THEN ${observationTypes.id} = given.value ELSE ${observationTypes.code} = given.value END
          GROUP BY given.type, given.value HAVING count(*) = 1`,
      message: (given: unknown) =>
        typeof given === 'number'
          ? `There is no observation type ${given}. The types are listed at /api/v4/observationtypes/.`
          : 'No observation type has this code, or several have it. Enter an id from /api/v4/observationtypes/.',
    },
  },
  statistic: { to: 'statistic', read: emptyAs('raw', as(FIELD.statistic)), schema: orNull(STRING) },
  color: { to: 'color', read: emptyAs(null, as(FIELD.color)), schema: orNull(COLOR) },
  access_modifier: {
    to: 'access_modifier',
    read: emptyAs(undefined, as(FIELD.access_modifier)),
    schema: { ...orNull(ACCESS), enum: [...ACCESS.enum, null] },
    stays: true,
  },
} satisfies Readonly<Record<string, Field<SeriesDraft>>>

/** Members of series, in any format, that clients cannot write. */
export const SERIES_READ_ONLY = [
  ...['url', 'first_value_timestamp', 'last_value_timestamp', 'spatial_bounds', 'west', 'east', 'north', 'south'],
  ...['start', 'end', 'event_count', 'observation_type_name', 'unit', 'created', 'last_modified'],
]

/** Finds the stored series by the address or the id in an item. */
export const seriesIdentity = (member: string, pathOf: Identity['pathOf']): Identity => ({
  member,
  nameOf: (item) => {
    const { id, properties, url } = isObject(item) ? item : {}
    const address = isObject(properties) ? properties.url : url
    const [, uuid] = (typeof address === 'string' && /\/eventseries\/([0-9a-f-]{36})\//i.exec(address)) || []
    if (uuid !== undefined) return uuid.toLowerCase()
    return Number.isSafeInteger(id) ? (id as number) : (FIELD.uuid[1](id) ?? null)
  },
  query: (names, level) => sql`SELECT given.value AS given, ${table.id} AS id, ${table.uuid} AS uuid
    FROM json_each(${names}) AS given CROSS JOIN ${table} ON ${table.id} = given.value OR ${table.uuid} = given.value
    WHERE ${lte(table.accessModifier, level)}`,
  pathOf,
})

/** How clients write series, in every version. */
export const writable: Writable<SeriesRecord, SeriesRow, SeriesDraft> = {
  table: 'event_series',
  types: ['application/json', 'application/geo+json'],
  inFeatures: true,
  removing: { events: 'delete' },
  fields: SERIES_FIELDS,
  readOnly: SERIES_READ_ONLY,
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
    const access_modifier = Math.min(level, ACCESS_LEVELS.Private)
    const defaults = { description: '', statistic: 'raw', color: color ?? colorOf(uuid), access_modifier }
    return {
      ...defaults,
      ...draft,
      kind: 'event_series',
      id: 0,
      uuid,
      created: now,
      last_modified: null,
    } as SeriesRecord
  },
  merge: (stored, { color = stored.color, ...draft }) => ({
    ...stored,
    ...draft,
    color: color ?? colorOf(stored.uuid),
  }),
  identity: seriesIdentity('url', ({ uuid }) => `/api/v4/eventseries/${uuid}/`),
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
  items: {
    change: (row, changes, writer) => changeSeries(recordOf(row), changes, writer),
    remove: (db, { id }, removal) => removeSeries(db, id, removal.asked.has('events'), removal),
  },
}
