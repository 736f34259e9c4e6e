import type { Schema } from '../filters/lookups.ts'
import type { Collection } from './collection.ts'
import { TITLE } from './documents.ts'
import { F_DOCUMENT, failures, filterComponents, PARAMETERS, ref, SHARED } from './parameters.ts'
import { PROBLEM, PROBLEM_SCHEMA } from './problem.ts'
import { GEOJSON, HTML, JSON_TYPE, OPENAPI, SCHEMA } from './request.ts'
import { TILE_COMPONENTS, tilePaths } from './tiles/paths.ts'
import { BODY, changing, createPath, WRITE_PARAMETERS, writtenSchemas } from './writing/paths.ts'

/**
 * Describes everything under `/ogc` in OpenAPI 3.0, which clients of OGC API - Features read. It uses the declarations
 * of the collections.
 */
export const openapi = (version: string, root: string, collections: readonly Collection[]): object => ({
  openapi: '3.0.3',
  info: {
    title: TITLE,
    version,
    description:
      'Events and event series as OGC API - Features and Tiles. The lists themselves are described in OpenAPI 3.1, at /openapi.json.',
    license: { name: 'MIT' },
  },
  servers: [{ url: root }],
  security: [{}, { bearer: [] }, { basic: [] }],
  tags: [{ name: 'Capabilities' }, { name: 'Data' }, { name: 'Tiles' }],
  paths: {
    '/': read('landing', 'The landing page', [F_DOCUMENT_REF], JSON_TYPE),
    '/api': read('api', 'This description', [F_DOCUMENT_REF], OPENAPI),
    '/conformance': read('conformance', 'The conformance classes', [F_DOCUMENT_REF], JSON_TYPE),
    '/collections': read('collections', 'The collections', [F_DOCUMENT_REF], JSON_TYPE),
    '/collections/{collectionId}': read('collection', 'A collection', [ID_REF, F_DOCUMENT_REF], JSON_TYPE),
    ...Object.fromEntries(
      DOCUMENTS.map((name) => [
        `/collections/{collectionId}/${name}`,
        read(
          `collection-${name.replace('/', '-')}`,
          name === 'queryables' ? 'The properties for filters' : 'The properties of features',
          [ID_REF, F_DOCUMENT_REF],
          SCHEMA,
        ),
      ]),
    ),
    ...Object.fromEntries(collections.flatMap((collection) => pathsOf(collection))),
    ...tilePaths(collections),
    '/collections/{collectionId}/items': {
      ...items('items', 'Features of a collection', [ID_REF, ...SHARED]),
      ...createPath('items', [ID_REF], null),
    },
    '/collections/{collectionId}/items/{featureId}': {
      ...item('item', [ID_REF, FEATURE_REF, F_REF, CRS_REF]),
      ...changing('item', [ID_REF, FEATURE_REF], null),
    },
  },
  components: {
    parameters: {
      ...PARAMETERS,
      ...F_DOCUMENT,
      ...TILE_COMPONENTS,
      ...WRITE_PARAMETERS,
      ...Object.assign({}, ...collections.map((collection) => filterComponents(collection))),
    },
    schemas: { ...SCHEMAS, [BODY]: { type: 'object' }, ...Object.assign({}, ...collections.map(writtenSchemas)) },
    responses: {
      Fault: {
        description: 'The request has a fault.',
        content: { [PROBLEM]: { schema: PROBLEM_SCHEMA } },
      },
    },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'A key.' },
      basic: { type: 'http', scheme: 'basic', description: 'The user name is __key__, and the password is a key.' },
    },
  },
})

const F_REF = ref('parameters', 'f')
const F_DOCUMENT_REF = ref('parameters', 'f-document')
const ID_REF = ref('parameters', 'collectionId')
const CRS_REF = ref('parameters', 'crs')
const FEATURE_REF = ref('parameters', 'featureId')

const DOCUMENTS = ['queryables', 'schema', 'schema/feature']

/** Describes the addresses of one listed collection. QGIS and GDAL look there for its parameters. */
const pathsOf = (collection: Collection): (readonly [string, Schema])[] => {
  const { id, title, filters } = collection
  const path = `/collections/${id}`
  const own = [...filters.keys()].map((name) => ref('parameters', `${id}.${name}`))
  return [
    [path, read(id, title, [F_DOCUMENT_REF], JSON_TYPE)],
    [
      `${path}/items`,
      { ...items(`${id}-items`, title, [...SHARED, ...own]), ...createPath(`${id}-items`, [], collection) },
    ],
    [
      `${path}/items/{featureId}`,
      { ...item(`${id}-item`, [FEATURE_REF, F_REF, CRS_REF]), ...changing(`${id}-item`, [FEATURE_REF], collection) },
    ],
  ]
}

const success = (type: string, schema: Schema, description: string): Schema => ({
  description,
  content: { [type]: { schema }, [HTML]: { schema: { type: 'string' } } },
})

const read = (operationId: string, summary: string, parameters: readonly Schema[], type: string): Schema => ({
  get: {
    tags: ['Capabilities'],
    operationId,
    summary,
    parameters,
    responses: { 200: success(type, { type: 'object' }, `${summary}.`), ...failures(400, 404, 406, 500) },
  },
})

const items = (operationId: string, summary: string, parameters: readonly Schema[]): Schema => ({
  get: {
    tags: ['Data'],
    operationId,
    summary,
    parameters,
    responses: {
      200: success(GEOJSON, ref('schemas', 'FeatureCollection'), 'Features.'),
      ...failures(400, 401, 404, 406, 500, 503),
    },
  },
})

const item = (operationId: string, parameters: readonly Schema[]): Schema => ({
  get: {
    tags: ['Data'],
    operationId,
    summary: 'A feature',
    parameters,
    responses: {
      200: success(GEOJSON, ref('schemas', 'Feature'), 'The feature.'),
      ...failures(401, 404, 406, 500, 503),
    },
  },
})

const LINKS = { type: 'array', items: ref('schemas', 'Link') }

const SCHEMAS: Readonly<Record<string, Schema>> = {
  Link: {
    type: 'object',
    required: ['rel', 'type', 'href'],
    properties: {
      rel: { type: 'string' },
      type: { type: 'string' },
      href: { type: 'string', format: 'uri' },
      title: { type: 'string' },
    },
  },
  Feature: {
    type: 'object',
    required: ['type', 'id', 'geometry', 'properties'],
    properties: {
      type: { type: 'string', enum: ['Feature'] },
      id: { type: 'integer' },
      geometry: { type: 'object', nullable: true },
      properties: { type: 'object' },
      links: LINKS,
    },
  },
  FeatureCollection: {
    type: 'object',
    required: ['type', 'features', 'links', 'numberMatched', 'numberReturned'],
    properties: {
      type: { type: 'string', enum: ['FeatureCollection'] },
      numberMatched: { type: 'integer', minimum: 0 },
      numberReturned: { type: 'integer', minimum: 0 },
      links: LINKS,
      features: { type: 'array', items: ref('schemas', 'Feature') },
    },
  },
}
