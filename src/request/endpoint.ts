import { ACCESS_LEVELS, accessName } from '../access.ts'
import type { Caller } from '../caller.ts'
import { notFound, preconditionFailed } from '../errors.ts'
import { DOCUMENT_FORMATS, isFlat, isItems, JSON_FORMAT, LIST_FORMATS } from '../formats/formats.ts'
import { readFor } from '../formats/items.ts'
import { type Database, openDatabase } from '../query/db/d1.ts'
import { fetchItem } from '../query/read.ts'
import type { Resource } from '../resource.ts'
import { askedOf, fetchList, itemsHeaders, listBody, listHeaders, tooLongToShow } from './answer.ts'
import { type Content, isCheap, throughCache, worthCaching } from './cache.ts'
import {
  admit,
  BOOKMARK,
  cacheableOf,
  listAt,
  queryOf,
  type Request,
  type RequestContext,
  readQuery,
  readRequest,
  refuseOtherKeys,
  setHeaders,
} from './context.ts'
import { addressesOf, envelopeOf } from './envelope.ts'
import { baseOf, describedBy } from './links.ts'
import { describe, describeControls, describeList, methodsOfItem, methodsOfList, READ_METHODS } from './options.ts'
import { LIST_PARAMETERS, narrowed, parametersOf, readListRequest } from './page.ts'
import { knownOf, refuseFaults } from './parameters.ts'
import { digest, keysOf } from './query.ts'
import { sealOf } from './seal.ts'
import {
  entityTag,
  isKnown,
  lastModified,
  none,
  type Preconditions,
  passesIfMatch,
  preconditionsOf,
  stateOf,
  tagsOnly,
  wantsNoCache,
} from './validators.ts'

/** Serves the address of a list: GET, HEAD, OPTIONS, and POST with the query in its body. */
export const serveList = (resource: Resource) => async (c: RequestContext) => {
  const caller = await admit(c, methodsOfList(resource))
  const { parameters, inUrl, pageInBody } = await readQuery(c)
  const known = knownOf(parametersOf(resource), resource.filters)
  const request = readRequest(c, caller, resource.name, parameters, known, () => describeControls(resource))
  if (c.req.method === 'OPTIONS') {
    refuseOtherKeys(c, resource)
    return request.answer({ ...describeList(resource), reads: accessName(caller.level) })
  }
  const path = resource.under === undefined ? resource.path : c.req.path
  const keys = await keysOf(path, parameters, caller.level)
  const seal = sealOf(c.env)
  const noCache = wantsNoCache(c.req.raw.headers)
  const listRequest = await readListRequest(resource, request.values, keys, isItems(request.format), seal, noCache)
  // A list under an item may not exist, and a client could invent its entity tag.
  const early = resource.under ? none : listRequest.page === 1 ? (sent: Preconditions) => sent : tagsOnly
  const head = c.req.method === 'HEAD'
  c.set('streamed', listRequest.whole)
  const from = { address: request.address, parameters: inUrl, pageInBody, requestKey: keys.request, seal }
  const { format, links } = request
  const fetch = async (db: Database): Promise<Content> => {
    const list = await listAt(c, resource, db, caller.level)
    const reading = listRequest.whole && !head ? c.get('openStream')() : null
    const found = await fetchList(db, readFor(list, isFlat(format)), narrowed(list, listRequest), caller.level, reading)
    const addresses = await addressesOf(found.page, from)
    const headers = listHeaders(format, list, found.page, addresses, askedOf(list, request.values))
    if (!isItems(format) && found.rest === null) return { headers, body: envelopeOf(list, found, links, addresses) }
    if (!isItems(format) && format !== JSON_FORMAT)
      throw tooLongToShow(found.page.rows.length, found.bytesLeft ?? 0, 'page_size')
    const { body, sent } = listBody(format, list, links, found, addresses)
    // Nothing reads the stream of a HEAD request to its end.
    if (!head) c.set('sent', sent)
    return { headers: { 'Content-Type': JSON_FORMAT.contentType, ...headers }, body }
  }
  const { whole, page, cursor, conditions, pageSize } = listRequest
  const cheap = !whole && (page === 1 || cursor !== null) && isCheap(conditions, pageSize)
  const keepable = whole || cheap ? null : cacheableOf(c, request, [String(pageInBody)])
  const cached = throughCache(keepable, worthCaching(conditions, pageSize), fetch)
  const content = await answerConditionally(c, request, early, cached, cheap)
  return content === null ? c.body(null, 304) : request.send(content)
}

/** Serves the address of an item. */
export const serveItem = (resource: Resource) => async (c: RequestContext) => {
  const caller = await admit(c, methodsOfItem(resource))
  const { items, types } = resource.writable
  const about = describe(resource.itemName, resource.description, LIST_FORMATS, items && types)
  const request = readRequest(c, caller, resource.itemName, queryOf(c), knownOf(LIST_PARAMETERS), () => about)
  const key = c.req.param('key') ?? ''
  if (c.req.method === 'OPTIONS') {
    refuseOtherKeys(c, resource, key)
    return request.answer(about)
  }
  refuseFaults(request.values)
  const fetch = async (db: Database) => {
    const list = await listAt(c, resource, db, caller.level)
    const row = await fetchItem(db, readFor(list, isFlat(request.format)), list.find(key), caller.level)
    if (row === null) throw notFound()
    return { list, row }
  }
  const found = await answerConditionally(c, request, none, fetch, true)
  if (found === null) return c.body(null, 304)
  const { list, row } = found
  const { format, links } = request
  if (!isItems(format)) return request.answer(list.serialize(row, links))
  setHeaders(c, itemsHeaders(format, list, [[key, '']]))
  return c.body(format.item(list, links, row))
}

/** The title of the page at `/`, and its description. The variables TITLE and DESCRIPTION replace them. */
const HOME = { title: 'Events', description: 'Events on a map, over time, and as data.' }

/**
 * Serves an address above the lists, with the name and address of each entry below it. If `isHome`, the HTML page also
 * shows an overview of the data.
 */
export const serveRoot =
  (name: string, entries: Readonly<Record<string, string>>, isHome = false) =>
  async (c: RequestContext) => {
    const caller = await admit(c, READ_METHODS)
    const about = describe(name, 'The lists of this interface.', DOCUMENT_FORMATS)
    const title = isHome ? c.env.TITLE || HOME.title : name
    const shown = () => (isHome ? { ...about, description: c.env.DESCRIPTION || HOME.description } : about)
    const request = readRequest(c, caller, title, queryOf(c), knownOf(LIST_PARAMETERS), shown, DOCUMENT_FORMATS)
    if (c.req.method === 'OPTIONS') return request.answer(about)
    refuseFaults(request.values)
    c.header('Cache-Control', request.cacheControl)
    c.header('Link', describedBy(baseOf(new URL(c.req.url), c.env.BASE_URL)))
    return request.answer(
      Object.fromEntries(Object.entries(entries).map(([entry, path]) => [entry, request.links.to(path)])),
    )
  }

/**
 * Reads an answer with `fetch`, and sets its validators and Cache-Control. Null: the client already has the answer.
 * Throws a 412 if If-Match names another. `early` selects the preconditions to check before the read. For `cheap` see
 * `Options` in src/query/db/d1.ts.
 */
export const answerConditionally = async <T>(
  c: RequestContext,
  { caller, identity, cacheControl }: Pick<Request, 'caller' | 'identity' | 'cacheControl'>,
  early: (sent: Preconditions) => Preconditions,
  fetch: (db: Database) => Promise<T>,
  cheap = false,
): Promise<T | null> => {
  const planned = performance.now()
  const db = openDatabase(c.env.DB, { bookmark: c.req.header(BOOKMARK) ?? null, cheap, onRead: c.get('onRead') })
  const key = c.req.method === 'POST' ? null : await digest([...identity, String(caller.level)])
  const isKnownBy = (sent: Preconditions) => key !== null && isKnown(stateOf(db), entityTag(stateOf(db), key), sent)
  const sent = preconditionsOf(c.req.raw.headers)
  // Preconditions count only for a success (RFC 9110, 13.2.1), so a 304 reveals nothing that the caller may not see. A
  // check before the read costs one row. If-Match comes first, and needs the answer.
  const first = sent.ifMatch === null ? early(sent) : none()
  try {
    if (key !== null && (first.ifNoneMatch ?? first.ifModifiedSince) !== null) await db.read()
    const answer = isKnownBy(first) ? null : await fetch(db)
    if (key !== null && !passesIfMatch(entityTag(stateOf(db), key), sent)) throw preconditionFailed()
    if (key !== null && db.state() !== null) c.header('ETag', entityTag(stateOf(db), key))
    const modified = lastModified(stateOf(db), Date.now())
    if (modified !== null) c.header('Last-Modified', modified)
    c.header('Cache-Control', cacheControl)
    return isKnownBy(sent) ? null : answer
  } finally {
    reportCost(c, db, caller, planned)
  }
}

/** Reports the cost of a request, and the bookmark for the next one. `planned` is the end of its planning stage. */
export const reportCost = (c: RequestContext, db: Database, { level }: Caller, planned: number): void => {
  const bookmark = db.bookmark()
  if (bookmark !== null) c.header(BOOKMARK, bookmark)
  const open = c.env.SHOW_COST === 'true' || level >= ACCESS_LEVELS.Hidden
  c.set('timing', { cost: db.cost, kept: c.get('kept') ?? 'none', planned, paged: performance.now(), open })
}
