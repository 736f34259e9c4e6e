import { formatQuery, type Parameter, parameter } from '../http/query.ts'
import { type Asked, GEOJSON, HTML } from './request.ts'

/** A link of an answer (RFC 8288): `type` is the media type of what it leads to. */
export interface Link {
  readonly rel: string
  readonly type: string
  readonly href: string
  readonly title?: string
  /** The address has names in braces. */
  readonly templated?: true
}

export const link = (rel: string, type: string, href: string, title?: string): Link => ({
  rel,
  type,
  href,
  ...(title === undefined ? {} : { title }),
})

/** This answer, and the same in its other form: of JSON as a page, and of a page as JSON. */
export const selfLinks = (asked: Asked, json: string): Link[] => {
  const { address, parameters, type } = asked
  const plain = parameters.filter(({ name }) => name !== 'f')
  const as = (f: string) => `${address}${formatQuery([...plain, parameter('f', f)])}`
  const self = link('self', type, `${address}${formatQuery(parameters)}`, 'This document')
  return type === HTML
    ? [self, link('alternate', json, as('json'), 'As JSON')]
    : [self, link('alternate', HTML, as('html'), 'As a page')]
}

/** An address with other parameters in place of those of these names. */
export const withParameters = (
  { address, parameters }: Asked,
  given: Readonly<Record<string, string | null>>,
): string => {
  const kept = parameters.filter(({ name }) => !Object.hasOwn(given, name))
  const added = Object.entries(given).flatMap(([name, value]): Parameter[] =>
    value === null ? [] : [parameter(name, value)],
  )
  return `${address}${formatQuery([...kept, ...added])}`
}

/** The relations that have no short name. */
const OGC = 'http://www.opengis.net/def/rel/ogc/1.0'
export const REL = {
  conformance: `${OGC}/conformance`,
  queryables: `${OGC}/queryables`,
  schema: `${OGC}/schema`,
  tilesets: `${OGC}/tilesets-vector`,
  tilingScheme: `${OGC}/tiling-scheme`,
  tilingSchemes: `${OGC}/tiling-schemes`,
}

export const itemsLinks = (address: string): Link[] => [
  link('items', GEOJSON, `${address}/items`, 'The features as GeoJSON'),
  link('items', HTML, `${address}/items?f=html`, 'The features as a page'),
]
