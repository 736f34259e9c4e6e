import { INTEGER, listOf, NUMBER, orNull, record, UUID } from '../base/schema.ts'
import { uuidPrefix } from '../filters/references.ts'
import { sharesBox } from '../filters/spatial.ts'
import { rectangleOf } from '../geometry/bbox.ts'
import { emptyAs } from '../model/body.ts'
import { type ItemMember, membersOf, type View } from '../model/members.ts'
import { METADATA_KINDS, type MetadataRow, metadataOf, titlesFault } from '../model/metadata.ts'
import { SERIES } from '../model/series.ts'
import type { Metadata, SeriesRow } from '../model/types.ts'
import { changeMetadata } from '../store/series.ts'
import type { Writable } from '../store/writable.ts'
import { listOfFields, objectView, type Resource, urlIn, type WritableResource } from './resource.ts'
import { seriesWritable } from './seriesWriting.ts'

/** The members of a description that clients write. */
const METADATA_MEMBERS = Object.entries(METADATA_KINDS).map(([name, { about, kind, empty }]) => {
  const schema = { ...kind.schema, ...kind.sent?.schema, description: about }
  return { name, kind, empty, schema: empty === null ? orNull(schema) : schema }
})

const MORE = {
  name: 'more',
  schema: { type: 'boolean', description: 'True if the events have further fields.' },
}

type DescribedRow = MetadataRow & { readonly id: number; readonly uuid: string }

const MEMBERS = [...METADATA_MEMBERS, MORE].map(({ name, schema }): ItemMember => {
  const member = name as keyof Metadata // each is one
  return { name, schema, write: (row: DescribedRow) => metadataOf(row)[member] }
})

/** The description of a series, at its own address. */
const METADATA_VIEW = objectView('SeriesMetadata', ['id', 'uuid', 'metadata'], MEMBERS)

const OWNER: ItemMember = { name: 'uuid', schema: UUID, write: ({ uuid }: DescribedRow) => uuid }

/** A page of series can include the description of each. */
const INCLUDED_METADATA = objectView('IncludedMetadata', ['uuid', 'metadata'], [OWNER, ...MEMBERS])

/** The schema of a polygon with one ring of five positions. */
const RECTANGLE = record({ type: { const: 'Polygon' }, coordinates: listOf(listOf(listOf(NUMBER, 2), 5), 1) })

const BBOX = {
  bbox: {
    ...sharesBox,
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
    list: 'series' as const,
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
    /** The key is the beginning of a uuid, in any case, with or without hyphens. */
    find: (key: string) => {
      const uuid = uuidPrefix(key)
      return uuid === null ? null : { uuid }
    },
    writable: seriesWritable,
    included: { metadata: INCLUDED_METADATA },
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
const { reads } = listV3.view

/** The event series list of version 3 (SPEC 2.3, 4.2). */
export const eventSeriesV3: Resource = {
  ...listV3,
  flat: objectView('FlatEventSeriesV3', reads, [listV3.url, ...membersOf(SERIES, 'flat')]),
  description: 'The series that group events, with the period and the bounds of their events.',
  schemas: {
    Bounds: record(
      { west: NUMBER, east: NUMBER, north: NUMBER, south: NUMBER },
      { description: 'The smallest box around the points of the events, in degrees.' },
    ),
  },
}

/** The event series list of version 4 (SPEC 2.4, 4.3). */
export const eventSeriesV4: Resource = {
  ...seriesList('v4', 'EventSeriesV4'),
  description: 'The series that group events, with the period of their events and their access level.',
}

/**
 * The series that a page of events can include. Each has the fields of its list, its uuid, and the id that events show.
 */
export const includedSeries: View = objectView('IncludedSeries', reads, [
  { name: 'id', schema: INTEGER, write: ({ id }: SeriesRow) => id },
  ...membersOf({ uuid: SERIES.uuid }, 'v4'),
  ...listV3.view.members,
])

const writable: Writable = {
  ...seriesWritable,
  named: 'SeriesMetadata',
  types: ['application/json'],
  removing: {},
  fields: Object.fromEntries(
    METADATA_MEMBERS.map(({ name, kind, empty, schema }) => [name, { to: name, schema, read: emptyAs(empty, kind) }]),
  ),
  readOnly: [MORE.name],
  examples: {
    made: {
      source: 'Waterschap Voorbeeld',
      license: 'CC-BY-4.0',
      fields: [{ name: 'value', title: 'Volume', type: 'number', unit: 'm³' }],
    },
    changed: { license: 'CC-BY-4.0' },
  },
  faultOf: ({ fields = [] }: Partial<Metadata>) => {
    const fault = titlesFault(fields)
    return fault === null ? null : ['fields', fault]
  },
  merge: (stored, draft) => ({ ...stored, ...draft }),
  recordOf: (row: DescribedRow) => ({ ...metadataOf(row), id: row.id }),
  seriesOf: ({ id }: DescribedRow) => id,
  keyOf: ({ uuid }: DescribedRow) => `${uuid}/metadata`,
  items: {
    change: ({ id }: DescribedRow, changes: Partial<Metadata>, writer) => changeMetadata(id, changes, writer),
  },
}

/** The description of each series, at the address of the series. */
export const seriesMetadata: WritableResource = {
  ...eventSeriesV4,
  itemName: 'Event Series Metadata',
  description: 'Where the data of the series comes from, and what the columns of its events mean.',
  controls: [],
  view: METADATA_VIEW,
  flat: METADATA_VIEW,
  schemas: {},
  writable,
}

/** The path of the description of a series, with its key. */
export const METADATA_PATH = `${eventSeriesV4.path}:key/metadata/`
