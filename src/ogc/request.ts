import { boundedMap, keptFor } from '../base/collections.ts'
import type { Engine, Reader } from '../engine/engine.ts'
import { isSame, type State } from '../engine/state.ts'
import { DOWNLOADS, type Download, mediaType } from '../formats/downloads.ts'
import { type DocumentFormat, type Format, HTML_FORMAT, ITEMS_FORMATS, jsonFormat } from '../formats/formats.ts'
import type { Caller } from '../http/caller.ts'
import { ERRORS } from '../http/headers.ts'
import type { Offer } from '../http/offer.ts'
import type { Parameter } from '../http/query.ts'
import { type Query, readQuery } from '../http/read.ts'
import type { RequestContext, Spelling } from '../http/route.ts'
import { itemIn, recentState, withReader } from '../http/session.ts'
import { MAX_PAGE_SIZE, type Resource } from '../lists/resource.ts'
import { eventSeriesV4 } from '../lists/series.ts'
import type { MetadataRow } from '../model/metadata.ts'
import type { SeriesRow } from '../model/types.ts'
import type { Collection } from './collection.ts'
import { eventsOfSeries } from './columns.ts'
import { TYPE } from './links.ts'
import type { TileMatrixSet } from './tileMatrix.ts'

/** The number of features in an answer. */
export const LIMIT = { minimum: 1, maximum: MAX_PAGE_SIZE, default: 100 }
/** The number of collections in a page of their list. */
export const COLLECTIONS_LIMIT = { minimum: 1, maximum: 1000, default: 1000 }
export const LANGUAGES = ['cql2-text', 'cql2-json', 'cql-text'] as const
export const RESULT_TYPES = ['results', 'hits'] as const

/** A character that no instant contains. */
export const SEPARATOR = '\n'

/** Joins repeated datetimes by a separator. GDAL repeats the parameter for two conditions, and both apply. */
const onceEach = (parameters: readonly Parameter[]): readonly Parameter[] => {
  const times = parameters.filter(({ name }) => name === 'datetime')
  if (times.length < 2) return parameters
  const joined = times.map(({ value }) => value).join(SEPARATOR)
  return [...parameters.filter(({ name }) => name !== 'datetime'), { name: 'datetime', value: joined }]
}

/** The surface of all addresses below ROOT. An error has problem details (RFC 9457). */
export const OGC: Spelling = {
  words: { format: 'f', order: 'sortby', slice: 'limit' },
  lists: ['bbox', 'sortby', 'properties', 'exclude-properties'],
  sentAs: onceEach,
  errorType: TYPE.problem,
  // `detail` joins all messages in one text. `errors` has them by parameter, or by member of a body.
  errorOf: (status, body) => {
    const head = { type: 'about:blank', title: ERRORS[status]?.title ?? 'Error', status }
    const { detail } = body
    if (typeof detail === 'string') return { ...head, detail }
    const sentences = Object.entries(body).map(([name, messages]) => `${name}: ${[messages].flat().join(' ')}`)
    return { ...head, detail: sentences.join(' '), errors: body }
  },
  takesBookmarks: false,
}

/** Answers a request to an address about a collection. `set` is the tile matrix set that it names, or Web Mercator. */
export type CollectionHandler = (
  c: RequestContext,
  caller: Caller,
  own: Collection,
  set: TileMatrixSet,
) => Promise<Response>

const SERIES_FIELDS = ['id', 'uuid', 'name', 'description', 'metadata'] as const

/**
 * Reads the collection with an id. `own` is the part that is known without the database. Throws a 404 if the caller does not
 * see its series.
 */
export const findCollection = async (id: string, own: Collection, reader: Reader): Promise<Collection> => {
  if (id === own.id) return own
  const { row } = await itemIn(reader, eventSeriesV4, id.slice('events-'.length), SERIES_FIELDS)
  return eventsOfSeries(row as SeriesRow & MetadataRow) // it has these fields
}

/** The collections that an isolate read, with the state of the data at that time. */
const collectionsOf = keptFor((_: Engine) =>
  boundedMap<{ readonly state: State | null; readonly collection: Collection }>(KEPT),
)
const KEPT = 1000

/**
 * Returns the collection at an address before its parameters are read, because their names depend on its columns. A recent
 * state of the data saves the read.
 */
export const collectionAt = async (
  c: RequestContext,
  caller: Caller,
  id: string,
  own: Collection,
): Promise<Collection> => {
  if (id === own.id) return own
  const kept = collectionsOf(c.env.ENGINE)
  const key = `${caller.level} ${id}`
  const known = kept.get(key)
  const recent = recentState(c.env, caller.level)
  if (known !== undefined && recent !== null && isSame(recent.state, known.state)) return known.collection
  return withReader(c, caller, { cheap: true }, async (reader) => {
    const collection = await findCollection(id, own, reader)
    kept.set(key, { state: reader.state(), collection }, 1)
    return collection
  })
}

const typed = (format: Format) => [mediaType(format.contentType), format] as const

/** Offers a document in these media types, and as a page. The first type is the default. */
export const documents = (...types: readonly string[]): Offer => {
  const formats = types.map(jsonFormat)
  return {
    named: { json: formats.slice(0, 1), html: [HTML_FORMAT] },
    types: [...formats, HTML_FORMAT].map(typed),
  }
}

/** The offer of a feature that was written. GeoJSON is JSON, so a client that accepts JSON gets GeoJSON. */
const geojson = jsonFormat(TYPE.geojson)
export const FEATURE: Offer = {
  named: { json: [geojson], geojson: [geojson], html: [HTML_FORMAT] },
  types: [typed(geojson), [TYPE.json, geojson], typed(HTML_FORMAT)],
}

/** Newline-delimited JSON. Each line is a feature. */
const LINES = {
  ...DOWNLOADS.ndjson,
  render: (body: object) => {
    const features: readonly unknown[] = 'features' in body && Array.isArray(body.features) ? body.features : [body]
    return features.map((feature) => `${JSON.stringify(feature)}\n`).join('')
  },
} satisfies DocumentFormat

/** The formats of features besides GeoJSON. Tables have the columns of lists. */
export const FILE_FORMATS: readonly (readonly [name: string, format: Format & Download])[] = Object.entries({
  csv: ITEMS_FORMATS.csv,
  spreadsheet: ITEMS_FORMATS.spreadsheet,
  ndjson: LINES,
} satisfies Readonly<Record<Exclude<keyof typeof DOWNLOADS, 'geojson'>, Format & Download>>)

export const FEATURES: Offer = {
  named: { ...FEATURE.named, ...Object.fromEntries(FILE_FORMATS.map(([name, format]) => [name, [format]])) },
  types: [...FEATURE.types, ...FILE_FORMATS.map(([, format]) => typed(format))],
}

/** A document. It has the formats of its offer, and one of them is a page. */
export interface Document {
  /** The path below the landing page, or below the collection. */
  readonly path: string
  readonly tag: 'Capabilities' | 'Data' | 'Tiles'
  /** The id of its operation. */
  readonly id: string
  readonly summary: string
  readonly offer: Offer
}

/** A document that depends on the address alone. */
export interface FixedDocument extends Document {
  readonly make: (query: Query, set: TileMatrixSet) => object
}

/** A document about a collection. */
export interface CollectionDocument extends Document {
  readonly make: (query: Query, collection: Collection, set: TileMatrixSet, reader: Reader) => object | Promise<object>
}

/** Stands for the id of a tile matrix set in the path of a document. */
export const SET = '{tileMatrixSetId}'

export const about = (
  path: string,
  tag: Document['tag'],
  id: string,
  summary: string,
  offer = documents(TYPE.json),
): Document => ({ path, tag, id, summary, offer })

const tile = jsonFormat(TYPE.mvt)
export const TILE: Offer = { named: { mvt: [tile] }, types: [typed(tile)] }

/** Reads a request with parameters, and perhaps filters. The HTML page shows the controls of a list. */
export const readOgcQuery = (
  c: RequestContext,
  caller: Caller,
  offer: Offer,
  names: readonly string[] = [],
  { filters, controls }: Partial<Pick<Resource, 'filters' | 'controls'>> = {},
): Query =>
  readQuery(c, caller, { names: ['f', ...names], filters }, offer, { title: '', about: () => ({ fields: controls }) })
