import { ApiError, badRequest, orUndefined, preconditionFailed } from '../base/errors.ts'
import type { FoundItem, Row } from '../engine/engine.ts'
import type { Caller } from '../http/caller.ts'
import { attempt, refuseFaults } from '../http/parameters.ts'
import { identityOf, type Query, refuseOtherTypes } from '../http/read.ts'
import { answerDocument, itemTag } from '../http/respond.ts'
import type { RequestContext } from '../http/route.ts'
import { keyUnder, withDatabase } from '../http/session.ts'
import { admitWriter, store } from '../http/write.ts'
import { isObject } from '../model/kinds.ts'
import type { Answered } from '../store/idempotency.ts'
import { type Collection, featuresOf, typesOf } from './collection.ts'
import { CRS84, sridOf } from './crs.ts'
import { itemDocument, ROOT } from './links.ts'
import { FEATURE, findCollection, readOgcQuery } from './request.ts'

/** Returns the media type of a body. Programs such as OWSLib leave it out, so there is a default. */
const typeOf = (header: (name: string) => string | null, method: string): string | null => {
  // A browser must send it: else pages of other sites need no CORS preflight, and the browser adds the user's key.
  const fromBrowser = header('Origin') !== null || header('Sec-Fetch-Site') !== null
  return header('Content-Type') ?? (fromBrowser ? null : (typesOf(method)[0] ?? null))
}

/**
 * Writes to a collection, or to one of its features. It follows the rules of the list, but bodies and answers are
 * features.
 */
export const serveFeatureWrite = async (
  c: RequestContext,
  caller: Caller,
  id: string,
  own: Collection,
): Promise<Response> => {
  const { method } = c.req
  const header = (name: string) => c.req.header(name) ?? null
  admitWriter(caller, method === 'POST' ? FILTER_HINT : '')
  if (method !== 'DELETE') refuseOtherTypes(typeOf(header, method), typesOf(method))
  const { removing = {} } = own.writableIn(0)
  const query = readOgcQuery(c, caller, FEATURE, method === 'DELETE' ? Object.keys(removing) : [])
  // The header has the URI in angle brackets (Part 2).
  const crs = (header('Content-Crs') ?? CRS84).replace(/^\s*<|>\s*$/g, '')
  const srid = attempt(query.values, 'Content-Crs', () => sridOf(crs), 0)
  refuseFaults(query.values)
  return withDatabase(c, caller, async (db, reader) => {
    const find = () => findCollection(id, own, reader)
    const collection = await find()
    const { owner, view, list, filters } = collection
    const target = {
      ...{ list, find: collection.find, owner, reads: view.reads, path: `/${collection.id}/` },
      writable: collection.writableIn(srid, method),
      // The writer answers with rows, and not with items of the list.
      show: (row: Row) => row,
    }
    const context = { target, filters, db, merges: true, links: { to: (path: string) => path }, address: c.req.url }
    const written = await store(c, query, context, refuseFilter).catch((error: unknown) => {
      // If-Match fails if there is nothing at the address (RFC 9110, 13.1.1).
      const isMissing = method === 'PUT' && error instanceof ApiError && error.status === 404
      throw isMissing && header('If-Match') !== null ? preconditionFailed() : error
    })
    if (written === null) return c.body(null, 204)
    const { status, body } = written
    if ('ids' in body) return c.json(body, status)
    const { id: stored, widened } = body as Row // the target shows rows
    const address = `${query.base}${ROOT}/collections/${collection.id}/items/${stored}`
    if (method === 'POST') c.header('Location', address)
    const key = keyUnder(collection.find(String(stored)), owner)
    const item = key && (await reader.item(list, key, { fields: view.reads }))
    // Another request deleted or hid the feature.
    if (item === null) return c.body(null, status)
    // The feature may have a new column.
    const told = widened === undefined ? {} : { widened }
    return answerFeature(c, { ...query, address }, await find(), item, status, told)
  })
}

/** Answers with a feature: its current values, its address, and the entity tag that GET would send. */
const answerFeature = async (
  c: RequestContext,
  query: Query,
  collection: Collection,
  { row, tag }: FoundItem,
  status: Answered['status'],
  told: object,
): Promise<Response> => {
  const feature = featuresOf(collection, collection.view)(row)
  const document = itemDocument({ ...query, linked: [] }, collection, feature, 0)
  const title = `${collection.title} ${feature.id}`
  const identity = identityOf(c, [query.address, ''], query.format)
  const etag = await itemTag({ ...query, identity }, tag, { body: document, title })
  if (etag !== undefined) c.header('ETag', etag)
  c.header('Content-Crs', `<${CRS84}>`)
  return answerDocument(c, query, { ...document, ...told }, title, status)
}

const FILTER_HINT = 'Send a CQL2 filter as `filter` with `filter-lang=cql2-json`, by GET or as a form.'
/** The longest filter, which is as long as the longest address. */
const MAX_FILTER = 16_384 // bytes

/** Throws a 400 for a CQL2 filter in place of a feature. OWSLib sends such a body. */
const refuseFilter = (body: ArrayBuffer): ArrayBuffer => {
  if (body.byteLength > MAX_FILTER) return body
  const value = orUndefined((): unknown => JSON.parse(new TextDecoder().decode(body)))
  if (isObject(value) && 'op' in value && !('type' in value)) throw badRequest(FILTER_HINT)
  return body
}
