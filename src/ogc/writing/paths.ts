import type { Schema } from '../../filters/lookups.ts'
import { bodySchemas, nameOf } from '../../openapi/bodies.ts'
import { REQUEST_HEADERS } from '../../request/headers.ts'
import { KEY_SCHEMA } from '../../store/idempotency.ts'
import type { Writable } from '../../store/writable.ts'
import type { Collection } from '../collection.ts'
import { CONTENT_CRS_SCHEMA, CRS84 } from '../crs.ts'
import { downgrade } from '../downgrade.ts'
import { failures, ref } from '../parameters.ts'
import { GEOJSON } from '../request.ts'
import { typesOf } from './serve.ts'

const header = (name: string, description: string, schema: Schema = { type: 'string' }): Schema => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

/** The headers of a write. */
export const WRITE_PARAMETERS: Readonly<Record<string, Schema>> = {
  'Content-Crs': header(
    'Content-Crs',
    `The reference system of the body. Without this header it is <${CRS84}>.`,
    CONTENT_CRS_SCHEMA,
  ),
  'Idempotency-Key': header('Idempotency-Key', REQUEST_HEADERS['Idempotency-Key'], KEY_SCHEMA),
  'If-Match': header('If-Match', REQUEST_HEADERS['If-Match']),
}

/** Returns the schemas of the bodies that write a collection. */
export const writtenSchemas = (collection: Collection): Schema => {
  const writable = collection.writableIn(0)
  const schemas = bodySchemas({ ...collection.resource, writable })
  return Object.fromEntries(namesOf(writable).map((name) => [name, downgrade(schemas[name] as Schema)]))
}

/** The schema of bodies for any collection. All its operations share the name. */
export const BODY = 'FeatureBody'

const made = (writable: Writable): string => `New${nameOf(writable)}`
const changed = (writable: Writable): string => `${nameOf(writable)}Changes`
const upsert = (writable: Writable): string[] => (writable.keyed === undefined ? [] : [`${nameOf(writable)}Upsert`])
const namesOf = (writable: Writable): string[] => [made(writable), changed(writable), ...upsert(writable)]

const KEYS = [{ bearer: [] }, { basic: [] }]
const AT_WRITING = [400, 401, 403, 406, 408, 413, 415, 429, 500, 503]

const feature = (description: string): Schema => ({
  description,
  content: { [GEOJSON]: { schema: ref('schemas', 'Feature') } },
})

const MADE: Schema = {
  ...feature('The feature.'),
  headers: { Location: { description: 'The address of the feature.', schema: { type: 'string', format: 'uri' } } },
}

/** Describes how clients create features. Null: the collection is not listed. */
export const createPath = (id: string, path: readonly Schema[], collection: Collection | null): Schema => ({
  post: {
    ...operation(
      `${id}-create`,
      'Create a feature, or a FeatureCollection of features',
      ['Content-Crs', 'Idempotency-Key'],
      path,
    ),
    requestBody: bodyOf(collection, 'POST'),
    responses: {
      200: feature('A feature with this external id was stored already.'),
      201: MADE,
      ...failures(...AT_WRITING, 404, 409, 422),
    },
  },
})

/** Describes how clients replace, change and delete a feature. */
export const changing = (id: string, path: readonly Schema[], collection: Collection | null): Schema => ({
  put: {
    ...operation(`${id}-replace`, 'Replace a feature', ['Content-Crs', 'If-Match'], path),
    requestBody: bodyOf(collection, 'PUT'),
    responses: { 200: feature('The feature after the change.'), ...failures(...AT_WRITING, 404, 412) },
  },
  patch: {
    ...operation(`${id}-update`, 'Change a feature', ['Content-Crs', 'If-Match'], path),
    requestBody: bodyOf(collection, 'PATCH'),
    responses: { 200: feature('The feature after the change.'), ...failures(...AT_WRITING, 404, 412) },
  },
  delete: {
    ...operation(`${id}-delete`, 'Delete a feature', ['If-Match'], [...path, ...removing(collection)]),
    responses: { 204: { description: 'The item is deleted.' }, ...failures(...AT_WRITING, 404, 409, 412) },
  },
})

const operation = (operationId: string, summary: string, headers: readonly string[], path: readonly Schema[] = []) => ({
  tags: ['Data'],
  operationId,
  summary,
  security: KEYS,
  parameters: [...path, ...headers.map((name) => ref('parameters', name))],
})

const bodyOf = (collection: Collection | null, method: 'POST' | 'PUT' | 'PATCH'): Schema => {
  const isPatch = method === 'PATCH'
  const writable = collection?.writableIn(0)
  const schema = writable ? schemaOf(writable, method) : ref('schemas', BODY)
  const media = { schema, ...(writable && { example: writable.examples[isPatch ? 'changed' : 'made'] }) }
  return { required: true, content: Object.fromEntries(typesOf(method).map((type) => [type, media])) }
}

const schemaOf = (writable: Writable, method: 'POST' | 'PUT' | 'PATCH'): Schema => {
  if (method === 'PATCH') return ref('schemas', changed(writable))
  const names = [made(writable), ...(method === 'POST' ? upsert(writable) : [])].map((name) => ref('schemas', name))
  return names.length === 1 ? (names[0] as Schema) : { anyOf: names }
}

/** Returns the parameters of a delete. */
const removing = (collection: Collection | null): Schema[] =>
  Object.entries(collection?.writableIn(0).removing ?? {}).map(([name, value]) => ({
    name,
    in: 'query',
    required: false,
    description: `Deletes its ${name} with it. Without this parameter the answer is a 409 if it has ${name}.`,
    schema: { type: 'string', enum: [value] },
  }))
