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
  const others = `One of ${SYSTEMS.join(', ')}, or that of EPSG 28992 or of a UTM zone.`
  return inQuery(name, `${description} ${others}`, { ...CRS_SCHEMA, default: CRS84 })
}

/** The parameters of every collection. QGIS and GDAL expect these names. */
export const PARAMETERS: Readonly<Record<string, Schema>> = {
  collectionId: {
    name: 'collectionId',
    in: 'path',
    required: true,
    description: 'A collection. Beside those listed there is one of the events of each series, events-<uuid>.',
    schema: { type: 'string', pattern: COLLECTION_ID },
  },
  featureId: {
    name: 'featureId',
    in: 'path',
    required: true,
    description: 'The id of a feature.',
    schema: { type: 'integer' },
  },
  f: inQuery(F.name, 'How the answer is written, whatever Accept says.', { type: 'string', enum: F.values }),
  limit: inQuery('limit', `How many features at most. More than ${LIMIT.maximum} is ${LIMIT.maximum}.`, {
    type: 'integer',
    ...LIMIT,
  }),
  offset: inQuery('offset', 'How many features are passed over.', { type: 'integer', minimum: 0, default: 0 }),
  hint: inQuery('hint', 'A part of next. Not to be made up.', { type: 'string' }),
  bbox: inQuery(
    'bbox',
    'In this box or on its side, or without a place: west, south, east and north; of six numbers the third and the sixth are heights. West beyond east crosses 180 degrees.',
    BOUNDS,
  ),
  datetime: inQuery(
    DATETIME,
    'Shares an instant with this: an instant, a date, or two of them with a slash between, of which one may be .. for an open end.',
    INTERVAL_SCHEMA,
  ),
  filter: inQuery(
    'filter',
    'A filter in CQL2: at most 2,000 expressions, 24 deep. CASEI of value, external_id or description is compared with texts only.',
    { type: 'string' },
  ),
  'filter-lang': inQuery('filter-lang', 'What the filter is written in. cql-text is what GDAL writes.', {
    type: 'string',
    enum: LANGUAGES,
    default: 'cql2-text',
  }),
  'filter-crs': ofSystem('filter-crs', 'The reference system of the geometries of the filter.'),
  'bbox-crs': ofSystem('bbox-crs', 'The reference system of bbox.'),
  crs: ofSystem('crs', 'The reference system of the geometries of the answer.'),
  sortby: inQuery('sortby', 'What orders the features, downward with a - in front.', { type: 'string' }),
  resultType: inQuery('resultType', 'hits: only how many there are.', {
    type: 'string',
    enum: RESULT_TYPES,
    default: 'results',
  }),
}

/** The parameter `f` of documents, which have no form in GeoJSON. */
export const F_DOCUMENT = {
  'f-document': inQuery(F.name, 'How the answer is written, whatever Accept says.', {
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
