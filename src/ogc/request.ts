import type { Caller } from '../caller.ts'
import { mediaType } from '../downloads.ts'
import type { Schema } from '../filters/lookups.ts'
import { type Format, HTML_FORMAT, ITEMS_FORMATS, jsonFormat } from '../formats/formats.ts'
import { MVT } from '../formats/mvt.ts'
import type { Control } from '../model/controls.ts'
import { INTEGER, listOf, STRING } from '../model/schema.ts'
import { ERRORS } from '../request/headers.ts'
import type { Offer } from '../request/offer.ts'
import type { Known } from '../request/parameters.ts'
import { formatQuery, type Parameter } from '../request/query.ts'
import { type Query, readQuery } from '../request/read.ts'
import { type PartRules, queryOf, type RequestContext } from '../request/route.ts'

/** The path of the landing page. The paths of OGC API - Features begin with it. */
export const ROOT = '/ogc'

export const TITLE = 'Events'

export const PROBLEM = 'application/problem+json'

/**
 * Makes problem details of an error (RFC 9457). `detail` joins all messages in one text. `errors` has them by
 * parameter, or by member of a body.
 */
const problemOf = (status: number, body: Readonly<Record<string, unknown>>): object => {
  const head = { type: 'about:blank', title: ERRORS[status]?.title ?? 'Error', status }
  const { detail } = body
  if (typeof detail === 'string') return { ...head, detail }
  const sentences = Object.entries(body).map(([name, messages]) => `${name}: ${[messages].flat().join(' ')}`)
  return { ...head, detail: sentences.join(' '), errors: body }
}

export const PROBLEM_SCHEMA: Schema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
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
}

/** The rules of all addresses below it. */
export const OGC: PartRules = { errorType: PROBLEM, errorOf: problemOf, takesForms: false, takesBookmarks: false }

export const JSON_TYPE = 'application/json'
export const GEOJSON = 'application/geo+json'
export const HTML = 'text/html'
export const SCHEMA = 'application/schema+json'
export const OPENAPI = 'application/vnd.oai.openapi+json;version=3.0'
export const STYLE = 'application/vnd.mapbox.style+json'

/** The media types of a feature in a body. */
export const FEATURE_TYPES = [GEOJSON, JSON_TYPE]

/** Returns the media types of a body. Each means a merge patch in a PATCH (RFC 7396). */
export const typesOf = (method: string): readonly string[] =>
  method === 'PATCH' ? ['application/merge-patch+json', ...FEATURE_TYPES] : FEATURE_TYPES

/** A request to an address of OGC API - Features. Its address has no slash at its end. */
export interface OgcAsked extends Query {
  /** The address of the landing page, without a slash at its end. */
  readonly root: string
  readonly type: string
}

/** The parameter of every address for the form of the answer. */
export const F = 'f'

/** Returns the media type of a format for a link. Only HTML has a character set, which a link leaves out. */
export const typeOf = (format: Format): string => (format === HTML_FORMAT ? HTML : format.contentType)

const typed = (format: Format) => [mediaType(format), format] as const

/** Offers a document in these media types, and as a page. The first type is the default. */
export const documents = (...types: readonly [string, ...string[]]): Offer => {
  const [first, ...others] = [jsonFormat(types[0]), ...types.slice(1).map(jsonFormat)]
  return {
    parameter: F,
    named: { json: [first], html: [HTML_FORMAT] },
    types: [first, ...others, HTML_FORMAT].map(typed),
  }
}

export const DOCUMENT = documents(JSON_TYPE)

/** The offer of a feature that was written. GeoJSON is JSON, so a client that accepts JSON gets GeoJSON. */
const geojson = jsonFormat(GEOJSON)
export const FEATURE: Offer = {
  parameter: F,
  named: { json: [geojson], geojson: [geojson], html: [HTML_FORMAT] },
  types: [typed(geojson), [JSON_TYPE, geojson], typed(HTML_FORMAT)],
}

/** Offers features in the formats of features and of lists. GeoJSON has links here. */
const { geojson: _, ...ITEMS } = ITEMS_FORMATS
export const FEATURES: Offer = {
  parameter: F,
  named: { ...FEATURE.named, ...Object.fromEntries(Object.entries(ITEMS).map(([name, format]) => [name, [format]])) },
  types: [...FEATURE.types, ...Object.values(ITEMS).map(typed)],
}

const tile = jsonFormat(MVT)
export const TILE: Offer = { parameter: F, named: { mvt: [tile] }, types: [typed(tile)] }

/** Reads a request. The HTML page needs the `fields` of a list. */
export const ask = (
  c: RequestContext,
  caller: Caller,
  known: Known,
  offer: Offer,
  fields?: readonly Control[],
): OgcAsked => {
  const own = { ...known, names: [F, ...known.names] }
  const inUrl = onceEach(queryOf(c))
  const asked = readQuery(c, caller, { known: own, offer, inUrl, title: '', about: () => ({ fields }) })
  return { ...asked, root: `${asked.base}${ROOT}`, type: typeOf(asked.format) }
}

/** Joins repeated datetimes by a separator. GDAL repeats the parameter for two conditions, and both apply. */
const onceEach = (parameters: readonly Parameter[]): Parameter[] => {
  const times = parameters.filter(({ name }) => name === DATETIME)
  if (times.length < 2) return [...parameters]
  const joined = times.map(({ value }) => value).join(SEPARATOR)
  return [...parameters.filter(({ name }) => name !== DATETIME), { name: DATETIME, value: joined }]
}

export const DATETIME = 'datetime'
/** A character that no instant contains. */
export const SEPARATOR = '\n'

/** A link of an answer (RFC 8288). `type` is the media type of its target. */
export interface Link {
  readonly rel: string
  readonly type: string
  readonly href: string
  readonly title: string | undefined
  /** The address is a template, with names in braces. */
  readonly templated?: true
}

export const link = (rel: string, type: string, href: string, title?: string): Link => ({ rel, type, href, title })

/** Returns the link to this answer, and the link to its other form. `json` is the media type of the JSON form. */
export const selfLinks = (asked: OgcAsked, json: string): Link[] => {
  const { address, parameters, type } = asked
  const self = link('self', type, `${address}${formatQuery(parameters)}`, 'This document')
  return type === HTML
    ? [self, link('alternate', json, withParameters(asked, { f: 'json' }), 'As JSON')]
    : [self, link('alternate', HTML, withParameters(asked, { f: 'html' }), 'As a page')]
}

/** Returns the address of the request with the parameters in `given` set to new values. Null removes a parameter. */
export const withParameters = (
  { address, parameters }: OgcAsked,
  given: Readonly<Record<string, string | null>>,
): string => {
  const others = parameters.filter(({ name }) => !Object.hasOwn(given, name))
  const added = Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
  return `${address}${formatQuery([...others, ...added])}`
}

/** The relations of OGC, which have a URI and no short name. */
const RELATIONS = 'http://www.opengis.net/def/rel/ogc/1.0'
export const REL = {
  conformance: `${RELATIONS}/conformance`,
  queryables: `${RELATIONS}/queryables`,
  schema: `${RELATIONS}/schema`,
  sortables: `${RELATIONS}/sortables`,
  tilesets: `${RELATIONS}/tilesets-vector`,
  tilingScheme: `${RELATIONS}/tiling-scheme`,
  tilingSchemes: `${RELATIONS}/tiling-schemes`,
}
