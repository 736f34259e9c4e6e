import { at } from '../base/collections.ts'
import { type Format, HTML_FORMAT } from '../formats/formats.ts'
import { MVT } from '../formats/mvt.ts'
import { formatQuery } from '../http/query.ts'
import type { Query } from '../http/read.ts'
import type { Collection, Feature } from './collection.ts'
import { geometryIn } from './crs.ts'
import type { TileMatrixSet } from './tileMatrix.ts'

/** The path of the landing page. The paths of OGC API - Features begin with it. */
export const ROOT = '/ogc'

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
  const { format, hintStart } = query
  // A GET of the address alone would ask for other features.
  const posted = hintStart === '' ? {} : { hint: hintStart }
  const self = link('self', typeOf(format), withParameters(query, posted), 'This document')
  return format === HTML_FORMAT
    ? [self, link('alternate', json, withParameters(query, { ...posted, f: 'json' }), 'As JSON')]
    : [self, link('alternate', TYPE.html, withParameters(query, { ...posted, f: 'html' }), 'As a page')]
}

/** Returns the address of the request with the parameters in `given` set to new values. Null removes a parameter. */
export const withParameters = ({ address, linked }: Query, given: Readonly<Record<string, string | null>>): string => {
  const others = linked.filter(({ name }) => !Object.hasOwn(given, name))
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

/** Returns the link to the description of a tile matrix set. */
export const schemeLink = ({ base }: Query, { id, title }: TileMatrixSet): Link =>
  link(REL.tilingScheme, TYPE.json, `${base}${ROOT}/tileMatrixSets/${id}`, title)

/** Returns the links of features to this answer and to their collection. */
export const collectionLinks = (query: Query, { id }: Collection): Link[] => [
  ...selfLinks(query, TYPE.geojson),
  link('collection', TYPE.json, `${query.base}${ROOT}/collections/${id}`, 'The collection'),
]

/** Makes the document of a feature, with its geometry in a reference system. */
export const itemDocument = (query: Query, collection: Collection, feature: Feature, srid: number): object => {
  const { base } = query
  const events = `${base}${ROOT}/collections/events-${at(feature.path.split('/'), -2)}/items`
  const links = [
    ...collectionLinks(query, collection),
    link('canonical', TYPE.json, `${base}${feature.path}`, 'In the list'),
    ...(collection.ofSeries ? [link('items', TYPE.geojson, events, 'Its events')] : []),
  ]
  return { ...featureIn(feature, srid), links }
}

/** Writes a feature, with its geometry in a reference system. */
export const featureIn = ({ id, geometry, properties }: Feature, srid: number): object => ({
  type: 'Feature',
  id,
  geometry: geometryIn(geometry, srid),
  properties,
})
