import type { Schema } from '../filters/lookups.ts'
import { MVT } from '../formats/mvt.ts'
import { ADDRESS, INTEGER, listOf, orNull, ref, STRING } from '../model/schema.ts'
import {
  AT_READING,
  bodyOf,
  changesOf,
  created,
  document,
  documentOf,
  get,
  json,
  OF_BODY,
  READ,
  success,
  WRITTEN,
  write,
} from '../openapi/operations.ts'
import { parameter } from '../openapi/parameters.ts'
import { bodyNames, bodySchemas, newItems, OBJECT } from '../openapi/schemas.ts'
import { LOCALE } from '../request/page.ts'
import type { Collection } from './collection.ts'
import { downgrade } from './downgrade.ts'
import { ITEMS, parametersOf, TILE_PARAMETERS } from './parameters.ts'
import { PROBLEM, PROBLEM_SCHEMA } from './problem.ts'
import { F, GEOJSON, OPENAPI, SCHEMA, STYLE, TITLE, typesOf } from './request.ts'
import { EXCLUDED, PROPERTIES } from './selection.ts'
import { WEB_MERCATOR } from './tileMatrix.ts'

/**
 * Describes everything under `/ogc` in OpenAPI 3.0, which clients of OGC API - Features read. It uses the declarations
 * of the collections.
 */
export const openapi = (version: string, root: string, collections: readonly Collection[]): Schema => {
  const description =
    'Events and event series as OGC API - Features and Tiles. The lists themselves are described in OpenAPI 3.1, at /openapi.json.'
  const bodies = collections.map(({ writableIn }) => bodySchemas(writableIn(0)))
  const outline = {
    info: { title: TITLE, version, description },
    tags: ['Capabilities', 'Data', 'Tiles'].map((name) => ({ name })),
    paths: Object.fromEntries([...DOCUMENTS, ...[...collections, null].flatMap(pathsOf)]),
    components: { schemas: Object.assign({}, SCHEMAS, ...bodies), parameters: parametersOf(collections) },
  }
  return downgrade(documentOf(root, outline, () => json(ref('Problem'), PROBLEM)))
}

type Path = readonly [path: string, operations: Schema]

/** Returns references to the parameters in a path, and to more parameters. */
const parametersAt = (path: string, more: readonly string[] = []): Schema[] =>
  [...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name), ...more].map(parameter)

/** Describes an address that shows data. */
const readAt = (
  path: string,
  tag: string,
  operationId: string,
  summary: string,
  more: readonly string[],
  content = document(OBJECT),
  says = `${summary}.`,
  errors?: readonly number[],
): Schema => {
  const about = { tags: [tag], operationId, summary, parameters: parametersAt(path, more) }
  return { get: get(about, success(says, READ, content), errors) }
}

/** Describes a document that depends on the address alone. */
const fixedAt = (path: string, tag: string, operationId: string, summary: string, type?: string): Path => {
  const about = { tags: [tag], operationId, summary, parameters: parametersAt(path, ['f-document']) }
  return [path, { get: get(about, success(`${summary}.`, ['Allow'], document(OBJECT, type)), [...AT_READING, 404]) }]
}

const documentAt = (path: string, operationId: string, summary: string, type?: string): Path => [
  path,
  readAt(path, 'Capabilities', operationId, summary, ['f-document'], document(OBJECT, type)),
]

const ANY = '/collections/{collectionId}'

const DOCUMENTS: readonly Path[] = [
  fixedAt('/', 'Capabilities', 'landing', 'The landing page'),
  fixedAt('/api', 'Capabilities', 'api', 'This description', OPENAPI),
  fixedAt('/conformance', 'Capabilities', 'conformance', 'The conformance classes'),
  documentAt('/collections', 'collections', 'The collections'),
  documentAt(`${ANY}/queryables`, 'collection-queryables', 'The properties for filters', SCHEMA),
  documentAt(`${ANY}/sortables`, 'collection-sortables', 'The properties for sortby', SCHEMA),
  documentAt(`${ANY}/schema`, 'collection-schema', 'The properties of features', SCHEMA),
  documentAt(`${ANY}/schema/feature`, 'collection-schema-feature', 'The properties of features as GeoJSON', SCHEMA),
  fixedAt('/tileMatrixSets', 'Tiles', 'getTileMatrixSetsList', 'The tile matrix sets'),
  fixedAt('/tileMatrixSets/{tileMatrixSetId}', 'Tiles', 'getTileMatrixSet', 'A tile matrix set'),
]

const FEATURE = document(ref('Feature'), GEOJSON)
const FEATURES = document(ref('FeatureCollection'), GEOJSON)

/**
 * Describes the addresses of a collection. A listed collection has addresses with its id, because QGIS and GDAL look
 * there for its filters. With null, they have the parameter `collectionId` for any collection.
 */
const pathsOf = (collection: Collection | null): Path[] => {
  const { id, title } = collection ?? { id: null, title: 'A collection' }
  const path = id === null ? ANY : `/collections/${id}`
  const filters = collection === null ? [] : [...collection.resource.filters.keys()].map((name) => `${id}.${name}`)
  const [items, item] = [`${path}/items`, `${path}/items/{featureId}`]
  const prefix = id === null ? '' : `${id}-`
  const { post, ...changes } = writesAt(collection, items, item, prefix)
  const ofItems = id === null ? 'Features of a collection' : title
  return [
    documentAt(path, id ?? 'collection', title),
    [
      items,
      {
        ...readAt(items, 'Data', `${prefix}items`, ofItems, [...Object.keys(ITEMS), ...filters], FEATURES, 'Features.'),
        post,
      },
    ],
    [
      item,
      {
        ...readAt(item, 'Data', `${prefix}item`, 'A feature', OF_A_FEATURE, FEATURE, 'The feature.'),
        ...changes,
      },
    ],
    ...(collection?.ofSeries ? [] : tilePathsOf(path, id === null ? '' : `${id}.`, filters)),
  ]
}

const OF_A_FEATURE = [F, LOCALE, 'crs', PROPERTIES, EXCLUDED]

/** Describes how clients create, change and delete features. Null: in any collection. */
const writesAt = (collection: Collection | null, items: string, item: string, prefix: string): Schema => {
  const writable = collection?.writableIn(0)
  const names = writable && bodyNames(writable)
  const [made, changes, ids] = names ? [ref(names.made), ref(names.changes), ref(names.ids)] : [OBJECT, OBJECT, OBJECT]
  const { examples } = writable ?? {}
  const content = { ...FEATURE, ...json(ids) }
  return {
    post: write(
      {
        tags: ['Data'],
        operationId: `${prefix}items-create`,
        summary: 'Create a feature, or a FeatureCollection of features',
        parameters: parametersAt(items, ['Content-Crs', 'Idempotency-Key']),
      },
      {
        200: success('Features with these external ids were stored already.', WRITTEN, content),
        201: created(content),
      },
      [...OF_BODY, 409, 422],
      bodyOf(typesOf('POST'), writable ? newItems(writable) : OBJECT, examples?.made),
    ),
    ...changesOf({
      tags: ['Data'],
      ids: { put: `${prefix}item-replace`, patch: `${prefix}item-update`, delete: `${prefix}item-delete` },
      itemName: 'a feature',
      parameters: parametersAt(item),
      ofBody: [parameter('Content-Crs')],
      put: bodyOf(typesOf('PUT'), made, examples?.made),
      patch: bodyOf(typesOf('PATCH'), changes, examples?.changed),
      changed: FEATURE,
      // Some collections have deletes that may answer with a 409.
      removing: writable ? writable.removing : {},
    }),
  }
}

const tilePathsOf = (path: string, prefix: string, filters: readonly string[]): Path[] => {
  const set = `${path}/tiles/{tileMatrixSetId}`
  const mercator = `${path}/tiles/${WEB_MERCATOR.id}`
  const tile = json({ type: 'string', format: 'binary' }, MVT)
  const style = { ...document(OBJECT), ...document(OBJECT, STYLE) }
  const ofTile = 'A vector tile with cells and their counts, and with its events if they are few'
  const idOf = (does: string) => `${prefix}collection.vector.${does}`
  const own = [...TILE_PARAMETERS, ...filters]
  const tiles = (address: string, does: string, summary: string, content?: Schema): Path => [
    address,
    readAt(address, 'Tiles', idOf(does), summary, ['f-document', ...own], content),
  ]
  const oneTile = `${set}/{tileMatrix}/{tileRow}/{tileCol}`
  return [
    tiles(`${path}/tiles`, 'getTileSetsList', 'Tilesets'),
    tiles(set, 'getTileSet', 'A tileset'),
    [oneTile, readAt(oneTile, 'Tiles', idOf('getTile'), ofTile, ['f-tile', ...own], tile, `${ofTile}.`)],
    tiles(`${mercator}/tilejson.json`, 'getTileJson', 'A tileset as TileJSON'),
    tiles(`${mercator}/style.json`, 'getStyle', 'A tileset as a style for MapLibre', style),
  ]
}

/** Describes an object with these properties. It may have others, and lacks those in `optional`. */
const object = (properties: Readonly<Record<string, Schema>>, ...optional: readonly string[]): Schema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
})

const LINKS = listOf(ref('Link'))
const COUNT = { type: 'integer', minimum: 0 }

const SCHEMAS: Readonly<Record<string, Schema>> = {
  Problem: PROBLEM_SCHEMA,
  Link: object({ rel: STRING, type: STRING, href: ADDRESS, title: STRING }, 'title'),
  Feature: object(
    { type: { const: 'Feature' }, id: INTEGER, geometry: orNull(OBJECT), properties: OBJECT, links: LINKS },
    'links',
  ),
  FeatureCollection: object({
    type: { const: 'FeatureCollection' },
    features: listOf(ref('Feature')),
    links: LINKS,
    numberMatched: COUNT,
    numberReturned: COUNT,
  }),
}
