import type { Schema } from '../filters/lookups.ts'
import { ref } from '../model/schema.ts'
import { document, json, READ, success, WRITTEN } from '../openapi/answers.ts'
import { bodyOf, idsOf, nameOf, newItems } from '../openapi/bodies.ts'
import { AT_READING, changesOf, get, OF_BODY, write } from '../openapi/operations.ts'
import { parameter } from '../openapi/parameters.ts'
import { created } from '../openapi/writing.ts'
import type { Writable } from '../store/writable.ts'
import type { Collection } from './collection.ts'
import { OF_ITEMS } from './parameters.ts'
import { F, GEOJSON } from './request.ts'
import { typesOf } from './writing/events.ts'

/**
 * Returns the addresses of a collection, the parameters in them and the ids of their operations. The addresses of a
 * listed collection have its id, because QGIS and GDAL look there for its filters. With null, the addresses have the
 * parameter `collectionId` for any collection.
 */
export const addressesOf = (collection: Collection | null) => ({
  path: `/collections/${collection?.id ?? '{collectionId}'}`,
  inPath: collection === null ? [parameter('collectionId')] : [],
  filters:
    collection === null ? [] : [...collection.filters.keys()].map((name) => parameter(`${collection.id}.${name}`)),
  named: (separator: string, name: string) => (collection === null ? name : `${collection.id}${separator}${name}`),
})

export const OBJECT: Schema = { type: 'object' }

interface DocumentPath {
  readonly inPath?: readonly Schema[]
  readonly type?: string
  readonly tag?: string
  /** True if the document depends on the address alone. Otherwise it shows data. */
  readonly isFixed?: boolean
}

/** Describes an address with a document. */
export const documentPath = (operationId: string, summary: string, path: DocumentPath = {}): Schema => {
  const { inPath = [], type, tag = 'Capabilities', isFixed = false } = path
  const about = { tags: [tag], operationId, summary, parameters: [...inPath, parameter('f-document')] }
  const answer = success(`${summary}.`, isFixed ? ['Allow'] : READ, document(OBJECT, type))
  return { get: isFixed ? get(about, answer, [...AT_READING, 404]) : get(about, answer) }
}

const TAGS = ['Data']
const FEATURE = document(ref('Feature'), GEOJSON)

/** Describes the addresses of a collection, of its features and of each feature. */
export const collectionPaths = (collection: Collection | null): Schema => {
  const { path, inPath, filters, named } = addressesOf(collection)
  const id = named('-', 'items')
  const bodies = bodiesOf(collection?.writableIn(0))
  return {
    [path]: documentPath(collection?.id ?? 'collection', collection?.title ?? 'A collection', { inPath }),
    [`${path}/items`]: {
      get: get(
        {
          tags: TAGS,
          operationId: id,
          summary: collection?.title ?? 'Features of a collection',
          parameters: [...inPath, ...OF_ITEMS, ...filters],
        },
        success('Features.', READ, document(ref('FeatureCollection'), GEOJSON)),
      ),
      post: postOf(`${id}-create`, inPath, bodies),
    },
    [`${path}/items/{featureId}`]: itemPath(named('-', 'item'), [...inPath, parameter('featureId')], bodies),
  }
}

/** Returns the bodies that write a collection, and the ids that answer several features. */
const bodiesOf = (writable: Writable | undefined) =>
  writable === undefined
    ? // Some collections have deletes that may answer with a 409.
      { post: OBJECT, put: OBJECT, patch: OBJECT, ids: OBJECT, examples: undefined, removing: {} }
    : {
        post: newItems(writable),
        put: ref(`New${nameOf(writable)}`),
        patch: ref(`${nameOf(writable)}Changes`),
        ids: ref(idsOf(writable)),
        examples: writable.examples,
        removing: writable.removing,
      }

type Bodies = ReturnType<typeof bodiesOf>

/** Describes how clients create features. */
const postOf = (operationId: string, inPath: readonly Schema[], { post, ids, examples }: Bodies): Schema => {
  const content = { ...FEATURE, ...json(ids) }
  const parameters = [...inPath, ...['Content-Crs', 'Idempotency-Key'].map(parameter)]
  return write(
    { tags: TAGS, operationId, summary: 'Create a feature, or a FeatureCollection of features', parameters },
    { 200: success('Features with these external ids were stored already.', WRITTEN, content), 201: created(content) },
    [...OF_BODY, 409, 422],
    bodyOf(typesOf('POST'), post, examples?.made),
  )
}

/** Describes the address of a feature. */
const itemPath = (id: string, inPath: readonly Schema[], { put, patch, examples, removing }: Bodies): Schema => ({
  get: get(
    { tags: TAGS, operationId: id, summary: 'A feature', parameters: [...inPath, ...[F, 'crs'].map(parameter)] },
    success('The feature.', READ, FEATURE),
  ),
  ...changesOf({
    tags: TAGS,
    ids: { put: `${id}-replace`, patch: `${id}-update`, delete: `${id}-delete` },
    itemName: 'a feature',
    parameters: inPath,
    ofBody: [parameter('Content-Crs')],
    put: bodyOf(typesOf('PUT'), put, examples?.made),
    patch: bodyOf(typesOf('PATCH'), patch, examples?.changed),
    changed: FEATURE,
    removing,
  }),
})
