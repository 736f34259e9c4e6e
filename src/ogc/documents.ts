import type { Schema } from '../filters/lookups.ts'
import type { Collection } from './collection.ts'
import { CONFORMANCE } from './conformance.ts'
import { CRS84, systemsOf } from './crs.ts'
import type { Extent } from './extent.ts'
import { itemsLinks, link, REL, selfLinks } from './links.ts'
import { GEOJSON, HTML, JSON_TYPE, type OgcAsked, OPENAPI, SCHEMA, TITLE } from './request.ts'

const DESCRIPTION =
  'Geo-referenced, time-stamped events and the series that group them, as features (OGC API - Features).'

/** Makes the landing page, which links to everything else (Part 1, 7.2). */
export const landing = (asked: OgcAsked): object => {
  const { root } = asked
  return {
    title: TITLE,
    description: DESCRIPTION,
    links: [
      ...selfLinks(asked, JSON_TYPE),
      link('service-desc', OPENAPI, `${root}/api`, 'The description of this interface'),
      link('service-doc', HTML, `${root}/api?f=html`, 'The description of this interface as a page'),
      link('conformance', JSON_TYPE, `${root}/conformance`, 'The conformance classes'),
      link(REL.conformance, JSON_TYPE, `${root}/conformance`, 'The conformance classes'),
      link('data', JSON_TYPE, `${root}/collections`, 'The collections'),
      link(REL.tilingSchemes, JSON_TYPE, `${root}/tileMatrixSets`, 'The tile matrix sets'),
    ],
  }
}

/** Makes the list of conformance classes (Part 1, 7.4). */
export const conformance = (asked: OgcAsked): object => ({
  links: selfLinks(asked, JSON_TYPE),
  conformsTo: CONFORMANCE,
})

/** Makes the list of collections (Part 1, 7.13). */
export const collectionList = (asked: OgcAsked, all: readonly (readonly [Collection, Extent])[]): object => ({
  links: selfLinks(asked, JSON_TYPE),
  collections: all.map(([collection, extent]) => collectionDocument(asked, collection, extent)),
})

/** Describes a collection. The list of collections contains the same document (Part 1, 7.14). */
export const collectionDocument = (asked: OgcAsked, collection: Collection, extent: Extent): object => {
  const { id, title, description } = collection
  const address = `${asked.root}/collections/${id}`
  return {
    id,
    title,
    description,
    itemType: 'feature',
    itemCount: extent.count,
    ...(extent.bbox === null && extent.interval === null ? {} : { extent: extentOf(extent) }),
    crs: systemsOf(extent.bbox),
    storageCrs: CRS84,
    links: [
      link('self', JSON_TYPE, address, 'This collection'),
      link('alternate', HTML, `${address}?f=html`, 'This collection as a page'),
      ...itemsLinks(address),
      link(REL.queryables, SCHEMA, `${address}/queryables`, 'The properties for filters'),
      link('queryables', JSON_TYPE, `${address}/queryables`, 'The properties for filters'),
      link(REL.schema, SCHEMA, `${address}/schema`, 'The properties of features'),
      link('describedBy', SCHEMA, `${address}/schema/feature`, 'The properties of features as GeoJSON'),
      ...(collection.ofSeries ? [] : [link(REL.tilesets, JSON_TYPE, `${address}/tiles`, 'Vector tiles')]),
      link(
        'enclosure',
        GEOJSON,
        `${asked.base}${collection.resource.path}?format=geojson&page_size=all`,
        'The whole list as a stream',
      ),
    ],
  }
}

const extentOf = ({ bbox, interval }: Extent): object => ({
  ...(bbox === null ? {} : { spatial: { bbox: [bbox], crs: CRS84 } }),
  ...(interval === null
    ? {}
    : { temporal: { interval: [interval], trs: 'http://www.opengis.net/def/uom/ISO-8601/0/Gregorian' } }),
})

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

const geometryOf = ({ geometry }: Collection): Schema => ({
  title: 'Place',
  $ref: `https://geojson.org/schema/${geometry}.json`,
  format: `geometry-${geometry.toLowerCase()}`,
  'x-ogc-role': 'primary-geometry',
})

/**
 * Makes the schema of the names in CQL2 filters (Part 3). QGIS finds a geometry by `$ref`, other clients by `format`.
 */
export const queryables = ({ address }: OgcAsked, collection: Collection): object => {
  const { properties, schema, title } = collection
  const named = Object.entries(properties).map(([name, { kind }]) => [
    name,
    kind === 'place' ? geometryOf(collection) : schema[name],
  ])
  return {
    $schema: DIALECT,
    $id: address,
    type: 'object',
    title,
    properties: Object.fromEntries(named),
    additionalProperties: false,
  }
}

/**
 * Returns the flat schemas of a feature's members, and the names of required ones. Members that clients cannot write
 * are read-only.
 */
const writtenOf = (collection: Collection) => {
  const { fields } = collection.writableIn(0)
  const named = Object.entries(fields).map(([path, { required }]) => ({
    name: path.replace('properties.', ''),
    required,
  }))
  const schema = { ...collection.schema, geometry: geometryOf(collection) }
  const names = new Set(named.map(({ name }) => name))
  return {
    required: named.flatMap(({ name, required }) => (required && name in schema ? [name] : [])),
    schema: Object.fromEntries(
      Object.entries(schema).map(([name, each]) => [name, names.has(name) ? each : { ...each, readOnly: true }]),
    ),
  }
}

/** Makes the schema of a feature with flat members, as Part 5 defines it. */
export const schemaOf = ({ address }: OgcAsked, collection: Collection): object => {
  const { required, schema } = writtenOf(collection)
  return {
    $schema: DIALECT,
    $id: address,
    type: 'object',
    title: collection.title,
    required,
    properties: schema,
    additionalProperties: false,
  }
}

/** Makes the schema of a feature in GeoJSON, which GDAL reads. */
export const featureSchema = ({ address }: OgcAsked, collection: Collection): object => {
  const { id, geometry: _, ...properties } = writtenOf(collection).schema
  const members = Object.entries(properties).map(([name, { 'x-ogc-role': __, ...schema }]) => [name, schema])
  return {
    $schema: DIALECT,
    $id: address,
    type: 'object',
    title: collection.title,
    required: ['type', 'geometry', 'properties'],
    properties: {
      type: { type: 'string', enum: ['Feature'] },
      id: { type: 'integer', readOnly: true },
      geometry: { $ref: `https://geojson.org/schema/${collection.geometry}.json` },
      properties: { type: 'object', properties: Object.fromEntries(members) },
    },
  }
}
