import { accessName } from '../base/access.ts'
import { invalidParameters, notFound, permissionDenied } from '../base/errors.ts'
import { PRODUCT } from '../base/product.ts'
import type { Reader, Row } from '../engine/engine.ts'
import { DATASET_FIELDS, datasetHead } from '../formats/dataset.ts'
import { DOCUMENT_FORMATS, HTML_FORMAT, isItems, JSON_FORMAT } from '../formats/formats.ts'
import { writeItem } from '../formats/items.ts'
import type { ShownView } from '../formats/shown.ts'
import { type Owner, offeredBy, type Resource } from '../lists/resource.ts'
import { eventSeriesV3, eventSeriesV4 } from '../lists/series.ts'
import type { Links } from '../model/kinds.ts'
import type { Answer } from './cache.ts'
import { jsonWriter, writeList } from './content.ts'
import { itemsHeaders } from './file.ts'
import { DOCUMENT_OFFER, EVENTS_OFFER, formatsOf, LIST_OFFER } from './offer.ts'
import { describe, describeControls, describeList } from './options.ts'
import { type Ask, inZoneAsked, LIST_PARAMETERS, parametersOf, readList, readShown } from './page.ts'
import { refuseFaults } from './parameters.ts'
import { type Query, readQuery } from './read.ts'
import { answerDocument, itemTag, respond } from './respond.ts'
import { callerAt, MERGE_PATCH, type RequestContext, setHeaders } from './route.ts'
import { itemIn, linksUnder, ownerIn, seesCost } from './session.ts'

/** Serves the address of a list: GET, HEAD, OPTIONS, and POST with the query in its body. */
export const serveList = (declared: Resource) => async (c: RequestContext) => {
  const list = offeredBy(c.env.ENGINE, declared)
  const known = { names: parametersOf(list), filters: list.filters }
  const page = { title: list.name, about: () => describeControls(list) }
  const query = readQuery(c, await callerAt(c), known, list.list === 'events' ? EVENTS_OFFER : LIST_OFFER, page)
  const { engine, caller } = query
  if (c.req.method === 'OPTIONS') {
    refuseOtherKeys(c, list)
    return answerDocument(c, query, { ...describeList(list, c.var.route?.file), reads: accessName(caller.level) })
  }
  const request = await readList(c, list, query)
  const { whole, explain, question } = request
  const isPage = whole === 'page'
  if (explain) checkExplain(c, query, isPage)
  const cost = isPage && !explain ? engine.weight(list.list, question) : 'whole'
  // A list under an item may not exist.
  const rules = { cost, explain, exists: !list.under } as const
  return respond(c, query, (reader) => answerList(c, reader, list, query, request), rules)
}

const answerList = async (
  c: RequestContext,
  reader: Reader,
  list: Resource,
  query: Query,
  request: Ask,
): Promise<Answer> => {
  const owner = await ownerIn(c, list, reader)
  const answer = await writeList(c, reader, list, owner, query, request)
  if (!request.explain) return answer
  return { ...answer, body: `{"plan":${JSON.stringify(planOf(reader))},"envelope":${answer.body}}` }
}

/** Throws a 400 or a 403 if a request cannot be explained. Plans and costs can reveal something about hidden rows. */
const checkExplain = (c: RequestContext, { caller, format }: Query, isPage: boolean): void => {
  if (!seesCost(c, caller.level))
    throw permissionDenied(
      'A plan shows costs. Use a key with the access Hidden, or set the variable SHOW_COST to true.',
    )
  if (format !== JSON_FORMAT) throw invalidParameters({ explain: ['A plan is written in JSON. Add format=json.'] })
  if (!isPage) throw invalidParameters({ explain: ['A plan belongs to one page. Enter a number for page_size.'] })
}

/** The longest parameter of a statement in an explanation, in characters. A longer one is cut. */
const MAX_PARAMETER = 100

/** Returns the plan of a page, with the statements of each round trip. */
const planOf = ({ explanation }: Reader): object => {
  const short = (value: unknown) =>
    String(value).length > MAX_PARAMETER ? `${String(value).slice(0, MAX_PARAMETER)}…` : value
  const trips = explanation?.trips.map((statements) =>
    statements.map(({ sql, parameters, rowsRead, plan }) => ({
      sql: sql.replace(/\s+/g, ' '),
      parameters: parameters.map(short),
      rows_read: rowsRead,
      query_plan: plan,
    })),
  )
  return { ...explanation?.plan, trips }
}

/** Serves the address of an item: GET, HEAD and OPTIONS. `offer` has the formats of the answer. */
export const serveItem =
  (resource: Resource, offer = LIST_OFFER) =>
  async (c: RequestContext) => {
    const { itemName, description, writable } = offeredBy(c.env.ENGINE, resource)
    const about = describe(itemName, description, formatsOf(offer), writable?.items && [...writable.types, MERGE_PATCH])
    const known = { names: [...LIST_PARAMETERS, 'fields', 'locale', 'timezone'] }
    const page = { title: itemName, about: () => ({ ...about, fields: resource.controls }) }
    const query = readQuery(c, await callerAt(c), known, offer, page)
    const { format, values } = query
    const key = c.req.param('key') ?? ''
    if (c.req.method === 'OPTIONS') {
      refuseOtherKeys(c, resource, key)
      return answerDocument(c, query, about)
    }
    const shown = inZoneAsked(readShown(resource, values, format), values, format)
    const isDataset = format === HTML_FORMAT && (resource === eventSeriesV3 || resource === eventSeriesV4)
    return respond(c, query, async (reader): Promise<Answer> => {
      const owner = await ownerIn(c, resource, reader)
      const write = jsonWriter(resource, format, shown)
      const documentOf = (row: Row, links: Links): Answer => ({
        headers: {},
        body: write(row, links),
        ...(isDataset && { head: datasetHead(row, query.base, titleOf(c)) }),
      })
      const reads = isDataset ? DATASET_FIELDS : shown.view.reads
      return answerItem(c, reader, resource, owner, query, { ...shown, view: { ...shown.view, reads } }, documentOf)
    })
  }

/** Reads the item at an address, and writes it in the format of the query. `documentOf` makes the document of a row. */
export const answerItem = async (
  c: RequestContext,
  reader: Reader,
  list: Resource,
  owner: Owner | null,
  query: Query,
  shown: ShownView,
  documentOf: (row: Row, links: Links) => Answer,
): Promise<Answer> => {
  const { format } = query
  const named = c.req.param('key') ?? ''
  const { row, tag } = await itemIn(reader, list, named, shown.view.reads, owner)
  const links = linksUnder(query.links, owner)
  const answer = isItems(format) ? { headers: {}, body: writeItem(format, shown, links, row) } : documentOf(row, links)
  // An id may have zeros in front.
  const name = named.replace(/^0+(?=\d+$)/, '')
  const file = 'extension' in format ? itemsHeaders(format.extension, list, [[name, '']]) : {}
  return { ...answer, headers: { ...answer.headers, ...file }, tag: await itemTag(query, tag, answer) }
}

/** Throws a 404 if a key in the address can name no item. It reads nothing from the database. */
const refuseOtherKeys = (c: RequestContext, { under, find }: Resource, key?: string): void => {
  const parent = under?.parent
  const isParent = parent === undefined || parent.find(c.req.param(parent.key.name) ?? '') !== null
  if (!isParent || (key !== undefined && find(key) === null)) throw notFound()
}

/** The title of the page at `/`, and its description. The variables TITLE and DESCRIPTION replace them. */
export const HOME = { title: PRODUCT, description: 'Events on a map, over time, and as data.' }

export const titleOf = ({ env }: RequestContext): string => env.TITLE || HOME.title

/** The catalogues of the series and of the interfaces, see src/openapi/catalog.ts. */
export const CATALOGS = { series: '/catalog.jsonld', interfaces: '/.well-known/api-catalog' }

/** The addresses that describe the interface (RFC 8631, RFC 9727), and the series. */
const LINKS = {
  'service-desc': '/openapi.json',
  'service-doc': '/docs',
  'api-catalog': CATALOGS.interfaces,
  describedby: CATALOGS.series,
}

/**
 * Serves an address above the lists, with the name and address of each entry below it. If `isHome`, the HTML page also
 * shows an overview of the data.
 */
export const serveRoot = (entries: Readonly<Record<string, string>>, isHome: boolean) => async (c: RequestContext) => {
  const name = 'Api Root'
  const options = describe(name, 'The lists of this interface.', DOCUMENT_FORMATS)
  const description = c.env.DESCRIPTION || HOME.description
  const page = isHome
    ? { title: titleOf(c), about: () => ({ ...options, description }) }
    : { title: name, about: () => options }
  const query = readQuery(c, await callerAt(c), { names: LIST_PARAMETERS }, DOCUMENT_OFFER, page)
  if (c.req.method === 'OPTIONS') return answerDocument(c, query, options)
  refuseFaults(query.values)
  const link = Object.entries(LINKS).map(([rel, path]) => `<${query.base}${path}>; rel="${rel}"`)
  setHeaders(c, { 'Cache-Control': query.cacheControl, Link: link.join(', ') })
  const addresses = Object.entries(entries).map(([entry, path]) => [entry, query.links.to(path)])
  return answerDocument(c, query, Object.fromEntries(addresses))
}
