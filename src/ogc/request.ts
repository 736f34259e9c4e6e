import type { Caller } from '../caller.ts'
import { mediaType } from '../downloads.ts'
import { type DocumentFormat, type Format, HTML_FORMAT, ITEMS_FORMATS, jsonOf } from '../formats/formats.ts'
import { MVT } from '../formats/mvt.ts'
import type { Offer } from '../request/offer.ts'
import type { Known } from '../request/parameters.ts'
import type { Parameter } from '../request/query.ts'
import { type Query, readQuery } from '../request/read.ts'
import { type PartRules, queryOf, type RequestContext } from '../request/route.ts'
import { PROBLEM, problemOf } from './problem.ts'

/** The path of the landing page. The paths of OGC API - Features begin with it. */
export const ROOT = '/ogc'

export const TITLE = 'Events'

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

const documentOf = (contentType: string): DocumentFormat => ({ contentType, render: jsonOf })
const typed = (format: Format) => [mediaType(format), format] as const

/** Offers a document in these media types, and as a page. The first type is the default. */
export const documents = (...types: readonly [string, ...string[]]): Offer => {
  const [first, ...others] = [documentOf(types[0]), ...types.slice(1).map(documentOf)]
  return {
    parameter: F,
    named: { json: [first], html: [HTML_FORMAT] },
    types: [first, ...others, HTML_FORMAT].map(typed),
  }
}

export const DOCUMENT = documents(JSON_TYPE)

/** The offer of a feature that was written. GeoJSON is JSON, so a client that accepts JSON gets GeoJSON. */
const geojson = documentOf(GEOJSON)
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

const tile = documentOf(MVT)
export const TILE: Offer = { parameter: F, named: { mvt: [tile] }, types: [typed(tile)] }

export const ask = (c: RequestContext, caller: Caller, known: Known, offer: Offer): OgcAsked => {
  const own = { ...known, names: [F, ...known.names], times: new Set([...known.times, DATETIME]) }
  const asked = readQuery(c, caller, { known: own, offer, inUrl: onceEach(queryOf(c)), title: '' })
  const type = asked.format === HTML_FORMAT ? HTML : asked.format.contentType
  return { ...asked, root: `${asked.base}${ROOT}`, type }
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
