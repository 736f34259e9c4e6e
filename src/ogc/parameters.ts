import { ADDRESS, type Described, INTEGER, listOf, orNull, ref, type Schema, STRING } from '../base/schema.ts'
import { MAX_VALUES } from '../filters/lookups.ts'
import { BOUNDS } from '../filters/spatial.ts'
import { INTERVAL_SCHEMA } from '../filters/temporal.ts'
import { localeOf, ZONE } from '../http/parameters.ts'
import { COMMAS, filterOf, formatOf, HEADERS, inHeader, inPath, inQuery } from '../openapi/parameters.ts'
import { ANY_OBJECT, bodySchemas } from '../openapi/schemas.ts'
import type { Collection } from './collection.ts'
import type { ITEM_PARAMETERS } from './columns.ts'
import { CONTENT_CRS_SCHEMA, CRS_SCHEMA, CRS84, SYSTEMS } from './crs.ts'
import { TYPE } from './links.ts'
import { COLLECTIONS_LIMIT, documents, FEATURES, LANGUAGES, LIMIT, RESULT_TYPES, TILE } from './request.ts'
import { deepestOf, TILE_MATRIX_SETS, WEB_MERCATOR } from './tileMatrix.ts'

const ofSystem = (description: string): Described => ({
  description: `${description} One of ${SYSTEMS.join(', ')}, or the URI of EPSG 28992 or of a UTM zone.`,
  schema: { ...CRS_SCHEMA, default: CRS84 },
})

/** The parameters of items, in addition to the filters of their collection. */
export const ITEMS: Readonly<Record<(typeof ITEM_PARAMETERS)[number], Described>> = {
  f: formatOf(FEATURES),
  locale: localeOf('f'),
  limit: {
    description: `The maximum number of features in the answer. A number above ${LIMIT.maximum} means ${LIMIT.maximum}.`,
    schema: { type: 'integer', ...LIMIT },
  },
  offset: {
    description: 'The number of features to skip.',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  hint: { description: 'A part of the link next. Do not change it.', schema: STRING },
  bbox: {
    description:
      'Features in this box, on its edge, or without a place. Enter west, south, east and north. With six numbers, the third and the sixth are heights. If west is greater than east, the box crosses 180 degrees.',
    schema: BOUNDS,
  },
  datetime: {
    description:
      'Features that share an instant with this instant, date or interval. An interval has two instants or dates with a slash between them. Enter .. for an open end.',
    schema: INTERVAL_SCHEMA,
  },
  timezone: ZONE,
  filter: {
    description:
      'A filter in CQL2, with at most 2,000 expressions in at most 24 levels. CASEI of value, external_id or description can be compared only with texts.',
    schema: STRING,
  },
  'filter-lang': {
    description: 'The language of the filter. GDAL writes cql-text.',
    schema: { type: 'string', enum: LANGUAGES, default: 'cql2-text' },
  },
  'filter-crs': ofSystem('The reference system of the geometries of the filter.'),
  'bbox-crs': ofSystem('The reference system of bbox.'),
  crs: ofSystem('The reference system of the geometries of the answer.'),
  sortby: {
    description:
      'The sortable that orders the features. A - in front reverses the order. A name with other characters than letters stands in double quotes. Equal features are in the order of their ids.',
    schema: listOf(STRING, 1, 2),
  },
  properties: {
    description: 'The properties to show. The others are left out.',
    schema: listOf(STRING, 1, MAX_VALUES),
  },
  'exclude-properties': {
    description: 'The properties to leave out. It cannot be combined with properties.',
    schema: listOf(STRING, 1, MAX_VALUES),
  },
  resultType: {
    description: 'With hits, the answer has only the number of features.',
    schema: { type: 'string', enum: RESULT_TYPES, default: 'results' },
  },
}

/** The parameters of tiles, in addition to the filters of their collection. */
export const TILE_PARAMETERS = ['bbox', 'datetime', 'timezone', 'filter', 'filter-lang', 'filter-crs', 'bbox-crs']

/** The schema of a number that counts. */
const NUMBER = { type: 'integer', minimum: 0 }

const IN_PATHS: Readonly<Record<string, Described>> = {
  collectionId: {
    description: 'The id of a collection. Each series has a collection of its events, events-<uuid>.',
    schema: { type: 'string', pattern: '^(events|eventseries|events-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$' },
  },
  featureId: { description: 'The id of a feature.', schema: INTEGER },
  tileMatrixSetId: {
    description: 'A tile matrix set.',
    schema: { type: 'string', enum: TILE_MATRIX_SETS.map(({ id }) => id) },
  },
  tileMatrix: {
    description: 'A level of the matrix set. Level 0 has the fewest details.',
    schema: { ...NUMBER, maximum: deepestOf(WEB_MERCATOR) },
  },
  tileRow: { description: 'The row of a tile, from the north.', schema: NUMBER },
  tileCol: { description: 'The column of a tile, from the west.', schema: NUMBER },
}

/**
 * Describes a parameter of the query as the test suite of OGC expects it. Its schema has no example, which Swagger UI
 * would send with the first request.
 */
const inOgcQuery = (name: string, described: Described): Schema => ({
  ...inQuery(name, described),
  schema: described.schema,
  required: false,
  ...(described.schema.type !== 'object' && COMMAS),
})

/** Describes an object with these properties. It may have others, and lacks those in `optional`. */
const object = (properties: Readonly<Record<string, Schema>>, ...optional: readonly string[]): Schema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
})

const LINKS = listOf(ref('Link'))

const SCHEMAS: Readonly<Record<string, Schema>> = {
  Problem: object(
    {
      type: { type: 'string', enum: ['about:blank'] },
      title: STRING,
      status: INTEGER,
      detail: { type: 'string', description: 'The fault, and the value to enter.' },
      errors: {
        type: 'object',
        description: 'The faults of each parameter, or of each member of a body by its path.',
        additionalProperties: listOf(STRING),
      },
    },
    'errors',
  ),
  Link: object({ rel: STRING, type: STRING, href: ADDRESS, title: STRING }, 'title'),
  Feature: object(
    { type: { const: 'Feature' }, id: INTEGER, geometry: orNull(ANY_OBJECT), properties: ANY_OBJECT, links: LINKS },
    'links',
  ),
  FeatureCollection: object({
    type: { const: 'FeatureCollection' },
    features: listOf(ref('Feature')),
    links: LINKS,
    numberMatched: NUMBER,
    numberReturned: NUMBER,
  }),
}

/** Returns the schemas and parameters that operations refer to. */
export const componentsOf = (collections: readonly Collection[]) => ({
  schemas: Object.assign({}, SCHEMAS, ...collections.map(({ writableIn }) => bodySchemas(writableIn(0)))),
  parameters: {
    ...Object.fromEntries(Object.entries(IN_PATHS).map(([name, described]) => [name, inPath({ name, ...described })])),
    ...Object.fromEntries(Object.entries(ITEMS).map(([name, described]) => [name, inOgcQuery(name, described)])),
    // Documents have no form in GeoJSON, and tiles have only one form.
    'f-document': inOgcQuery('f', formatOf(documents(TYPE.json))),
    'f-tile': inOgcQuery('f', formatOf(TILE)),
    'limit-collections': inOgcQuery('limit', {
      description: `The maximum number of collections in the answer. A number above ${COLLECTIONS_LIMIT.maximum} means ${COLLECTIONS_LIMIT.maximum}.`,
      schema: { type: 'integer', ...COLLECTIONS_LIMIT },
    }),
    'Content-Crs': inHeader(
      'Content-Crs',
      `The reference system of the body. Without this header it is <${CRS84}>.`,
      CONTENT_CRS_SCHEMA,
    ),
    'Idempotency-Key': HEADERS['Idempotency-Key'],
    'If-Match': HEADERS['If-Match'],
    ...Object.fromEntries(
      collections.flatMap(({ id, filters }) =>
        Array.from(filters, ([name, filter]) => [`${id}.${name}`, inOgcQuery(name, filterOf(filter))]),
      ),
    ),
  },
})
