import { version } from '../../package.json'
import { PRODUCT } from '../base/product.ts'
import { ref, type Schema, STRING } from '../base/schema.ts'
import { mediaType } from '../formats/downloads.ts'
import { HTML_FORMAT } from '../formats/formats.ts'
import type { Offer } from '../http/offer.ts'
import {
  AT_READING,
  bodiesOf,
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
import { ANY_OBJECT, bodyNames, newItems } from '../openapi/schemas.ts'
import type { Collection } from './collection.ts'
import { COLLECTIONS, typesOf } from './collection.ts'
import { COLLECTION_DOCUMENTS, COLLECTION_LIST } from './collectionDocuments.ts'
import { DOCUMENTS } from './documents.ts'
import { downgrade } from './downgrade.ts'
import { ROOT, TYPE, typeOf } from './links.ts'
import { componentsOf, ITEMS, TILE_PARAMETERS } from './parameters.ts'
import { type Document, documents, FILE_FORMATS, type FixedDocument, SET } from './request.ts'
import { TILE_DOCUMENTS } from './tileDocuments.ts'

/**
 * Describes everything under `/ogc` in OpenAPI 3.0, which clients of OGC API - Features read. It uses the declarations
 * of the collections.
 */
export const openapi = (root: string, takesWrites = true): Schema => {
  const description =
    'Events and event series as OGC API - Features and Tiles. The lists themselves are described in OpenAPI 3.1, at /openapi.json.'
  const outline = {
    info: { title: PRODUCT, version, description },
    tags: ['Capabilities', 'Data', 'Tiles'].map((name) => ({ name })),
    paths: Object.fromEntries([
      ...[...DOCUMENTS, API].map((each) => documentAt(each.path, each, [], true)),
      documentAt(COLLECTION_LIST.path, COLLECTION_LIST, ['limit-collections', 'offset']),
      ...COLLECTION_DOCUMENTS.map((each) => documentAt(ANY + each.path, each)),
      ...[...COLLECTIONS, null].flatMap((collection) => pathsOf(collection, takesWrites)),
    ]),
    components: componentsOf(COLLECTIONS),
  }
  return downgrade(documentOf(root, outline, () => json(ref('Problem'), TYPE.problem))) as Schema // an object stays one
}

/** The description of the interface is a document of the interface. */
export const API: FixedDocument = {
  path: '/api',
  tag: 'Capabilities',
  id: 'api',
  summary: 'This description',
  offer: documents(TYPE.openapi, TYPE.json),
  make: ({ base, engine }) => openapi(base + ROOT, engine.takesWrites),
}

type Path = readonly [path: string, operations: Schema]
type About = Pick<Document, 'tag' | 'id' | 'summary'>

/** Returns references to the parameters in a path, and to more parameters. */
const parametersAt = (path: string, more: readonly string[] = []): Schema[] =>
  [...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name), ...more].map(parameter)

/** Describes the GET of an address. */
const getAt = (
  path: string,
  { tag, id, summary }: About,
  parameters: readonly string[],
  answer: Success,
  errors?: readonly number[],
): Schema => get({ tags: [tag], operationId: id, summary, parameters: parametersAt(path, parameters) }, answer, errors)

/** Describes the bodies of a document, by media type. */
const formsOf = (offer: Offer): Schema =>
  Object.fromEntries(
    offer.types.map(([, format]) => [typeOf(format), { schema: format === HTML_FORMAT ? STRING : ANY_OBJECT }]),
  )

/** Describes a document. `isFixed`: it depends on the address alone, and reads no data. */
const documentAt = (path: string, about: Document, parameters: readonly string[] = [], isFixed = false): Path => {
  const answer = success(`${about.summary}.`, isFixed ? ['Allow'] : READ, formsOf(about.offer))
  const errors = isFixed ? [...AT_READING, 404] : undefined
  return [path, { get: getAt(path, about, ['f-document', ...parameters], answer, errors) }]
}

const ANY = '/collections/{collectionId}'

const FEATURE = document(ref('Feature'), TYPE.geojson)
const FEATURES = document(ref('FeatureCollection'), TYPE.geojson)
/** The bodies in the formats of lists. */
const FILES = bodiesOf(
  FILE_FORMATS.map(([, format]) => mediaType(format.contentType)),
  STRING,
)

/**
 * Describes the addresses of a collection. A listed collection has addresses with its id, because QGIS and GDAL look
 * there for its filters. With null, they have the parameter `collectionId` for any collection.
 */
const pathsOf = (collection: Collection | null, takesWrites: boolean): Path[] => {
  const { id, title } = collection ?? { id: null, title: 'Features of a collection' }
  const path = id === null ? ANY : `/collections/${id}`
  const filters = collection === null ? [] : [...collection.filters.keys()].map((name) => `${id}.${name}`)
  const [items, item] = [`${path}/items`, `${path}/items/{featureId}`]
  const prefix = id === null ? '' : `${id}-`
  const [ofItems, ofItem] = [
    { tag: 'Data', id: `${prefix}items`, summary: title },
    { tag: 'Data', id: `${prefix}item`, summary: 'A feature' },
  ] as const
  const features = success('Features.', READ, { ...FEATURES, ...FILES })
  const feature = success('The feature.', READ, { ...FEATURE, ...FILES })
  const getItems = getAt(items, ofItems, [...Object.keys(ITEMS), ...filters], features)
  const getItem = getAt(item, ofItem, ['f', 'locale', 'crs', 'properties', 'exclude-properties'], feature)
  const writes = writesAt(collection, items, item, prefix)
  const { post, ...changes } = takesWrites ? (id === null ? refusable(writes) : writes) : {}
  return [
    ...(id === null ? [] : [documentAt(path, { ...COLLECTION_LIST, id, summary: title })]),
    [items, { get: getItems, ...(post !== undefined && { post }) }],
    [item, { get: getItem, ...changes }],
    ...(collection?.ofSeries ? [] : tilePathsOf(path, id === null ? '' : `${id}.`, filters)),
  ]
}

/** A collection that does not exist takes no writes. */
const refusable = (writes: Schema): Schema => {
  const refused = { description: 'The collection does not exist.', content: json(ref('Problem'), TYPE.problem) }
  return Object.fromEntries(
    Object.entries(writes as Record<string, { responses: object }>).map(([method, { responses, ...about }]) => [
      method,
      { ...about, responses: { ...responses, 405: refused } },
    ]),
  )
}

/** Describes how clients create, change and delete features. Null: in any collection. */
const writesAt = (collection: Collection | null, items: string, item: string, prefix: string): Schema => {
  const writable = collection?.writableIn(0)
  const names = writable && bodyNames(writable)
  const [made, changes, ids] = names
    ? [ref(names.made), ref(names.changes), ref(names.ids)]
    : [ANY_OBJECT, ANY_OBJECT, ANY_OBJECT]
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
      bodiesOf(typesOf('POST'), writable ? newItems(writable) : ANY_OBJECT, examples?.made),
    ),
    ...changesOf({
      tags: ['Data'],
      ids: { put: `${prefix}item-replace`, patch: `${prefix}item-update`, delete: `${prefix}item-delete` },
      itemName: 'a feature',
      parameters: parametersAt(item),
      ofBody: [parameter('Content-Crs')],
      put: bodiesOf(typesOf('PUT'), made, examples?.made),
      patch: bodiesOf(typesOf('PATCH'), changes, examples?.changed),
      changed: FEATURE,
      // Some collections have deletes that may answer with a 409.
      removing: writable ? writable.removing : {},
    }),
  }
}

const tilePathsOf = (path: string, prefix: string, filters: readonly string[]): Path[] => {
  const parameters = [...TILE_PARAMETERS, ...filters]
  const summary = 'A vector tile with cells and their counts, and with its events if they are few'
  const tile = success(`${summary}.`, READ, json({ type: 'string', format: 'binary' }, TYPE.mvt))
  const address = `${path}/tiles/${SET}/{tileMatrix}/{tileRow}/{tileCol}`
  const about = { tag: 'Tiles', id: `${prefix}collection.vector.getTile`, summary } as const
  return [
    ...TILE_DOCUMENTS.map((each) => documentAt(path + each.path, { ...each, id: prefix + each.id }, parameters)),
    [address, { get: getAt(address, about, ['f-tile', ...parameters], tile) }],
  ]
}
