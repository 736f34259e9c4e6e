import { at } from '../base/collections.ts'
import { ref, type Schema, STRING } from '../base/schema.ts'
import { mediaType } from '../formats/downloads.ts'
import { HTML_FORMAT } from '../formats/formats.ts'
import type { Offer } from '../http/offer.ts'
import {
  AT_READING,
  addTo,
  changesOf,
  creationOf,
  documentOf,
  get,
  type PathItem,
  postOf,
  READ,
  type Success,
  success,
  WRITTEN,
  type Writing,
} from '../openapi/operations.ts'
import { ANY_OBJECT, bodiesOf, bodyReferences, document, json } from '../openapi/schemas.ts'
import { COLLECTIONS, type Collection, typesOf } from './collection.ts'
import { COLLECTION_DOCUMENTS, COLLECTION_LIST } from './collectionDocuments.ts'
import { DOCUMENTS } from './documents.ts'
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
    tags: ['Capabilities', 'Data', 'Tiles'].map((name) => ({ name })),
    paths: Object.fromEntries([
      ...[...DOCUMENTS, API].map((each) => documentAt(each.path, each, [], true)),
      documentAt(COLLECTION_LIST.path, COLLECTION_LIST, ['limit-collections', 'offset']),
      ...COLLECTION_DOCUMENTS.map((each) => documentAt(ANY + each.path, each)),
      ...[...COLLECTIONS, null].flatMap((collection) => pathsOf(collection, takesWrites)),
    ]),
    components: componentsOf(COLLECTIONS),
  }
  return downgrade(documentOf(root, description, outline, () => json(ref('Problem'), TYPE.problem))) as Schema // an object stays one
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

/** Returns the names of the parameters in a path. */
const namesIn = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), (match) => at(match, 1))

/** Describes the GET of an address. */
const getAt = (
  path: string,
  { tag, id, summary }: Pick<Document, 'tag' | 'id' | 'summary'>,
  parameters: readonly string[],
  answer: Success,
  errors?: readonly number[],
): Schema =>
  get({ tags: [tag], operationId: id, summary, parameters: [...namesIn(path), ...parameters] }, answer, errors)

/** Describes the bodies of a document, by media type. */
const formsOf = (offer: Offer): Schema =>
  Object.fromEntries(
    offer.types.map(([, format]) => [typeOf(format), { schema: format === HTML_FORMAT ? STRING : ANY_OBJECT }]),
  )

/** Describes a document. `isFixed`: it depends on the address alone, and reads no data. */
const documentAt = (path: string, about: Document, parameters: readonly string[] = [], isFixed = false): PathItem => {
  const answer = success(`${about.summary}.`, isFixed ? ['Allow'] : READ, formsOf(about.offer))
  const errors = isFixed ? [...AT_READING, 404] : undefined
  return [path, { get: getAt(path, about, ['f-document', ...parameters], answer, errors) }]
}

const ANY = '/collections/{collectionId}'

const FEATURE = document(ref('Feature'), TYPE.geojson)
const FEATURES = document(ref('FeatureCollection'), TYPE.geojson)
/** The bodies in the formats of lists. */
const FILE_TYPES = FILE_FORMATS.map(([, format]) => mediaType(format.contentType))
const FILES = bodiesOf(FILE_TYPES, STRING)

/**
 * Describes the addresses of a collection. A listed collection has addresses with its id, because QGIS and GDAL look
 * there for its filters. With null, they have the parameter `collectionId` for any collection.
 */
const pathsOf = (collection: Collection | null, takesWrites: boolean): PathItem[] => {
  const { id, title } = collection ?? { id: null, title: 'Features of a collection' }
  const [path, prefix] = id === null ? [ANY, ''] : [`/collections/${id}`, `${id}-`]
  const filters = collection === null ? [] : [...collection.filters.keys()].map((name) => `${id}.${name}`)
  const [items, item] = [`${path}/items`, `${path}/items/{featureId}`]
  const [itemsId, itemId] = [`${prefix}items`, `${prefix}item`]
  const features = success('Features.', READ, { ...FEATURES, ...FILES })
  const feature = success('The feature.', READ, { ...FEATURE, ...FILES })
  const ofItem = ['f', 'locale', 'crs', 'properties', 'exclude-properties']
  const getItem = getAt(item, { tag: 'Data', id: itemId, summary: 'A feature' }, ofItem, feature)
  const ofItems = [...Object.keys(ITEMS), ...filters]
  const getItems = getAt(items, { tag: 'Data', id: itemsId, summary: title }, ofItems, features)
  const outline = { tags: ['Data'], operationId: itemsId, summary: title, parameters: namesIn(items) }
  const form = postOf(outline, success('Features.', WRITTEN, { ...FEATURES, ...FILES }), { schema: ANY_OBJECT })
  const list: Writing = {
    writable: collection === null ? null : collection.writableIn(0),
    tags: ['Data'],
    ids: { post: `${itemsId}-create`, put: `${itemId}-replace`, patch: `${itemId}-update`, delete: `${itemId}-delete` },
    itemName: 'a feature',
    parameters: { list: namesIn(items), item: namesIn(item), body: ['Content-Crs'] },
    typesOf,
    changed: FEATURE,
    others: collection === null ? REFUSED : {},
  }
  return [
    ...(id === null ? [] : [documentAt(path, { ...COLLECTION_LIST, id, summary: title })]),
    [items, { get: getItems, post: takesWrites ? postFeatures(form, list) : form }],
    [item, { get: getItem, ...(takesWrites && changesOf(list)) }],
    ...(collection?.ofSeries ? [] : tilePathsOf(path, id === null ? '' : `${id}.`, filters)),
  ]
}

/** A collection that does not exist takes no writes. */
const REFUSED = { 405: { description: 'The collection does not exist.', content: json(ref('Problem'), TYPE.problem) } }

/** Describes POST of a query by a form, and of new features. */
const postFeatures = (form: ReturnType<typeof postOf>, list: Writing): Schema => {
  const made = { ...FEATURE, ...json(bodyReferences(list.writable).ids) }
  const found = document({ anyOf: [ref('FeatureCollection'), ref('Feature')] }, TYPE.geojson)
  const answer = { ...made, ...found, ...FILES }
  const stored = success('Features.', WRITTEN, answer)
  const create = creationOf(list, `${form.summary}, or new features`, stored, made)
  return addTo(form, create)
}

const tilePathsOf = (path: string, prefix: string, filters: readonly string[]): PathItem[] => {
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

type Members = readonly (readonly [name: string, value: unknown])[]

/** How OpenAPI 3.0 writes the members of OpenAPI 3.1 that it does not have. It says as much as it can express. */
const KEYWORDS: Readonly<Record<string, (value: unknown) => Members>> = {
  openapi: () => [['openapi', '3.0.3']],
  identifier: () => [], // that of the license
  propertyNames: () => [],
  const: (only) => [
    ['type', typeof only],
    ['enum', [only]],
  ],
  type: (type) => {
    if (!Array.isArray(type)) return [['type', type]]
    const first = ['type', type.find((each) => each !== 'null')] as const
    return type.includes('null') ? [first, ['nullable', true]] : [first]
  },
  exclusiveMinimum: (above) => [
    ['minimum', above],
    ['exclusiveMinimum', true],
  ],
  examples: (values) => (Array.isArray(values) ? [['example', values[0]]] : []),
  // OpenAPI 3.0 allows no empty list here.
  required: (names) => (Array.isArray(names) && names.length === 0 ? [] : [['required', names]]),
}

/** Converts a part of a document, with its name, from OpenAPI 3.1 to 3.0. */
export const downgrade = (part: unknown, name = ''): unknown => {
  if (Array.isArray(part)) return part.map((each) => downgrade(each))
  if (typeof part !== 'object' || part === null || name === 'example') return part
  // A property may have the name of a keyword.
  if (name === 'properties')
    return Object.fromEntries(Object.entries(part).map(([key, property]) => [key, downgrade(property)]))
  const members = Object.entries(part).flatMap(
    ([key, value]): Members => KEYWORDS[key]?.(value) ?? [[key, downgrade(value, key)]],
  )
  return Object.fromEntries(members)
}
