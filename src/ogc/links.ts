import { formatQuery } from '../request/query.ts'
import { HTML, type OgcAsked } from './request.ts'

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
const OGC = 'http://www.opengis.net/def/rel/ogc/1.0'
export const REL = {
  conformance: `${OGC}/conformance`,
  queryables: `${OGC}/queryables`,
  schema: `${OGC}/schema`,
  sortables: `${OGC}/sortables`,
  tilesets: `${OGC}/tilesets-vector`,
  tilingScheme: `${OGC}/tiling-scheme`,
  tilingSchemes: `${OGC}/tiling-schemes`,
}
