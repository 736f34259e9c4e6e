import type { Context } from 'hono'
import { type Caller, identify } from '../caller.ts'
import type { Env } from '../env.ts'
import { methodNotAllowed, notAuthenticated, notFound, notImplemented, permissionDenied } from '../errors.ts'
import { openDatabase } from './database.ts'
import { envelopeOf } from './envelope.ts'
import { chooseFormat } from './formats.ts'
import { baseOf, type Links, linksOf } from './links.ts'
import { describe, describeList } from './options.ts'
import { fetchItem, fetchPage } from './page.ts'
import { checkParameters, makePlan } from './plan.ts'
import { type Parameter, parseQuery } from './query.ts'
import type { Resource } from './resource.ts'

type RequestContext = Context<{ Bindings: Env }>

const LIST_METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS']
const READ_METHODS = ['GET', 'HEAD', 'OPTIONS']
const FORM = 'application/x-www-form-urlencoded'

/** Answers at a list's address: GET, HEAD, OPTIONS, and POST with the query in its body. */
export const serveList = (resource: Resource) => async (c: RequestContext) => {
  const request = await readRequest(c, resource.name, LIST_METHODS)
  if (c.req.method === 'OPTIONS') return request.answer(describeList(resource))
  const { parameters, inBody } = await readQuery(c, request)
  const plan = makePlan(resource, parameters, request.lenient)
  const page = await fetchPage(openDatabase(c.env.DB), resource, plan, request.caller.level)
  const envelope = envelopeOf(resource, page, request.links, {
    address: request.address,
    parameters: request.parameters,
    pageInBody: inBody.some(({ name }) => name === 'page'),
  })
  const related = [link(envelope.next, 'next'), link(envelope.previous, 'prev')].filter((text) => text !== null)
  if (related.length > 0) c.header('Link', related.join(', '))
  return request.answer(envelope)
}

/** Answers at the address of one item of a list. */
export const serveItem = (resource: Resource) => async (c: RequestContext) => {
  const request = await readRequest(c, resource.itemName, READ_METHODS)
  if (c.req.method === 'OPTIONS') return request.answer(describe(resource.itemName, resource.description))
  checkParameters(request.parameters, request.lenient)
  const row = await fetchItem(openDatabase(c.env.DB), resource, c.req.param('key') ?? '', request.caller.level)
  if (row === null) throw notFound()
  return request.answer(resource.serialize(row, request.links))
}

/** Answers at an address above the lists: a name and an address for each of what is below. */
export const serveRoot = (name: string, entries: Readonly<Record<string, string>>) => async (c: RequestContext) => {
  const request = await readRequest(c, name, READ_METHODS)
  if (c.req.method === 'OPTIONS') return request.answer(describe(name, 'The lists there are.'))
  checkParameters(request.parameters, request.lenient)
  return request.answer(
    Object.fromEntries(Object.entries(entries).map(([entry, path]) => [entry, request.links.to(path)])),
  )
}

/** A request, read up to what every address needs. */
interface Request {
  readonly caller: Caller
  /** Of the query string; a posted query has more in its body. */
  readonly parameters: readonly Parameter[]
  readonly lenient: boolean
  /** Its own absolute address, without the query. */
  readonly address: string
  readonly links: Links
  readonly answer: (body: object) => Response
}

const readRequest = async (c: RequestContext, title: string, methods: readonly string[]): Promise<Request> => {
  const { method, url: href } = c.req
  const allow = methods.join(', ')
  c.header('Allow', allow)
  if (!methods.includes(method)) throw methodNotAllowed(method, allow)
  const caller = await identify(c.req.header('Authorization') ?? null, c.env)
  const url = new URL(href)
  const parameters = parseQuery(url.search.slice(1))
  const lenient = /(^|,)\s*handling\s*=\s*"?lenient"?\s*(;|,|$)/i.test(c.req.header('Prefer') ?? '')
  if (lenient) c.header('Preference-Applied', 'handling=lenient')
  const formatName = lastValue(parameters, 'format')
  const format = chooseFormat(formatName, c.req.header('Accept') ?? null)
  const base = baseOf(url, c.env.BASE_URL)
  const answer = (body: object) => {
    c.header('Content-Type', format.contentType)
    return c.body(format.render(body, { title, method, url: href, status: 200 }))
  }
  return { caller, parameters, lenient, address: `${base}${url.pathname}`, links: linksOf(base, formatName), answer }
}

/** The parameters of the address and, of a posted query, those of the body. Only a form is a query. */
const readQuery = async (c: RequestContext, { parameters, caller }: Request) => {
  if (c.req.method !== 'POST') return { parameters, inBody: [] }
  const [contentType = ''] = (c.req.header('Content-Type') ?? '').split(';')
  if (contentType.trim().toLowerCase() !== FORM) refuseWriting(caller)
  const inBody = parseQuery(await c.req.text())
  const paged = parameters.some(({ name }) => name === 'page')
  return { parameters: [...parameters, ...(paged ? inBody.filter(({ name }) => name !== 'page') : inBody)], inBody }
}

const refuseWriting = ({ key }: Caller) => {
  if (key === null) throw notAuthenticated('Writing needs a key: send Authorization: Bearer <key>.')
  if (!key.write) throw permissionDenied('This key only reads. Writing needs a key that writes.')
  throw notImplemented(`Writing is not there yet. To send a long query, post it as ${FORM}.`)
}

const lastValue = (parameters: readonly Parameter[], name: string): string | null => {
  const bytes = parameters.findLast((parameter) => parameter.name === name)?.bytes
  return bytes === undefined || bytes.length === 0 ? null : new TextDecoder().decode(bytes)
}

const link = (address: string | null, relation: string) => (address === null ? null : `<${address}>; rel="${relation}"`)
