import type { Caller } from '../caller.ts'
import { at } from '../collections.ts'
import { HTML_FORMAT, jsonOf } from '../formats/formats.ts'
import { type PartRules, queryOf, type RequestContext } from '../request/context.ts'
import type { Offer } from '../request/negotiate.ts'
import type { Known } from '../request/parameters.ts'
import type { Parameter } from '../request/query.ts'
import { type Asked, readAsked } from '../request/read.ts'
import { MVT } from '../tiles/mvt.ts'
import { PROBLEM, problemOf } from './problem.ts'

/** The path of the landing page. The paths of OGC API - Features begin with it. */
export const ROOT = '/ogc'

/** The rules of all addresses below it. */
export const OGC: PartRules = { errorType: PROBLEM, errorOf: problemOf, takesForms: false, takesPreferences: false }

export const JSON_TYPE = 'application/json'
export const GEOJSON = 'application/geo+json'
export const HTML = 'text/html'
export const SCHEMA = 'application/schema+json'
export const OPENAPI = 'application/vnd.oai.openapi+json;version=3.0'

/** A request to an address of OGC API - Features. Its address has no slash at its end. */
export interface OgcAsked extends Asked {
  /** The address of the landing page, without a slash at its end. */
  readonly root: string
  /** The media type of the answer. */
  readonly type: string
}

/** The parameter of every address for the form of the answer. */
export const F = { name: 'f', values: ['json', 'geojson', 'html'] } as const

/** Reads a request. `types`: the media types of the answer other than HTML, the default first. */
export const ask = (c: RequestContext, caller: Caller, known: Known, ...types: readonly string[]): OgcAsked => {
  const names = [F.name, ...known.names]
  const parameters = onceEach(queryOf(c))
  const asked = readAsked(c, caller, { known: { ...known, names }, offer: offerOf(types), parameters, title: '' })
  const type = asked.format === HTML_FORMAT ? HTML : asked.format.contentType
  return { ...asked, root: `${asked.base}${ROOT}`, type }
}

/** Returns the formats of an address. GeoJSON is JSON, so a client that accepts JSON gets GeoJSON. */
const offerOf = (types: readonly string[]): Offer => {
  const formats = types.map((contentType) => ({ contentType, render: jsonOf }))
  const offered = formats.map((format) => [at(format.contentType.split(';'), 0), format] as const)
  const first = formats.slice(0, 1)
  if (types.includes(MVT)) return { parameter: F.name, named: { mvt: first }, types: offered }
  const isFeatures = types.includes(GEOJSON)
  return {
    parameter: F.name,
    named: { json: first, ...(isFeatures && { geojson: first }), html: [HTML_FORMAT] },
    types: [
      ...offered,
      ...first.map((format) => [JSON_TYPE, format] as const).filter(() => isFeatures),
      [HTML, HTML_FORMAT],
    ],
  }
}

/** Joins repeated datetimes by a separator. GDAL repeats the parameter for two conditions, and both apply. */
const onceEach = (parameters: readonly Parameter[]): Parameter[] => {
  const times = parameters.filter(({ name }) => name === DATETIME)
  if (times.length < 2) return [...parameters]
  const joined = times.map(({ bytes }) => new TextDecoder().decode(bytes)).join(SEPARATOR)
  return [
    ...parameters.filter(({ name }) => name !== DATETIME),
    { name: DATETIME, bytes: new TextEncoder().encode(joined) },
  ]
}

export const DATETIME = 'datetime'
/** A character that no instant contains. */
export const SEPARATOR = '\n'
