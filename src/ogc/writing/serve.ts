import type { Caller } from '../../caller.ts'
import { ApiError, badRequest, notAuthenticated, preconditionFailed } from '../../errors.ts'
import { type Database, openDatabase } from '../../query/db/d1.ts'
import { fetchItem } from '../../query/read.ts'
import type { Row } from '../../query/table.ts'
import { bodyOf, type RequestContext } from '../../request/context.ts'
import { reportCost } from '../../request/endpoint.ts'
import { READ_METHODS } from '../../request/options.ts'
import { attempt, type Known, knownOf, NO_PARAMETERS, refuseFaults } from '../../request/parameters.ts'
import { digest } from '../../request/query.ts'
import { entityTag, stateOf } from '../../request/validators.ts'
import { admitWriter, refuseOtherTypes, serveWriting } from '../../request/writing.ts'
import { COLLECTION_ID, type Collection } from '../collection.ts'
import { CRS84, sridOf, uriIn } from '../crs.ts'
import { itemDocument } from '../features.ts'
import { type Asked, GEOJSON } from '../request.ts'
import { FEATURE_TYPES } from './events.ts'

/** The methods that a collection's items allow. One item has its own methods. */
const ITEMS_METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS']
const ITEM_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** Returns the methods at a path, by its parts. */
export const methodsOf = ([first, id = '', part, key, ...more]: readonly string[]): readonly string[] => {
  if (first !== 'collections' || part !== 'items' || more.length > 0 || !WRITTEN.test(id)) return READ_METHODS
  return key === undefined ? ITEMS_METHODS : ITEM_METHODS
}

const WRITTEN = new RegExp(COLLECTION_ID)

/** Returns the media types of a body. A PATCH is a merge patch (RFC 7396). */
export const typesOf = (method: string): readonly string[] =>
  method === 'PATCH' ? ['application/merge-patch+json', ...FEATURE_TYPES] : FEATURE_TYPES

/** Returns the media type of a body. Programs such as OWSLib leave it out, so there is a default. */
const typeOf = (header: (name: string) => string | null, method: string): string | null => {
  // A browser must send it: else pages of other sites need no CORS preflight, and the browser adds the user's key.
  const fromBrowser = header('Origin') !== null || header('Sec-Fetch-Site') !== null
  return header('Content-Type') ?? (fromBrowser ? null : (typesOf(method)[0] ?? null))
}

/** A collection to write. `key` is the id of a feature, or null for the whole collection. */
interface Target {
  readonly own: Collection
  readonly id: string
  readonly key: string | null
  readonly find: (db: Database) => Promise<Collection>
}

/**
 * Writes to a collection, or to one of its features. It follows the rules of the list, but bodies and answers are
 * features.
 */
export const serveWrite = async (
  c: RequestContext,
  caller: Caller,
  ask: (known: Known, ...types: readonly string[]) => Asked,
  { own, id, key, find }: Target,
): Promise<Response> => {
  const { method } = c.req
  const header = (name: string) => c.req.header(name) ?? null
  if (method === 'POST' && caller.key === null)
    throw notAuthenticated(`Writing needs a key. Send the header Authorization: Bearer <key>. ${FILTER_HINT}`)
  admitWriter(caller)
  if (method !== 'DELETE') refuseOtherTypes(typeOf(header, method), typesOf(method))
  const asked = ask(
    method === 'DELETE' ? knownOf(Object.keys(own.writableIn(0).removing ?? {})) : NO_PARAMETERS,
    GEOJSON,
  )
  const { values } = asked
  const crs = uriIn(header('Content-Crs') ?? CRS84)
  const srid = attempt(values, 'Content-Crs', () => sridOf(crs), 0)
  refuseFaults(values)
  const planned = performance.now()
  const db = openDatabase(c.env.DB, { primary: true })
  try {
    const collection = await find(db)
    const context = { caller, db, links: { to: (path: string) => path }, address: c.req.url }
    const resource = { ...resourceOf(collection), writable: collection.writableIn(srid) }
    const sent = { method, header, body: async () => refuseFilter(bodyOf(c)), key, values }
    const { status, body } = await serveWriting(sent, { ...context, resource }).catch((error: unknown) => {
      // If-Match fails if there is nothing at the address (RFC 9110, 13.1.1).
      const isMissing = method === 'PUT' && error instanceof ApiError && error.status === 404
      throw isMissing && header('If-Match') !== null ? preconditionFailed() : error
    })
    c.header('Cache-Control', 'private, no-store')
    if (body === null) return c.body(null, 204)
    if ('ids' in body) return c.json(body, status)
    return await answerFeature(c, asked, { collection, id, db, level: caller.level }, status, body as Row)
  } finally {
    reportCost(c, db, caller, planned)
  }
}

const FILTER_HINT =
  'The body is a CQL2 filter, not a feature. Send a filter as `filter` with `filter-lang=cql2-json`, in the query of a GET.'
/** The longest filter, which is as long as the longest address. */
const MAX_FILTER = 16_384 // bytes

/** Throws a 400 for a CQL2 filter in place of a feature. OWSLib sends such a body. */
const refuseFilter = (body: ArrayBuffer): ArrayBuffer => {
  if (body.byteLength <= MAX_FILTER && isFilter(new TextDecoder().decode(body))) throw badRequest(FILTER_HINT)
  return body
}

const isFilter = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'op' in value && !('type' in value)
  } catch {
    return false
  }
}

/** Returns the list of a collection. The writer then answers with rows, and not with items of the list. */
const resourceOf = (collection: Collection) => ({
  ...collection.resource,
  path: `/${collection.id}/`,
  find: collection.find,
  serialize: (row: Row) => row,
})

interface Written {
  readonly collection: Collection
  readonly id: string
  readonly db: Database
  readonly level: number
}

/** Answers with a feature after its write: its current values, its address, and the entity tag that GET would send. */
const answerFeature = async (
  c: RequestContext,
  asked: Asked,
  { collection, id, db, level }: Written,
  status: 200 | 201,
  { id: key }: Row,
): Promise<Response> => {
  const address = `${asked.root}/collections/${id}/items/${key}`
  if (c.req.method === 'POST') c.header('Location', address)
  c.status(status)
  const row = await fetchItem(db, collection.resource, collection.find(String(key)), level)
  // Another request deleted or hid the feature.
  if (row === null) return c.body(null)
  const { of } = asked
  c.header('ETag', entityTag(stateOf(db), await digest([...of(address), String(level)])))
  c.header('Content-Crs', `<${CRS84}>`)
  const feature = collection.featureOf(row)
  const document = itemDocument({ ...asked, address, parameters: [] }, id, collection, feature, 0)
  return asked.answer(document, `${collection.title} ${feature.id}`)
}
