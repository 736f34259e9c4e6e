import type { Context } from 'hono'
import { type Caller, callerOf, mayBeShared } from '../caller.ts'
import type { Env } from '../env.ts'
import { methodNotAllowed, notFound } from '../errors.ts'
import { type Format, isFlat, isItems, JSON_FORMAT, LIST_FORMATS } from '../formats/formats.ts'
import type { Database } from '../query/db/d1.ts'
import { fetchItem } from '../query/read.ts'
import type { Links, Resource } from '../resource.ts'
import type { Cacheable, Content } from './cache.ts'
import { baseOf, linksOf, prefixOf } from './links.ts'
import { readFormat } from './negotiate.ts'
import { FORM } from './options.ts'
import { isWhole } from './page.ts'
import { type Known, read, type Values, valuesOf } from './parameters.ts'
import { formatQuery, type Parameter, parseQuery, partsOf } from './query.ts'
import type { Variables } from './timing.ts'
import { cacheControl, secondsOf, wantsNoCache } from './validators.ts'
import { answerVersion } from './version.ts'
import { refuseOtherTypes } from './writing.ts'

export type RequestContext = Context<{ Bindings: Env; Variables: Variables }>

/**
 * Returns the list at an address. It may belong to an item of another list: throws a 404 if the caller does not see
 * that item.
 */
export const listAt = async (c: RequestContext, resource: Resource, db: Database, level: number): Promise<Resource> => {
  const { under } = resource
  if (under === undefined) return resource
  const { parent, of } = under
  const row = await fetchItem(db, parent, parent.find(c.req.param(parent.key.name) ?? ''), level)
  if (row === null) throw notFound()
  return of(row)
}

/** Throws a 404 if a key in the address can name no item. It reads nothing from the database. */
export const refuseOtherKeys = (c: RequestContext, { under, find }: Resource, key?: string): void => {
  const parent = under?.parent
  const isParent = parent === undefined || parent.find(c.req.param(parent.key.name) ?? '') !== null
  if (!isParent || (key !== undefined && find(key) === null)) throw notFound()
}

/** Finds the caller. Throws a 405 for a method that the address does not allow, and a 401 for a wrong key. */
export const admit = (c: RequestContext, methods: readonly string[]): Promise<Caller> => {
  const allow = methods.join(', ')
  c.header('Allow', allow)
  if (!methods.includes(c.req.method)) throw methodNotAllowed(c.req.method, allow)
  return callerOf(c.req.raw.headers, c.env)
}

/** The parts of a request that every address needs. */
export interface Request {
  readonly caller: Caller
  readonly values: Values
  /** Identifies the answer, together with the state of the data and the level of the caller. */
  readonly identity: readonly (string | Uint8Array)[]
  /** The absolute address of the request, without the query. */
  readonly address: string
  readonly links: Links
  /** The header Cache-Control of the answer. */
  readonly cacheControl: string
  readonly format: Format
  /** Answers with a document, or with its JSON as a text. Writes JSON if the format is only for lists and items. */
  readonly answer: (body: object | string, status?: 200 | 201) => Response
  /** Answers with content that was read. */
  readonly send: (content: Content) => Response
}

export const readRequest = (
  c: RequestContext,
  caller: Caller,
  title: string,
  parameters: readonly Parameter[],
  known: Known,
  about: () => object,
  offered: readonly Format[] = LIST_FORMATS,
): Request => {
  c.set('asked', { caller, parameters: parameters.map(({ name }) => name) })
  // A DELETE is never lenient. An ignored parameter might be the filter that protects an item.
  const lenient = c.req.method !== 'DELETE' && LENIENT.test(c.req.header('Prefer') ?? '')
  if (lenient) c.header('Preference-Applied', 'handling=lenient')
  const values = valuesOf(parameters, known, lenient)
  const format = readFormat(values, c.req.header('Accept') ?? null, offered)
  const url = new URL(c.req.url)
  const base = baseOf(url, c.env.BASE_URL)
  const answer = (body: object | string, status: 200 | 201 = 200) => {
    const { contentType, render } = isItems(format) ? JSON_FORMAT : format
    c.header('Content-Type', contentType)
    const asked = { title, method: c.req.method, url: c.req.url, status }
    return c.body(
      render(body, { ...asked, about, headers: c.res.headers, prefix: prefixOf(base), mapStyle: c.env.MAP_STYLE }),
      status,
    )
  }
  const send = ({ headers, body }: Content) => {
    setHeaders(c, headers)
    if (body instanceof ReadableStream) return c.body(body)
    return typeof body === 'string' && isItems(format) ? c.body(body) : answer(body)
  }
  const carried = isFlat(format) ? null : read(values, 'format', (name) => name, null)
  const address = `${base}${url.pathname}`
  // A posted query may be long, so its parameters stay in bytes.
  const asked =
    c.req.method === 'POST'
      ? ['POST', address, formatQuery(queryOf(c)), ...partsOf(parameters)]
      : [address, formatQuery(parameters)]
  const identity = [...asked, format.contentType, String(lenient), answerVersion(c.env) ?? '']
  const own = caller.key !== null || c.req.method === 'POST' || lenient || c.req.header(BOOKMARK) !== undefined
  // Some shared caches ignore the host, and none has room for a whole result.
  const shared = mayBeShared(caller, c.env) && !isWhole(values)
  const cachePolicy = cacheControl(own, secondsOf(c.env), shared)
  const links = linksOf(base, carried)
  return { caller, values, identity, address, links, cacheControl: cachePolicy, format, answer, send }
}

/** Sets headers of the answer. */
export const setHeaders = (c: RequestContext, headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
}

const LENIENT = /(^|,)\s*handling\s*=\s*"?lenient"?\s*(;|,|$)/i

export const queryOf = (c: RequestContext): Parameter[] =>
  parseQuery(new TextEncoder().encode(new URL(c.req.url).search.slice(1)))

/**
 * Reads the parameters of the address, and of the body of a posted query. A page or a format in the address replaces
 * that in the body, so that a client can post one body for several pages and formats.
 */
export const readQuery = async (c: RequestContext) => {
  const inUrl = queryOf(c)
  if (c.req.method !== 'POST') return { parameters: inUrl, inUrl, pageInBody: false }
  refuseOtherTypes(c.req.header('Content-Type') ?? null, [FORM])
  const inBody = parseQuery(new Uint8Array(bodyOf(c)))
  const isInUrl = (name: string) => inUrl.some((each) => each.name === name)
  const replaced = [...(isInUrl('page') ? ['page', 'hint'] : []), ...(isInUrl('format') ? ['format'] : [])]
  const others = inBody.filter(({ name }) => !replaced.includes(name))
  return { parameters: [...inUrl, ...others], inUrl, pageInBody: inBody.some(({ name }) => name === 'page') }
}

/** Returns the body of a request. `throttle` has read it for every address and caller that may send one. */
export const bodyOf = (c: RequestContext): ArrayBuffer => {
  const body = c.get('body')
  if (body === undefined) throw new Error('The body was not read.')
  return body
}

/** This header holds a bookmark of D1. It names the state of the data that a client has seen. */
export const BOOKMARK = 'X-D1-Bookmark'

/**
 * Returns how the edge cache stores the answer to a request. `more` also identifies the answer. It is null if the
 * client wants no cached answer, or if the version of the code is unknown.
 */
export const cacheableOf = (
  c: RequestContext,
  { caller: { level }, identity }: Pick<Request, 'caller' | 'identity'>,
  more: readonly string[] = [],
): Cacheable | null => {
  if (answerVersion(c.env) === null || wantsNoCache(c.req.raw.headers)) return null
  return {
    origin: new URL(c.req.url).origin,
    level,
    identity: [...identity, ...more],
    later: (promise) => c.executionCtx.waitUntil(promise),
    tell: (kept) => c.set('kept', kept),
  }
}
