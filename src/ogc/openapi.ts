import type { Schema } from '../filters/lookups.ts'
import { ADDRESS, INTEGER, listOf, orNull, ref, STRING } from '../model/schema.ts'
import { json } from '../openapi/answers.ts'
import { bodySchemas } from '../openapi/bodies.ts'
import { documentOf } from '../openapi/document.ts'
import { parameter } from '../openapi/parameters.ts'
import type { Collection } from './collection.ts'
import { TITLE } from './documents.ts'
import { downgrade } from './downgrade.ts'
import { parametersOf } from './parameters.ts'
import { collectionPaths, documentPath, OBJECT } from './paths.ts'
import { PROBLEM, PROBLEM_SCHEMA } from './problem.ts'
import { OPENAPI, SCHEMA } from './request.ts'
import { tilePaths } from './tiles/paths.ts'

/**
 * Describes everything under `/ogc` in OpenAPI 3.0, which clients of OGC API - Features read. It uses the declarations
 * of the collections.
 */
export const openapi = (version: string, root: string, collections: readonly Collection[]): Schema =>
  downgrade(
    documentOf(root, {
      title: TITLE,
      version,
      description:
        'Events and event series as OGC API - Features and Tiles. The lists themselves are described in OpenAPI 3.1, at /openapi.json.',
      tags: ['Capabilities', 'Data', 'Tiles'].map((name) => ({ name })),
      paths: {
        ...DOCUMENTS,
        ...Object.assign({}, ...[...collections, null].map(pathsOf)),
      },
      schemas: { ...SCHEMAS, ...Object.assign({}, ...collections.map(bodySchemasOf)) },
      parameters: parametersOf(collections),
      errorOf: () => json(ref('Problem'), PROBLEM),
    }),
  )

const OF_COLLECTION = { inPath: [parameter('collectionId')], type: SCHEMA }
const OF_TILES = { tag: 'Tiles', isFixed: true }

/** The addresses of documents. */
const DOCUMENTS: Schema = {
  '/': documentPath('landing', 'The landing page', { isFixed: true }),
  '/api': documentPath('api', 'This description', { type: OPENAPI, isFixed: true }),
  '/conformance': documentPath('conformance', 'The conformance classes', { isFixed: true }),
  '/collections': documentPath('collections', 'The collections'),
  '/collections/{collectionId}/queryables': documentPath(
    'collection-queryables',
    'The properties for filters',
    OF_COLLECTION,
  ),
  '/collections/{collectionId}/schema': documentPath('collection-schema', 'The properties of features', OF_COLLECTION),
  '/collections/{collectionId}/schema/feature': documentPath(
    'collection-schema-feature',
    'The properties of features as GeoJSON',
    OF_COLLECTION,
  ),
  '/tileMatrixSets': documentPath('getTileMatrixSetsList', 'The tile matrix sets', OF_TILES),
  '/tileMatrixSets/{tileMatrixSetId}': documentPath('getTileMatrixSet', 'A tile matrix set', {
    ...OF_TILES,
    inPath: [parameter('tileMatrixSetId')],
  }),
}

/** Describes the addresses of a collection. Null: of any collection. */
const pathsOf = (collection: Collection | null): Schema => ({
  ...collectionPaths(collection),
  ...(collection?.ofSeries ? {} : tilePaths(collection)),
})

const bodySchemasOf = ({ resource, writableIn }: Collection): Schema =>
  bodySchemas({ ...resource, writable: writableIn(0) })

const LINKS = listOf(ref('Link'))

const SCHEMAS: Readonly<Record<string, Schema>> = {
  Problem: PROBLEM_SCHEMA,
  Link: {
    type: 'object',
    required: ['rel', 'type', 'href'],
    properties: {
      rel: STRING,
      type: STRING,
      href: ADDRESS,
      title: STRING,
    },
  },
  Feature: {
    type: 'object',
    required: ['type', 'id', 'geometry', 'properties'],
    properties: {
      type: { const: 'Feature' },
      id: INTEGER,
      geometry: orNull(OBJECT),
      properties: OBJECT,
      links: LINKS,
    },
  },
  FeatureCollection: {
    type: 'object',
    required: ['type', 'features', 'links', 'numberMatched', 'numberReturned'],
    properties: {
      type: { const: 'FeatureCollection' },
      numberMatched: { type: 'integer', minimum: 0 },
      numberReturned: { type: 'integer', minimum: 0 },
      links: LINKS,
      features: listOf(ref('Feature')),
    },
  },
}
