import { lte, sql } from 'drizzle-orm'
import { eventSeries as table } from '../../schema/tables.ts'
import { ACCESS_LEVELS, accessName } from '../access.ts'
import { startsWithUuid, uuidPrefix } from '../filters/references.ts'
import { sharesBox } from '../filters/spatial.ts'
import { rectangleOf } from '../geometry/bbox.ts'
import { bodyOf, readOnlyIn } from '../model/body.ts'
import { namedSeries } from '../model/dictionaries.ts'
import { isObject, uuid as uuidKind } from '../model/kinds.ts'
import { type ItemMember, membersOf, schemasOf, writerOf } from '../model/members.ts'
import { defaultsOf, recordOf, rowOf } from '../model/rows.ts'
import { INTEGER, listOf, NUMBER, orNull, record, UUID } from '../model/schema.ts'
import { SERIES } from '../model/series.ts'
import type { SeriesRecord, SeriesRow } from '../model/types.ts'
import type { Resource } from '../resource.ts'
import { storeAll } from '../store/batch.ts'
import { changeSeries, removeSeries } from '../store/series.ts'
import type { Identity, Writable } from '../store/writable.ts'
import { listOfFields, urlIn } from './list.ts'

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
    return typeof id === 'number' && Number.isSafeInteger(id) ? id : (uuidKind.read(id) ?? null)
  },
  query: namedSeries,
  pathOf,
})

const [toRecord, toRow] = [recordOf<SeriesRecord>('event_series', SERIES), rowOf(SERIES)]

/** How clients write series, in every version. */
export const writable: Writable = {
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
  faultOf: ({ access_modifier: wanted = 0 }: SeriesDraft, _, level) =>
    wanted > level
      ? ['access_modifier', `This key reads at most ${accessName(level)}. Enter that or a lower level.`]
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
  identity: seriesIdentity('url', ({ uuid }) => `/api/v4/eventseries/${uuid}/`),
  rowOf: (series) => ({ ...toRow(series), ...NO_EVENTS }),
  several: (records) => ({ ids: records.map(({ id }) => id), uuids: records.map(({ uuid }) => uuid) }),
  idsSchema: record({ ids: listOf(INTEGER), uuids: listOf(UUID) }),
  keyOf: ({ uuid }: SeriesRow) => uuid,
  isWhole: (key) => key.replaceAll('-', '').length === 32,
  recordOf: toRecord,
  add: (series: readonly SeriesRecord[], { now }) => storeAll(series, now),
  items: {
    change: (row, changes, writer) => changeSeries(toRecord(row), changes, writer),
    remove: (db, { id }: SeriesRow, removal) => removeSeries(db, id, removal),
  },
}

/** The columns that a series derives from its events, for a series without events. */
const NO_EVENTS = { start: null, end: null, west: null, east: null, south: null, north: null }

/** The schema of a polygon with one ring of five positions. */
const RECTANGLE = record({ type: { const: 'Polygon' }, coordinates: listOf(listOf(listOf(NUMBER, 2), 5), 1) })

const BBOX = {
  bbox: {
    ...sharesBox(table),
    told: { title: ['In a box', 'In een rechthoek'], group: 'where' },
    about: 'The rectangle around the events of the series',
    example: [3, 50, 8, 54],
  },
} as const

/** Returns the declarations that both versions of the list share, and those that depend on the version. */
const seriesList = (version: 'v3' | 'v4', item: string) => {
  const path = `/api/${version}/eventseries/`
  const url = urlIn<SeriesRow>(path, ({ uuid }) => uuid)
  return {
    ...listOfFields(SERIES, version, item, path, url, BBOX),
    url,
    name: 'Event Series List',
    itemName: 'Event Series Instance',
    table,
    id: table.id,
    // A restored series may reach the same revision, but not at the same time.
    state: sql`'s' || ${table.revision} || '.' || ${table.changed}`,
    visible: (level: number) => (level >= ACCESS_LEVELS.Hidden ? null : lte(table.accessModifier, level)),
    maxPageSize: 1000,
    key: {
      name: 'uuid',
      description:
        'The uuid of the series, or its first characters, if only one series that the caller sees starts with them.',
      schema: { type: 'string', pattern: '^[0-9A-Fa-f-]+$' },
      example: '99fe5d0',
      toWrite: {
        description: 'The whole uuid of the series.',
        schema: UUID,
        example: '99fe5d03-893d-5b20-8244-b9189db33e37',
      },
    },
    /** Matches the series whose uuid starts with the key, in any case, with or without hyphens. */
    find: (key: string) => {
      const prefix = uuidPrefix(key)
      return prefix === null ? null : startsWithUuid(table.uuid, sql`${prefix}`)
    },
    writable,
    /**
     * The rectangle around the points of its events. It is a polygon even for one point, because many maps show one
     * kind of geometry.
     */
    place: {
      of: (row: SeriesRow) => {
        const bounds = SERIES.bounds.get(row)
        if (bounds === null) return { id: row.uuid, geometry: null }
        const bbox = [bounds.west, bounds.south, bounds.east, bounds.north] as const
        return { id: row.uuid, bbox, geometry: rectangleOf(bbox) }
      },
      schemas: { id: UUID, bbox: listOf(NUMBER, 4), geometry: orNull(RECTANGLE) },
    },
  }
}

const listV3 = seriesList('v3', 'EventSeriesV3')
const csv = [listV3.url, ...membersOf(SERIES, 'flat')]

/** The event series list of version 3 (SPEC 2.3, 4.2). */
export const eventSeriesV3: Resource = {
  ...listV3,
  csv,
  description: 'The series that group events, with the period and the bounds of their events.',
  schemas: {
    ...listV3.schemas,
    Bounds: record(
      { west: NUMBER, east: NUMBER, north: NUMBER, south: NUMBER },
      { description: 'The smallest box around the points of the events, in degrees.' },
    ),
  },
  flat: { of: writerOf(csv), item: 'FlatEventSeriesV3', schema: record(schemasOf(csv)) },
}

/** The event series list of version 4 (SPEC 2.4, 4.3). */
export const eventSeriesV4: Resource = {
  ...seriesList('v4', 'EventSeriesV4'),
  description: 'The series that group events, with the period of their events and their access level.',
}

const included: ItemMember[] = [
  { name: 'id', schema: INTEGER, write: ({ id }: SeriesRow) => id },
  ...membersOf({ uuid: SERIES.uuid }, 'v4'),
  ...listV3.members,
]

/**
 * The series that a page of events can include. Each has the fields of its list, its uuid, and the id that events show.
 */
export const includedSeries: Resource = {
  ...eventSeriesV3,
  item: 'IncludedSeries',
  schemas: { IncludedSeries: record(schemasOf(included)) },
  serialize: writerOf(included),
}
