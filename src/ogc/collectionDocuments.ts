import type { Schema } from '../base/schema.ts'
import type { Reader, SeriesExtent } from '../engine/engine.ts'
import { isoInstant, MILLISECONDS } from '../filters/temporal.ts'
import { DISTANCE } from '../formats/shown.ts'
import type { Query } from '../http/read.ts'
import { licenseAddress, type MetadataRow } from '../model/metadata.ts'
import type { SeriesRow } from '../model/types.ts'
import { kindOf } from '../question/fields.ts'
import type { Order } from '../question/question.ts'
import type { Collection } from './collection.ts'
import { COLLECTIONS } from './collection.ts'
import { collectionOf } from './columns.ts'
import { CRS84, systemsOf } from './crs.ts'
import { link, REL, ROOT, selfLinks, TYPE, withParameters } from './links.ts'
import { about, type CollectionDocument, type Document, documents } from './request.ts'

/** Makes a page of the list of collections (Part 1, 7.13). The series come after the fixed collections. */
const collectionList = async (
  query: Query,
  reader: Reader,
  { offset, limit }: Parameters<Reader['overview']>[0],
): Promise<object> => {
  const fixed = COLLECTIONS.slice(offset, offset + limit)
  const slice = { offset: Math.max(0, offset - COLLECTIONS.length), limit: limit - fixed.length }
  const { all, series } = await reader.overview(slice)
  const shown = [
    ...fixed.map((collection) => describe(query, collection, all)),
    // An overview has the fields of such a row.
    ...series.map(({ row, extent }) => describe(query, collectionOf(row as SeriesRow & MetadataRow), extent)),
  ]
  const count = COLLECTIONS.length + all.series
  const page = (rel: string, to: number) => link(rel, TYPE.json, withParameters(query, { offset: String(to) }))
  return {
    links: [
      ...selfLinks(query, TYPE.json),
      ...(offset + limit < count ? [page('next', offset + limit)] : []),
      ...(offset > 0 ? [page('prev', Math.max(0, Math.min(offset, count) - limit))] : []),
    ],
    numberMatched: count,
    numberReturned: shown.length,
    collections: shown,
  }
}

/** The list of collections. Unlike other documents outside of a collection, it reads the database. */
export const COLLECTION_LIST = {
  ...about('/collections', 'Capabilities', 'collections', 'The collections'),
  make: collectionList,
}

/** Describes a collection. The list of collections contains the same document (Part 1, 7.14). */
const collectionDocument = async (query: Query, collection: Collection, _: unknown, reader: Reader): Promise<object> =>
  describe(query, collection, await reader.extent(collection.owner?.uuid ?? null))

/** Describes a collection, with the number of features that the caller sees, and their extent in space and time. */
const describe = (
  query: Query,
  collection: Collection,
  { series, events, bbox, interval: instants }: SeriesExtent,
): object => {
  const { id, title, description, ofSeries, source } = collection
  const interval = instants?.map((instant) => isoInstant(instant, MILLISECONDS))
  const extent = {
    ...(bbox && { spatial: { bbox: [bbox], crs: CRS84 } }),
    ...(interval && { temporal: { interval: [interval], trs: 'http://www.opengis.net/def/uom/ISO-8601/0/Gregorian' } }),
  }
  return {
    id,
    title,
    description,
    ...(source.source !== null && { attribution: source.source }),
    itemType: 'feature',
    itemCount: ofSeries ? series : events,
    ...((bbox ?? interval) && { extent }),
    crs: systemsOf(bbox),
    storageCrs: CRS84,
    links: [...linksOf(query.base, collection), ...sourceLinks(source)],
  }
}

/** Returns the links to a licence and to a source, as far as these have addresses. */
const sourceLinks = ({ license, source, source_url: address }: Collection['source']) => {
  const licensed = licenseAddress(license)
  return [
    ...(license !== null && licensed !== null ? [link('license', TYPE.html, licensed, license)] : []),
    ...(address === null ? [] : [link('attribution', TYPE.html, address, source ?? address)]),
  ]
}

const linksOf = (base: string, { id, ofSeries, owner, path }: Collection) => {
  const address = `${base}${ROOT}/collections/${id}`
  const ofOwner = owner === null ? '' : `event_series=${owner.uuid}&`
  const whole = `${base}${path}?${ofOwner}format=geojson&page_size=all`
  return [
    link('self', TYPE.json, address, 'This collection'),
    link('alternate', TYPE.html, `${address}?f=html`, 'This collection as a page'),
    link('items', TYPE.geojson, `${address}/items`, 'The features as GeoJSON'),
    link('items', TYPE.html, `${address}/items?f=html`, 'The features as a page'),
    link(REL.queryables, TYPE.schema, `${address}/queryables`, 'The properties for filters'),
    link('queryables', TYPE.json, `${address}/queryables`, 'The properties for filters'),
    link(REL.sortables, TYPE.schema, `${address}/sortables`, 'The properties for sortby'),
    link(REL.schema, TYPE.schema, `${address}/schema`, 'The properties of features'),
    link('describedBy', TYPE.schema, `${address}/schema/feature`, 'The properties of features as GeoJSON'),
    ...(ofSeries ? [] : [link(REL.tilesets, TYPE.json, `${address}/tiles`, 'Vector tiles')]),
    link('enclosure', TYPE.geojson, whole, 'The whole list as a stream'),
  ]
}

const schemaAt = ({ address }: Query, { title }: Collection, members: object): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: address,
  type: 'object',
  title,
  ...members,
})

const placeOf = ({ geometry }: Collection): string => `https://geojson.org/schema/${geometry}.json`

const geometryOf = (collection: Collection): Schema => ({
  title: 'Place',
  $ref: placeOf(collection),
  format: `geometry-${collection.geometry.toLowerCase()}`,
  'x-ogc-role': 'primary-geometry',
})

/**
 * Makes the schema of the names in CQL2 filters (Part 3). QGIS finds a geometry by `$ref`, other clients by `format`. GDAL
 * sends a filter if it finds its names in `queryables`, a member of an earlier draft.
 */
const queryables = (query: Query, collection: Collection): object => {
  // Each queryable is a parameter of items as well.
  const others = new Set(collection.columns.flatMap(({ member, isQueryable }) => (isQueryable ? [] : [member.name])))
  const named = Object.entries(collection.properties).flatMap(([name, { field }]) =>
    others.has(name) ? [] : [[name, field === 'place' ? geometryOf(collection) : collection.schema[name]] as const],
  )
  return schemaAt(query, collection, {
    properties: Object.fromEntries(named),
    additionalProperties: false,
    queryables: named.map(([id]) => ({ id })),
  })
}

/** The member and the order that features have only near a position. */
const NEAR = { distance: { title: 'Distance', ...DISTANCE, readOnly: true } }

const isText = (by: Order['by']): boolean => typeof by === 'string' && by !== 'distance' && kindOf(by) === 'text'

/** Makes the schema of the names in sortby (Part 8). */
const sortables = (query: Query, collection: Collection): object => {
  const known: Readonly<Record<string, Schema>> = { ...collection.schema, ...NEAR }
  const named = Object.entries(collection.orderings).map(([name, { by }]) => [
    name,
    Object.hasOwn(known, name) ? known[name] : { title: titleOf(name), type: isText(by) ? 'string' : 'number' },
  ])
  return schemaAt(query, collection, { properties: Object.fromEntries(named), additionalProperties: false })
}

/** Makes a title such as Value number of the name value_number. */
const titleOf = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1).replace(/_+/g, ' ')}`

const PREFIX = 'properties.'

/** Returns the flat schemas of a feature's members. Members that clients cannot write are read-only. */
const membersOf = (collection: Collection): Readonly<Record<string, Schema>> => {
  const { fields } = collection.writableIn(0)
  const isWritten = (name: string) =>
    Object.hasOwn(fields, name) ||
    Object.hasOwn(fields, `${PREFIX}${name}`) ||
    collection.columns.some(({ member }) => member.name === name)
  const schema = { ...collection.schema, geometry: geometryOf(collection) }
  return Object.fromEntries(
    Object.entries(schema).map(([name, each]) => [name, isWritten(name) ? each : { ...each, readOnly: true }]),
  )
}

/** Makes the schema of a feature with flat members, as Part 5 defines it. */
const schemaOf = (query: Query, collection: Collection): object => {
  const near = collection.filters.has('near') ? NEAR : {}
  const properties = { ...membersOf(collection), ...near }
  const fields = Object.entries(collection.writableIn(0).fields)
  const names = fields.filter(([, { required }]) => required).map(([path]) => path.replace(PREFIX, ''))
  const required = names.filter((name) => name in properties)
  // In a body, another member of an event is an attribute.
  return schemaAt(query, collection, { required, properties, additionalProperties: collection.owner !== null })
}

/** Makes the schema of a feature in GeoJSON, which GDAL reads. It has no distance, which would be an empty column. */
const featureSchema = (query: Query, collection: Collection): object => {
  const { id, geometry: _, ...properties } = membersOf(collection)
  const members = Object.entries(properties).map(([name, { 'x-ogc-role': __, ...schema }]) => [name, schema])
  return schemaAt(query, collection, {
    required: ['type', 'geometry', 'properties'],
    properties: {
      type: { type: 'string', enum: ['Feature'] },
      id: { type: 'integer', readOnly: true },
      geometry: { $ref: placeOf(collection) },
      properties: { type: 'object', properties: Object.fromEntries(members) },
    },
  })
}

const ofSchema = (path: string, id: string, summary: string): Document =>
  about(path, 'Capabilities', `collection-${id}`, summary, documents(TYPE.schema, TYPE.json))

export const COLLECTION_DOCUMENTS: readonly CollectionDocument[] = [
  { ...about('', 'Capabilities', 'collection', 'A collection'), make: collectionDocument },
  { ...ofSchema('/queryables', 'queryables', 'The properties for filters'), make: queryables },
  { ...ofSchema('/sortables', 'sortables', 'The properties for sortby'), make: sortables },
  { ...ofSchema('/schema', 'schema', 'The properties of features'), make: schemaOf },
  { ...ofSchema('/schema/feature', 'schema-feature', 'The properties of features as GeoJSON'), make: featureSchema },
]
