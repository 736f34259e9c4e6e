import { Context, type MiddlewareHandler } from 'hono'
import type { RequestIdVariables } from 'hono/request-id'
import { detail } from '../base/errors.ts'
import type { SendEnd } from '../base/transfers.ts'
import type { Cost, OnRead } from '../engine/engine.ts'
import { type FileFormat, mediaType } from '../formats/downloads.ts'
import type { Resource } from '../lists/resource.ts'
import { type Caller, callerOf } from './caller.ts'
import type { Bound } from './env.ts'
import { type Parameter, parseQuery } from './query.ts'

/** This header holds a bookmark of D1. It names the state of the data that a client has seen. */
export const BOOKMARK = 'X-D1-Bookmark'

/** A part of the service spells what all its addresses take and answer. */
export interface Spelling {
  /** The names of the parameters for the format, the order and the size of a slice. */
  readonly words: Readonly<Record<'format' | 'order' | 'slice', string>>
  /** The parameters, besides filters, that take a comma list. */
  readonly lists: readonly string[]
  /** Returns the parameters of an address as they are read. */
  readonly sentAs: (parameters: readonly Parameter[]) => readonly Parameter[]
  /** The media type of an error in JSON, and its body. */
  readonly errorType: string
  readonly errorOf: (status: number, body: Readonly<Record<string, unknown>>) => object
  /** True if a bookmark makes the answer one client's own. */
  readonly takesBookmarks: boolean
}

/** Lists have this surface, and addresses without a route have it too. */
const API: Spelling = {
  words: { format: 'format', order: 'ordering', slice: 'page_size' },
  lists: ['facets', 'fields', 'statistics'],
  sentAs: (parameters) => parameters,
  errorType: 'application/json',
  errorOf: (_, body) => body,
  takesBookmarks: true,
}

export interface Route {
  /** The pattern of its path, as Hono reads it. */
  readonly path: string
  readonly methods: readonly string[]
  readonly serve: (c: RequestContext) => Response | Promise<Response>
  /** Serves writes. Absent: `serve` serves all requests. */
  readonly write?: Route['serve']
  /** The media type of a query in a body. Absent: a form. */
  readonly query?: string
  /** The format that the end of its path names. Absent: the request names it. */
  readonly file?: FileFormat
  /** A path that redirects here. It differs by a slash at its end. */
  readonly alias?: string
  /** The list at this address. If a query is wrong, a browser shows the list's form. */
  readonly list?: Resource
  /** Absent: that of lists. */
  readonly surface?: Spelling
}

/** Each stage of a request adds its part. The log line and the header `Server-Timing` show it. */
interface Trace {
  caller?: Caller
  /** The names of the parameters in the address and in the body. */
  parameters?: readonly string[]
  /** The kind and key of the item that is written, or the number of items. */
  wrote?: { readonly kind: string; readonly item?: string; readonly items?: number }
  cost?: Cost
  /** The cache that had the answer: `isolate`, or `hit` for the data centre. Absent: the Worker asked no cache. */
  cache?: 'isolate' | 'hit' | 'miss'
  /** The seconds since the state of the answer was read, if the database failed. */
  age?: number
  /** The request was read at the first time, and its data at the second one, in milliseconds on the clock of the start. */
  asked?: number
  read?: number
  /** Nobody knows the length of the body in advance. */
  isStream?: boolean
  /** Resolves at the end of a stream, and says how it ended. */
  sent?: Promise<SendEnd>
}

/** The limits give it to each request that they admit. */
interface Admission {
  /** Renews the turns of the request before and after each round trip, and charges the client for it. */
  readonly onSend: (deadline: number) => void
  readonly onRead: OnRead
  /** The body of the request, for an address and a caller that may send one. */
  body?: ArrayBuffer
  /** Counts the bytes of a large answer until it is sent. Throws a 503 if too many wait for clients. */
  readonly hold: (caller: Caller, bytes: number) => { readonly end: () => void }
  /** Counts a stream before its first read, and returns how to read it. Throws a 503 as above. */
  readonly openStream: (caller: Caller) => BatchTiming
}

export interface BatchTiming {
  readonly inTurn: <T>(read: () => Promise<T>) => Promise<T>
  /** Returns the most rows of the next batch. It depends on how many streams are open. */
  readonly batchRows: () => number
}

interface Variables extends RequestIdVariables {
  route?: Route
  trace: Trace
  admission: Admission
}

export interface App {
  Bindings: Bound
  Variables: Variables
}
export type RequestContext = Context<App>

/** Tells the stages before the handler which route serves a request. If several match its path, it is the first one. */
export const noteRoute =
  (route: Route): MiddlewareHandler<App> =>
  (c, next) => {
    if (c.var.route === undefined) c.set('route', { ...route, methods: methodsIn(c, route) })
    return next()
  }

const WRITES = ['PUT', 'PATCH', 'DELETE']

/** Returns the methods of a route. Without writes, POST takes only a query. */
export const methodsIn = ({ env }: RequestContext, { methods }: Route): readonly string[] =>
  env.ENGINE.takesWrites ? methods : methods.filter((method) => !WRITES.includes(method))

const ONLY_READS =
  'This service only reads its database, so it takes no writes. Change the data in the database itself.'

/** Returns the handler of a route. Throws a 405 for another method. */
export const handlerOf =
  (route: Route) =>
  (c: RequestContext): Response | Promise<Response> => {
    const { serve, write = serve } = route
    const [methods, { method }] = [methodsIn(c, route), c.req]
    const isRefused = isWrite(c) && !c.env.ENGINE.takesWrites
    if (isRefused && route.methods.includes(method)) throw detail(405, ONLY_READS)
    if (!methods.includes(method))
      throw detail(405, `Method "${method}" not allowed. Use one of ${methods.join(', ')}.`)
    return isWrite(c) ? write(c) : serve(c)
  }

/** The media type of a query in the body of a POST. */
export const FORM = 'application/x-www-form-urlencoded'

/** The media type of a merge patch (RFC 7396). */
export const MERGE_PATCH = 'application/merge-patch+json'

/** Returns true for a request that writes. A posted body of the type `query` is a query. */
export const writes = (method: string, contentType: string | null, query = FORM): boolean =>
  WRITES.includes(method) || (method === 'POST' && !isOfType(contentType, [query]))

export const isOfType = (contentType: string | null, types: readonly string[]): boolean => {
  const type = mediaType(contentType ?? '').trim()
  return types.includes(type.toLowerCase())
}

/** Returns true for a request that writes. */
export const isWrite = ({ req, var: { route } }: RequestContext): boolean =>
  writes(req.method, req.header('Content-Type') ?? null, route?.query)

/** Redirects to the address with a slash at its end, or without it if there is one. */
export const redirect = (c: RequestContext, methods: readonly string[]): Response => {
  const { pathname, search } = new URL(c.req.url)
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : `${pathname}/`
  c.header('Allow', methods.join(', '))
  c.header('Cache-Control', 'no-store')
  // A client keeps method and body at a 308, but may turn a POST into a GET at a 301 (RFC 9110, 15.4.2 and 15.4.9).
  const status = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(c.req.method) ? 308 : 301
  return c.redirect(`${c.env.BASE_URL ? baseOf(c) : ''}${path}${search}`, status)
}

export const surfaceOf = (c: RequestContext): Spelling => c.var.route?.surface ?? API

/**
 * Returns the start of every address, without a slash at its end: the variable BASE_URL if set, or else scheme, host
 * and port of the request.
 */
export const baseOf = ({ env, req }: RequestContext): string =>
  env.BASE_URL?.replace(/\/+$/, '') || new URL(req.url).origin

/** Finds the caller, once for each request. Throws a 401 for a wrong key. */
export const callerAt = async (c: RequestContext): Promise<Caller> => {
  const { trace } = c.var
  trace.caller ??= await callerOf(c.req.raw.headers, c.env)
  return trace.caller
}

export const queryOf = (c: RequestContext): Parameter[] =>
  parseQuery(new TextEncoder().encode(new URL(c.req.url).search.slice(1)))

/** Returns the body of a request. `limit` has read it for every address and caller that may send one. */
export const sentBody = (c: RequestContext): ArrayBuffer => {
  const { body } = c.var.admission
  if (body === undefined) throw new Error('The body was not read.')
  return body
}

export const setHeaders = (c: RequestContext, headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
}

/** Returns the context of a read within a request. It has the turn, the caller and the line in the log of the request. */
export const contextOf = (c: RequestContext, route: Route, query: string): RequestContext => {
  const { origin } = new URL(c.req.url)
  const request = new Request(`${origin}${route.path}${query}`, { signal: c.req.raw.signal })
  const inner: RequestContext = new Context<App>(request, {
    env: c.env,
    executionCtx: c.executionCtx,
    path: route.path,
  })
  inner.set('trace', c.var.trace)
  inner.set('admission', c.var.admission)
  inner.set('route', route)
  return inner
}
