import type { Schema } from '../filters/lookups.ts'
import { BOUNDS } from '../filters/spatial.ts'
import { INTERVAL_SCHEMA } from '../filters/temporal.ts'
import { COLLECTION_ID, type Collection } from './collection.ts'
import { CRS_SCHEMA, CRS84, SYSTEMS } from './crs.ts'
import { downgrade } from './downgrade.ts'
import { LANGUAGES, LIMIT, RESULT_TYPES } from './itemsRequest.ts'
import { DATETIME, F } from './request.ts'

/** Returns a reference to a component of an OpenAPI document. */
export const ref = (kind: 'parameters' | 'schemas' | 'responses', name: string): Schema => ({
  $ref: `#/components/${kind}/${name}`,
})

/** Returns the error answers of an operation. */
export const failures = (...statuses: number[]): Schema =>
  Object.fromEntries([...statuses, 'default'].map((status) => [status, ref('responses', 'Fault')]))

const inQuery = (name: string, description: string, schema: Schema): Schema => ({
  name,
  in: 'query',
  description,
  required: false,
  allowEmptyValue: true,
  schema,
  style: 'form',
  explode: false,
})

function ofSystem(name: string, description: string): Schema {
  const others = `One of ${SYSTEMS.join(', ')}, or the URI of EPSG 28992 or of a UTM zone.`
  return inQuery(name, `${description} ${others}`, { ...CRS_SCHEMA, default: CRS84 })
}

/** The parameters of every collection. QGIS and GDAL expect these names. */
export const PARAMETERS: Readonly<Record<string, Schema>> = {
  collectionId: {
    name: 'collectionId',
    in: 'path',
    required: true,
    description:
      'The id of a collection. Each series also has a collection of its events, events-<uuid>, which is not in the list.',
    schema: { type: 'string', pattern: COLLECTION_ID },
  },
  featureId: {
    name: 'featureId',
    in: 'path',
    required: true,
    description: 'The id of a feature.',
    schema: { type: 'integer' },
  },
  f: inQuery(F.name, 'The format of the answer. It replaces the header Accept.', { type: 'string', enum: F.values }),
  limit: inQuery(
    'limit',
    `The maximum number of features in the answer. A number above ${LIMIT.maximum} means ${LIMIT.maximum}.`,
    {
      type: 'integer',
      ...LIMIT,
    },
  ),
  offset: inQuery('offset', 'The number of features to skip.', { type: 'integer', minimum: 0, default: 0 }),
  hint: inQuery('hint', 'A part of the link next. Do not change it.', { type: 'string' }),
  bbox: inQuery(
    'bbox',
    'Features in this box, on its edge, or without a place. Enter west, south, east and north. With six numbers, the third and the sixth are heights. If west is greater than east, the box crosses 180 degrees.',
    BOUNDS,
  ),
  datetime: inQuery(
    DATETIME,
    'Features that share an instant with this instant, date or interval. An interval has two instants or dates with a slash between them. Enter .. for an open end.',
    INTERVAL_SCHEMA,
  ),
  filter: inQuery(
    'filter',
    'A filter in CQL2, with at most 2,000 expressions in at most 24 levels. CASEI of value, external_id or description can be compared only with texts.',
    { type: 'string' },
  ),
  'filter-lang': inQuery('filter-lang', 'The language of the filter. GDAL writes cql-text.', {
    type: 'string',
    enum: LANGUAGES,
    default: 'cql2-text',
  }),
  'filter-crs': ofSystem('filter-crs', 'The reference system of the geometries of the filter.'),
  'bbox-crs': ofSystem('bbox-crs', 'The reference system of bbox.'),
  crs: ofSystem('crs', 'The reference system of the geometries of the answer.'),
  sortby: inQuery('sortby', 'The field that orders the features. A - in front reverses the order.', { type: 'string' }),
  resultType: inQuery('resultType', 'With hits, the answer has only the number of features.', {
    type: 'string',
    enum: RESULT_TYPES,
    default: 'results',
  }),
}

/** The parameter `f` of documents, which have no form in GeoJSON. */
export const F_DOCUMENT = {
  'f-document': inQuery(F.name, 'The format of the answer. It replaces the header Accept.', {
    type: 'string',
    enum: F.values.filter((name) => name !== 'geojson'),
  }),
}

/** References to the parameters that the items of every collection take. */
export const SHARED = Object.keys(PARAMETERS)
  .filter((name) => !name.endsWith('Id'))
  .map((name) => ref('parameters', name))

/** Describes the filters of a collection. */
export const filterComponents = ({ id, filters }: Collection): Schema =>
  Object.fromEntries(
    Array.from(filters, ([name, { description, schema, shape }]) => [
      `${id}.${name}`,
      inQuery(name, description, downgrade(shape(schema))),
    ]),
  )
