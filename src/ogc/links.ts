import { type Format, HTML_FORMAT } from '../formats/formats.ts'
import { MVT } from '../formats/mvt.ts'
import { formatQuery } from '../request/query.ts'
import type { Query } from '../request/read.ts'

/** The media types under /ogc. */
export const TYPE = {
  json: 'application/json',
  geojson: 'application/geo+json',
  html: 'text/html',
  mvt: MVT,
  schema: 'application/schema+json',
  openapi: 'application/vnd.oai.openapi+json;version=3.0',
  style: 'application/vnd.mapbox.style+json',
  problem: 'application/problem+json',
}

/** Returns the media type of a format for a link. Only HTML has a character set, which a link leaves out. */
export const typeOf = (format: Format): string => (format === HTML_FORMAT ? TYPE.html : format.contentType)

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
export const selfLinks = (query: Query, json: string): Link[] => {
  const { address, parameters, format } = query
  const self = link('self', typeOf(format), `${address}${formatQuery(parameters)}`, 'This document')
  return format === HTML_FORMAT
    ? [self, link('alternate', json, withParameters(query, { f: 'json' }), 'As JSON')]
    : [self, link('alternate', TYPE.html, withParameters(query, { f: 'html' }), 'As a page')]
}

/** Returns the address of the request with the parameters in `given` set to new values. Null removes a parameter. */
export const withParameters = (
  { address, parameters }: Query,
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
