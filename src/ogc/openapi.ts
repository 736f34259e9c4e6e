import { version } from '../../package.json'
import { mediaType } from '../downloads.ts'
import type { Schema } from '../filters/lookups.ts'
import { HTML_FORMAT, ITEMS_FORMATS } from '../formats/formats.ts'
import { MVT } from '../formats/mvt.ts'
import { ref, STRING } from '../model/schema.ts'
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
  type Success,
  success,
  WRITTEN,
  write,
} from '../openapi/operations.ts'
import { parameter } from '../openapi/parameters.ts'
import { bodyNames, newItems, OBJECT } from '../openapi/schemas.ts'
import type { Offer } from '../request/offer.ts'
import { LOCALE } from '../request/page.ts'
import type { Collection } from './collection.ts'
import { DOCUMENTS, type Document, OF_COLLECTION, OF_TILES } from './documents.ts'
import { downgrade, mapped } from './downgrade.ts'
import { componentsOf, ITEMS, TILE_PARAMETERS } from './parameters.ts'
import { DOCUMENT, documents, F, GEOJSON, JSON_TYPE, OPENAPI, PROBLEM, TITLE, typeOf, typesOf } from './request.ts'
import { EXCLUDED, PROPERTIES } from './selection.ts'
import { COLLECTIONS } from './target.ts'
import { SET } from './tileMatrix.ts'

/**
 * Describes everything under `/ogc` in OpenAPI 3.0, which clients of OGC API - Features read. It uses the declarations
 * of the collections.
 */
export const openapi = (root: string): Schema => {
  const description =
    'Events and event series as OGC API - Features and Tiles. The lists themselves are described in OpenAPI 3.1, at /openapi.json.'
  const outline = {
    info: { title: TITLE, version, description },
    tags: ['Capabilities', 'Data', 'Tiles'].map((name) => ({ name })),
    paths: Object.fromEntries([
      ...[...DOCUMENTS, API].map(fixedAt),
      documentAt('/collections', { tag: 'Capabilities', id: 'collections', summary: 'The collections' }),
      ...OF_COLLECTION.map((each) => documentAt(ANY + each.path, each, each.offer)),
      ...[...COLLECTIONS, null].flatMap(pathsOf),
    ]),
    components: componentsOf(COLLECTIONS),
  }
  return downgrade(documentOf(root, outline, () => json(ref('Problem'), PROBLEM)))
}

type Path = readonly [path: string, operations: Schema]

/** Returns references to the parameters in a path, and to more parameters. */
const parametersAt = (path: string, more: readonly string[] = []): Schema[] =>
  [...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name), ...more].map(parameter)

type About = Pick<Document, 'tag' | 'id' | 'summary'>

/** The bodies of a document, by media type. */
const bodiesOf = (offer: Offer): Schema =>
  Object.fromEntries(
    offer.types.map(([, format]) => [typeOf(format), { schema: format === HTML_FORMAT ? STRING : OBJECT }]),
  )

/** Describes the GET of an address. */
const readAt = (
  path: string,
  { tag, id, summary }: About,
  parameters: readonly string[],
  answer: Success,
  errors?: readonly number[],
): Schema => {
  const about = { tags: [tag], operationId: id, summary, parameters: parametersAt(path, parameters) }
  return { get: get(about, answer, errors) }
}

/** Describes a document that reads data. */
const documentAt = (path: string, about: About, offer = DOCUMENT, parameters: readonly string[] = []): Path => {
  const answer = success(`${about.summary}.`, READ, bodiesOf(offer))
  return [path, readAt(path, about, ['f-document', ...parameters], answer)]
}

/** Describes a document that depends on the address alone. */
const fixedAt = ({ path, offer, ...about }: Document): Path => {
  const answer = success(`${about.summary}.`, ['Allow'], bodiesOf(offer))
  return [path, readAt(path, about, ['f-document'], answer, [...AT_READING, 404])]
}

const ANY = '/collections/{collectionId}'

/** The description of the interface is a document of the interface. */
export const API: (typeof DOCUMENTS)[number] = {
  path: '/api',
  tag: 'Capabilities',
  id: 'api',
  summary: 'This description',
  offer: documents(OPENAPI, JSON_TYPE),
  make: ({ root }) => openapi(root),
}

const FEATURE = document(ref('Feature'), GEOJSON)
const FEATURES = document(ref('FeatureCollection'), GEOJSON)
/** The bodies in the formats of lists. */
const FILES = bodyOf([ITEMS_FORMATS.csv, ITEMS_FORMATS.ndjson].map(mediaType), STRING)

/**
 * Describes the addresses of a collection. A listed collection has addresses with its id, because QGIS and GDAL look
 * there for its filters. With null, they have the parameter `collectionId` for any collection.
 */
const pathsOf = (collection: Collection | null): Path[] => {
  const { id, title } = collection ?? { id: null, title: 'Features of a collection' }
  const path = id === null ? ANY : `/collections/${id}`
  const filters = collection === null ? [] : [...collection.resource.filters.keys()].map((name) => `${id}.${name}`)
  const [items, item] = [`${path}/items`, `${path}/items/{featureId}`]
  const prefix = id === null ? '' : `${id}-`
  const [ofItems, ofItem] = [
    { tag: 'Data', id: `${prefix}items`, summary: title },
    { tag: 'Data', id: `${prefix}item`, summary: 'A feature' },
  ] as const
  const features = success('Features.', READ, { ...FEATURES, ...FILES })
  const feature = success('The feature.', READ, { ...FEATURE, ...FILES })
  const writes = writesAt(collection, items, item, prefix)
  const { post, ...changes } = id === null ? mapped(writes, refusable) : writes
  return [
    ...(id === null ? [] : [documentAt(path, { tag: 'Capabilities', id, summary: title })]),
    [items, { ...readAt(items, ofItems, [...Object.keys(ITEMS), ...filters], features), post }],
    [item, { ...readAt(item, ofItem, [F, LOCALE, 'crs', PROPERTIES, EXCLUDED], feature), ...changes }],
    ...(collection?.ofSeries ? [] : tilePathsOf(path, id === null ? '' : `${id}.`, filters)),
  ]
}

/** A collection that does not exist takes no writes. */
const refusable = (operation: unknown): object => {
  const { responses, ...others } = operation as Schema // a write
  const refused = { description: 'The collection does not exist.', content: json(ref('Problem'), PROBLEM) }
  return { ...others, responses: { ...(responses as Schema), 405: refused } }
}

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
  const parameters = [...TILE_PARAMETERS, ...filters]
  const summary = 'A vector tile with cells and their counts, and with its events if they are few'
  const tile = success(`${summary}.`, READ, json({ type: 'string', format: 'binary' }, MVT))
  const address = `${path}/tiles/${SET}/{tileMatrix}/{tileRow}/{tileCol}`
  const about = { tag: 'Tiles', id: `${prefix}collection.vector.getTile`, summary } as const
  return [
    ...OF_TILES.map((each) => documentAt(path + each.path, { ...each, id: prefix + each.id }, each.offer, parameters)),
    [address, readAt(address, about, ['f-tile', ...parameters], tile)],
  ]
}
