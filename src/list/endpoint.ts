import type { Context } from 'hono'
import { ACCESS_LEVELS } from '../access.ts'
import { type Caller, identify } from '../caller.ts'
import type { Env } from '../env.ts'
import { methodNotAllowed, notFound, preconditionFailed } from '../errors.ts'
import { type Database, openDatabase } from '../query/db/d1.ts'
import { fetchItem } from '../query/read.ts'
import { fetchList, itemsHeaders, listBody, listHeaders } from './answer.ts'
import { addressesOf, envelopeOf } from './envelope.ts'
import { DOCUMENT_FORMATS, type Format, isItems, JSON_FORMAT, LIST_FORMATS, readFormat } from './formats.ts'
import { baseOf, describedBy, type Links, linksOf, prefixOf } from './links.ts'
import { describe, describeControls, describeList, FORM, LIST_METHODS, methodsOfItem, READ_METHODS } from './options.ts'
import { read, refuseFaults, type Values, valuesOf } from './parameters.ts'
import { isWhole, LIST_PARAMETERS, makePlan } from './plan.ts'
import { digest, formatQuery, keysOf, type Parameter, parseQuery } from './query.ts'
import type { Resource } from './resource.ts'
import type { Variables } from './timing.ts'
import {
  cacheControl,
  entityTag,
  isAnew,
  isKnown,
  isWanted,
  lastModified,
  none,
  type Preconditions,
  preconditionsOf,
  secondsOf,
  stateOf,
  tagsOnly,
} from './validators.ts'
import { refuseOtherTypes } from './writing.ts'

export type RequestContext = Context<{ Bindings: Env; Variables: Variables }>

/** Answers at a list's address: GET, HEAD, OPTIONS, and POST with the query in its body. */
export const serveList = (resource: Resource) => async (c: RequestContext) => {
  const caller = await admit(c, LIST_METHODS)
  const { parameters, inUrl, pageInBody } = await readQuery(c)
  const known = [...LIST_PARAMETERS, ...resource.filters.keys()]
  const request = readRequest(c, caller, resource.name, parameters, known, () => describeControls(resource))
  if (c.req.method === 'OPTIONS') return request.answer(describeList(resource))
  const keys = await keysOf(resource.path, parameters, caller.level)
  const plan = makePlan(resource, request.values, keys, isItems(request.format), isAnew(c.req.raw.headers))
  const early = plan.page === 1 ? (sent: Preconditions) => sent : tagsOnly
  const head = c.req.method === 'HEAD'
  const found = await readUnlessKnown(c, request, early, (db) => fetchList(db, resource, plan, caller.level, head))
  if (found === null) return c.body(null, 304)
  const from = { address: request.address, parameters: inUrl, pageInBody, requestKey: keys.request }
  const addresses = addressesOf(found.page, from)
  const { format, links } = request
  say(c, listHeaders(format, resource, found.page, addresses))
  if (!isItems(format)) return request.answer(envelopeOf(resource, found.page, links, addresses))
  if (head) return c.body(null)
  const { body, sent } = listBody(format, resource, links, found, addresses)
  c.set('sent', sent)
  return c.body(body)
}

/** Answers at the address of one item of a list. */
export const serveItem = (resource: Resource) => async (c: RequestContext) => {
  const caller = await admit(c, methodsOfItem(resource))
  const about = describe(resource.itemName, resource.description, LIST_FORMATS, resource.writable?.types)
  const request = readRequest(c, caller, resource.itemName, queryOf(c), LIST_PARAMETERS, () => about)
  if (c.req.method === 'OPTIONS') return request.answer(about)
  refuseFaults(request.values)
  const named = resource.find(c.req.param('key') ?? '')
  const row = await readUnlessKnown(c, request, none, async (db) => {
    const found = await fetchItem(db, resource, named, caller.level)
    if (found === null) throw notFound()
    return found
  })
  if (row === null) return c.body(null, 304)
  const { format, links } = request
  if (!isItems(format)) return request.answer(resource.serialize(row, links))
  say(c, itemsHeaders(format, resource))
  return c.body(format.item(resource, links, row))
}

/** Answers at an address above the lists: a name and an address for each of what is below. */
export const serveRoot = (name: string, entries: Readonly<Record<string, string>>) => async (c: RequestContext) => {
  const caller = await admit(c, READ_METHODS)
  const about = describe(name, 'The lists there are.', DOCUMENT_FORMATS)
  const request = readRequest(c, caller, name, queryOf(c), LIST_PARAMETERS, () => about, DOCUMENT_FORMATS)
  if (c.req.method === 'OPTIONS') return request.answer(about)
  refuseFaults(request.values)
  c.header('Cache-Control', request.cacheControl)
  c.header('Link', describedBy(baseOf(new URL(c.req.url), c.env.BASE_URL)))
  return request.answer(
    Object.fromEntries(Object.entries(entries).map(([entry, path]) => [entry, request.links.to(path)])),
  )
}

/** Who asks. Throws a 405 for a method that the address does not take, a 401 for a wrong key. */
export const admit = (c: RequestContext, methods: readonly string[]): Promise<Caller> => {
  const allow = methods.join(', ')
  c.header('Allow', allow)
  if (!methods.includes(c.req.method)) throw methodNotAllowed(c.req.method, allow)
  return identify(c.req.header('Authorization') ?? null, c.env)
}

/** A request, read up to what every address needs. */
interface Request {
  readonly caller: Caller
  readonly values: Values
  /** What sets its answer apart from those to others, but for the data and the level of the caller. */
  readonly identity: readonly string[]
  /** Its own absolute address, without the query. */
  readonly address: string
  readonly links: Links
  /** How long its answer may be kept, and by whom. */
  readonly cacheControl: string
  readonly format: Format
  /** Writes what is no list and no item, as JSON where the format only writes these. */
  readonly answer: (body: object, status?: 200 | 201) => Response
}

export const readRequest = (
  c: RequestContext,
  caller: Caller,
  title: string,
  parameters: readonly Parameter[],
  known: readonly string[],
  about: () => object,
  offered: readonly Format[] = LIST_FORMATS,
): Request => {
  c.set('asked', { caller, parameters: parameters.map(({ name }) => name) })
  const lenient = LENIENT.test(c.req.header('Prefer') ?? '')
  if (lenient) c.header('Preference-Applied', 'handling=lenient')
  const values = valuesOf(parameters, known, lenient)
  const format = readFormat(values, c.req.header('Accept') ?? null, offered)
  const url = new URL(c.req.url)
  const base = baseOf(url, c.env.BASE_URL)
  const answer = (body: object, status: 200 | 201 = 200) => {
    const { contentType, render } = isItems(format) ? JSON_FORMAT : format
    c.header('Content-Type', contentType)
    const asked = { title, method: c.req.method, url: c.req.url, status }
    return c.body(render(body, { ...asked, about, headers: c.res.headers, prefix: prefixOf(base) }), status)
  }
  const carried = read(values, 'format', (name) => name, null)
  const address = `${base}${url.pathname}`
  const version = c.env.CF_VERSION_METADATA?.id ?? ''
  const identity =
    c.req.method === 'POST' ? [] : [address, formatQuery(parameters), format.contentType, String(lenient), version]
  const own = caller.key !== null || c.req.method === 'POST' || lenient || c.req.header(BOOKMARK) !== undefined
  // Not every cache on the way tells hosts apart, and none has room for everything.
  const shared = Boolean(c.env.BASE_URL) && !isWhole(values)
  const kept = cacheControl(own, secondsOf(c.env), shared)
  return { caller, values, identity, address, links: linksOf(base, carried), cacheControl: kept, format, answer }
}

const say = (c: RequestContext, headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
}

const LENIENT = /(^|,)\s*handling\s*=\s*"?lenient"?\s*(;|,|$)/i

export const queryOf = (c: RequestContext): Parameter[] =>
  parseQuery(new TextEncoder().encode(new URL(c.req.url).search.slice(1)))

/** The parameters of the address and, of a posted query, those of the body; a page in the address overrules the body's. */
export const readQuery = async (c: RequestContext) => {
  const inUrl = queryOf(c)
  if (c.req.method !== 'POST') return { parameters: inUrl, inUrl, pageInBody: false }
  refuseOtherTypes(c.req.header('Content-Type') ?? null, [FORM])
  const inBody = parseQuery(new Uint8Array(await c.req.arrayBuffer()))
  const turned = inUrl.some(({ name }) => name === 'page')
  const kept = turned ? inBody.filter(({ name }) => name !== 'page' && name !== 'hint') : inBody
  return { parameters: [...inUrl, ...kept], inUrl, pageInBody: inBody.some(({ name }) => name === 'page') }
}

const BOOKMARK = 'X-D1-Bookmark'

/**
 * What `fetch` reads for a request, or null where the client has the answer already; a 412 where it is not the one that
 * If-Match names. Says of it of which state it is and
 * how long it may be kept. `early`: which preconditions may be looked at before the answer is read, as reading one row
 * decides; the others only count once it is known to be a success (RFC 9110, 13.2.1), so that none tells of what there is not.
 */
export const readUnlessKnown = async <T>(
  c: RequestContext,
  { caller, identity, cacheControl }: Request,
  early: (sent: Preconditions) => Preconditions,
  fetch: (db: Database) => Promise<T>,
): Promise<T | null> => {
  const planned = performance.now()
  const db = openDatabase(c.env.DB, c.req.header(BOOKMARK) ?? null)
  const key = c.req.method === 'POST' ? null : await digest([...identity, String(caller.level)])
  const isKnownBy = (sent: Preconditions) => key !== null && isKnown(stateOf(db), entityTag(stateOf(db), key), sent)
  const sent = preconditionsOf(c.req.raw.headers)
  // If-Match comes before the others, and only counts of an answer that there is.
  const first = sent.ifMatch === null ? early(sent) : none()
  try {
    if (key !== null && (first.ifNoneMatch ?? first.ifModifiedSince) !== null) await db.read()
    const answer = isKnownBy(first) ? null : await fetch(db)
    if (key !== null && !isWanted(entityTag(stateOf(db), key), sent)) throw preconditionFailed()
    if (key !== null && db.state() !== null) c.header('ETag', entityTag(stateOf(db), key))
    const modified = lastModified(stateOf(db), Date.now())
    if (modified !== null) c.header('Last-Modified', modified)
    c.header('Cache-Control', cacheControl)
    return isKnownBy(sent) ? null : answer
  } finally {
    tellCost(c, db, caller, planned)
  }
}

/** Says what a request took that was understood at `planned`, and where to read on. */
export const tellCost = (c: RequestContext, db: Database, { level }: Caller, planned: number): void => {
  const bookmark = db.bookmark()
  if (bookmark !== null) c.header(BOOKMARK, bookmark)
  const open = c.env.SHOW_COST === 'true' || level >= ACCESS_LEVELS.Hidden
  c.set('timing', { cost: db.cost, planned, paged: performance.now(), open })
}
