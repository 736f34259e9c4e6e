import type { Database } from '../engine/run/database.ts'
import type { Offer } from '../request/offer.ts'
import type { Collection } from './collection.ts'
import { collectionDocument, featureSchema, queryables, schemaOf, sortables } from './collectionDocuments.ts'
import {
  DOCUMENT,
  documents,
  HTML,
  JSON_TYPE,
  link,
  type OgcAsked,
  OPENAPI,
  REL,
  SCHEMA,
  STYLE,
  selfLinks,
  TITLE,
} from './request.ts'
import { style, tileJson, tileMatrixSet, tileMatrixSets, tileset, tilesets } from './tileDocuments.ts'
import { SET, type TileMatrixSet, WEB_MERCATOR } from './tileMatrix.ts'

const DESCRIPTION =
  'Geo-referenced, time-stamped events and the series that group them, as features (OGC API - Features).'

/** Makes the landing page, which links to everything else (Part 1, 7.2). */
const landing = (asked: OgcAsked): object => {
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

const SPEC = 'http://www.opengis.net/spec'

/** The conformance classes of this service, by specification. Each one has tests in test/ogc. */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  'ogcapi-common-1/1.0': ['core'],
  'ogcapi-features-1/1.0': ['core', 'oas30', 'geojson', 'html'],
  'ogcapi-features-2/1.0': ['crs'],
  'ogcapi-features-3/1.0': ['filter', 'features-filter', 'queryables', 'queryables-query-parameters'],
  'cql2/1.0': [
    ...['cql2-text', 'cql2-json', 'basic-cql2', 'advanced-comparison-operators', 'basic-spatial-functions'],
    ...['temporal-functions', 'property-property', 'arithmetic', 'case-insensitive-comparison'],
    // The name of basic-spatial-functions in drafts of CQL2. QGIS looks for this name up to 3.40.7.
    'basic-spatial-operators',
  ],
  'ogcapi-features-4/1.0': ['create-replace-delete', 'update', 'features'],
  'ogcapi-common-3/1.0': ['schemas'],
  // The name of the class above in drafts. QGIS looks for this name.
  'ogcapi-features-5/1.0': ['schemas'],
  // Drafts.
  'ogcapi-features-6/1.0': ['properties', 'properties-features'],
  'ogcapi-features-8/1.0': ['sortables', 'sorting', 'features-sorting'],
  'ogcapi-tiles-1/1.0': ['core', 'tileset', 'tilesets-list', 'geodata-tilesets', 'mvt', 'oas30'],
  'tms/2.0': [
    ...['tilematrixset', 'json-tilematrixset', 'tilematrixsetlimits', 'json-tilematrixsetlimits'],
    ...['tilesetmetadata', 'json-tilesetmetadata'],
  ],
}

/** Makes the list of conformance classes (Part 1, 7.4). */
const conformance = (asked: OgcAsked): object => ({
  links: selfLinks(asked, JSON_TYPE),
  conformsTo: Object.entries(CLASSES).flatMap(([part, names]) => names.map((name) => `${SPEC}/${part}/conf/${name}`)),
})

type Tag = 'Capabilities' | 'Data' | 'Tiles'

/** A document in JSON and as a page. `Make` makes it. */
export interface Document<Make = unknown> {
  /** The path below the landing page, or below the collection. */
  readonly path: string
  readonly tag: Tag
  /** The id of its operation. */
  readonly id: string
  readonly summary: string
  readonly offer: Offer
  readonly make: Make
}

const document = <Make>(
  path: string,
  tag: Tag,
  id: string,
  summary: string,
  make: Make,
  offer = DOCUMENT,
): Document<Make> => ({ path, tag, id, summary, offer, make })

type MakeFixed = (asked: OgcAsked, set: TileMatrixSet) => object

/** The documents that depend on the address alone. */
export const DOCUMENTS: readonly Document<MakeFixed>[] = [
  document('/', 'Capabilities', 'landing', 'The landing page', landing),
  document('/conformance', 'Capabilities', 'conformance', 'The conformance classes', conformance),
  document('/tileMatrixSets', 'Tiles', 'getTileMatrixSetsList', 'The tile matrix sets', tileMatrixSets),
  document(`/tileMatrixSets/${SET}`, 'Tiles', 'getTileMatrixSet', 'A tile matrix set', tileMatrixSet),
]

type MakeOfCollection = (
  asked: OgcAsked,
  collection: Collection,
  set: TileMatrixSet,
  db: Database,
) => object | Promise<object>

const SCHEMAS = documents(SCHEMA, JSON_TYPE)

/** The documents about a collection. */
export const OF_COLLECTION: readonly Document<MakeOfCollection>[] = [
  document('', 'Capabilities', 'collection', 'A collection', collectionDocument),
  document('/queryables', 'Capabilities', 'collection-queryables', 'The properties for filters', queryables, SCHEMAS),
  document('/sortables', 'Capabilities', 'collection-sortables', 'The properties for sortby', sortables, SCHEMAS),
  document('/schema', 'Capabilities', 'collection-schema', 'The properties of features', schemaOf, SCHEMAS),
  document(
    '/schema/feature',
    'Capabilities',
    'collection-schema-feature',
    'The properties of features as GeoJSON',
    featureSchema,
    SCHEMAS,
  ),
]

const MERCATOR = `/tiles/${WEB_MERCATOR.id}`
const STYLES = documents(JSON_TYPE, STYLE)

/** The documents about the tiles of a collection. They take the parameters of the tiles. */
export const OF_TILES: readonly Document<MakeOfCollection>[] = [
  document('/tiles', 'Tiles', 'collection.vector.getTileSetsList', 'Tilesets', tilesets),
  document(`/tiles/${SET}`, 'Tiles', 'collection.vector.getTileSet', 'A tileset', tileset),
  document(`${MERCATOR}/tilejson.json`, 'Tiles', 'collection.vector.getTileJson', 'A tileset as TileJSON', tileJson),
  document(
    `${MERCATOR}/style.json`,
    'Tiles',
    'collection.vector.getStyle',
    'A tileset as a style for MapLibre',
    style,
    STYLES,
  ),
]
