import { accessName } from '../access.ts'
import { fetchItem } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { invalidParameters, notFound, permissionDenied } from '../errors.ts'
import { type LonLat, placeOf } from '../filters/near.ts'
import { measuring, showing } from '../formats/fields.ts'
import { DOCUMENT_FORMATS, type Format, isItems, JSON_FORMAT, LIST_FORMATS, readsFlat } from '../formats/formats.ts'
import { isRead, readFor } from '../formats/items.ts'
import type { Resource } from '../resource.ts'
import { type Answer, costOf } from './cache.ts'
import { explained, fetchList, headOf, listBody, pageHeaders, shownItem, tooLongToShow } from './content.ts'
import { fileParts, itemsHeaders } from './file.ts'
import { DOCUMENT_OFFER, LIST_OFFER } from './offer.ts'
import { describe, describeControls, describeList } from './options.ts'
import {
  FIELDS,
  LIST_PARAMETERS,
  type ListRequest,
  LOCALE,
  narrowed,
  parametersOf,
  readFields,
  readListRequest,
} from './page.ts'
import { knownOf, refuseFaults, textIn } from './parameters.ts'
import { requestKeyOf, sealOf } from './query.ts'
import { type Query, readQuery } from './read.ts'
import { type AnswerRules, answerDocument, itemTag, respond } from './respond.ts'
import { callerAt, type RequestContext, setHeaders } from './route.ts'
import { seesCost } from './session.ts'
import { none, type Preconditions, tagsOnly } from './validators.ts'

/** Serves the address of a list: GET, HEAD, OPTIONS, and POST with the query in its body. */
export const serveList = (resource: Resource) => async (c: RequestContext) => {
  const query = readQuery(c, await callerAt(c), {
    known: knownOf(parametersOf(resource), resource.filters, [FIELDS]),
    offer: LIST_OFFER,
    takesForm: true,
    title: resource.name,
    about: () => describeControls(resource),
  })
  if (c.req.method === 'OPTIONS') {
    refuseOtherKeys(c, resource)
    const about = describeList(resource, c.get('route')?.file)
    return answerDocument(c, query, { ...about, reads: accessName(query.caller.level) })
  }
  const request = await readList(c, resource, query)
  return respond(c, query, (db) => writeList(c, resource, query, request, db), rulesOf(resource, query, request))
}

/** A request for a list, and how its items are shown. */
interface ShownRequest extends ListRequest {
  /** The position from which items show their distance. Null: they show none. */
  readonly near: LonLat | null
  /** The members that the client chooses. Null: all. */
  readonly fields: ReadonlySet<string> | null
  /** Identifies the request for its cursors. */
  readonly key: string
}

/** Plans a request for a list. Throws one 400 for all bad parameters. */
const readList = async (
  c: RequestContext,
  resource: Resource,
  { caller: { level }, values, format, parameters }: Query,
): Promise<ShownRequest> => {
  const near = values.texts.has('near') ? placeOf(textIn(values, 'near')) : null
  const fields = readFields(near === null ? resource : measuring(resource, near), values, format)
  const key = await requestKeyOf(resource.under === undefined ? resource.path : c.req.path, parameters, level)
  const request = await readListRequest(resource, values, key, isItems(format), sealOf(c.env))
  if (request.explain) checkExplain(c, level, format, request.all)
  return { ...request, near, fields, key }
}

const rulesOf = (
  { under }: Resource,
  { pageInBody }: Query,
  { all, page, cursor, conditions, pageSize, explain }: ListRequest,
): AnswerRules => {
  const cost = all ? 'whole' : costOf(conditions, pageSize, page === 1 || cursor !== null)
  // A list under an item may not exist, and a client could invent its entity tag.
  const early = under || explain ? none : page === 1 ? (sent: Preconditions) => sent : tagsOnly
  return { cost, explain, early, more: pageInBody ? 'page' : '' }
}

/** Reads the items of a list, and writes them in the format of the query. */
const writeList = async (
  c: RequestContext,
  resource: Resource,
  { caller, format, links, values, address, linked, pageInBody }: Query,
  request: ShownRequest,
  db: Database,
): Promise<Answer> => {
  const { level } = caller
  const list = await listShowing(c, resource, db, level, request.fields, request.near)
  const reading = request.all && c.req.method !== 'HEAD' ? c.get('openStream')(caller) : null
  const found = await fetchList(db, readFor(list, readsFlat(format)), narrowed(list, request), level, reading)
  const isWhole = isRead(found.rows) && isRead(found.included?.rows ?? [])
  if (!isWhole && !isItems(format) && format !== JSON_FORMAT) throw tooLongToShow('page_size')
  c.set('streamed', request.all && found.page.rows.length < found.page.count)
  const from = { address, parameters: linked, pageInBody, requestKey: request.key, seal: sealOf(c.env) }
  const head = await headOf(found.page, from)
  const file = isItems(format) && itemsHeaders(format, list, await fileParts(c, db, list, values))
  const written = listBody(format, list, links, found, head)
  const body = request.explain ? explained(db, written.body) : written.body
  return { headers: { ...pageHeaders(head), ...file }, ...written, body }
}

/** Throws a 400 or a 403 if a request cannot be explained. Plans and costs can reveal something about hidden rows. */
const checkExplain = (c: RequestContext, level: number, format: Format, all: boolean): void => {
  if (!seesCost(c, level))
    throw permissionDenied(
      'A plan shows costs. Use a key with the access Hidden, or set the variable SHOW_COST to true.',
    )
  if (format !== JSON_FORMAT) throw invalidParameters({ explain: ['A plan is written in JSON. Add format=json.'] })
  if (all) throw invalidParameters({ explain: ['A plan belongs to one page. Enter a number for page_size.'] })
}

/** Serves the address of an item. */
export const serveItem = (resource: Resource) => async (c: RequestContext) => {
  const caller = await callerAt(c)
  const { itemName, description, writable } = resource
  const about = describe(itemName, description, LIST_FORMATS, writable?.items && writable.types)
  const shown = () => ({ ...about, fields: resource.controls })
  const known = knownOf([...LIST_PARAMETERS, FIELDS, LOCALE], undefined, [FIELDS])
  const asked = readQuery(c, caller, { known, offer: LIST_OFFER, title: itemName, about: shown })
  const key = c.req.param('key') ?? ''
  if (c.req.method === 'OPTIONS') {
    refuseOtherKeys(c, resource, key)
    return answerDocument(c, asked, about)
  }
  const { format, links, values } = asked
  const fields = readFields(resource, values, format)
  const fetch = async (db: Database): Promise<Answer> => {
    const list = await listShowing(c, resource, db, caller.level, fields)
    const row = await fetchItem(db, readFor(list, readsFlat(format)), list.find(key), caller.level)
    if (row === null) throw notFound()
    const isFile = isItems(format)
    const body = isFile ? format.item(list, links, row) : shownItem(format, list, links, row)
    const headers = isFile ? itemsHeaders(format, list, [[key, '']]) : {}
    return { headers, body, tag: await itemTag(asked, row, { body }) }
  }
  return respond(c, asked, fetch)
}

/** Returns the list at an address, with the members that the client chooses. Null: all. `near` adds the distance. */
const listShowing = async (
  c: RequestContext,
  resource: Resource,
  db: Database,
  level: number,
  fields: ReadonlySet<string> | null,
  near: LonLat | null = null,
): Promise<Resource> => {
  const found = await listUnder(c, resource, db, level)
  const list = near === null ? found : measuring(found, near)
  return fields === null ? list : showing(list, fields)
}

/** Throws a 404 if a key in the address can name no item. It reads nothing from the database. */
const refuseOtherKeys = (c: RequestContext, { under, find }: Resource, key?: string): void => {
  const parent = under?.parent
  const isParent = parent === undefined || parent.find(c.req.param(parent.key.name) ?? '') !== null
  if (!isParent || (key !== undefined && find(key) === null)) throw notFound()
}

/** The title of the page at `/`, and its description. The variables TITLE and DESCRIPTION replace them. */
const HOME = { title: 'Events', description: 'Events on a map, over time, and as data.' }

/**
 * Serves an address above the lists, with the name and address of each entry below it. If `isHome`, the HTML page also
 * shows an overview of the data.
 */
export const serveRoot = (entries: Readonly<Record<string, string>>, isHome: boolean) => async (c: RequestContext) => {
  const caller = await callerAt(c)
  const name = 'Api Root'
  const options = describe(name, 'The lists of this interface.', DOCUMENT_FORMATS)
  const home = { title: c.env.TITLE || HOME.title, description: c.env.DESCRIPTION || HOME.description }
  const about = () => (isHome ? { ...options, description: home.description } : options)
  const title = isHome ? home.title : name
  const asked = readQuery(c, caller, { known: knownOf(LIST_PARAMETERS), offer: DOCUMENT_OFFER, title, about })
  if (c.req.method === 'OPTIONS') return answerDocument(c, asked, options)
  refuseFaults(asked.values)
  // The description of the interface, for programs and for people (RFC 8631).
  const link = `<${asked.base}/openapi.json>; rel="service-desc", <${asked.base}/docs>; rel="service-doc"`
  setHeaders(c, { 'Cache-Control': asked.cacheControl, Link: link })
  const addresses = Object.entries(entries).map(([entry, path]) => [entry, asked.links.to(path)])
  return answerDocument(c, asked, Object.fromEntries(addresses))
}

/**
 * Returns the list at an address. It may belong to an item of another list: throws a 404 if the caller does not see
 * that item.
 */
export const listUnder = async (
  c: RequestContext,
  resource: Resource,
  db: Database,
  level: number,
): Promise<Resource> => {
  const { under } = resource
  if (under === undefined) return resource
  const { parent, of } = under
  const row = await fetchItem(db, parent, parent.find(c.req.param(parent.key.name) ?? ''), level)
  if (row === null) throw notFound()
  return of(row)
}
