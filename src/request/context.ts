import type { Context } from 'hono'
import type { RequestIdVariables } from 'hono/request-id'
import { type Caller, callerOf } from '../caller.ts'
import type { OnRead } from '../engine/run/database.ts'
import type { Env } from '../env.ts'
import type { StreamEnd } from '../formats/stream.ts'
import type { Resource } from '../resource.ts'
import type { CacheUse } from './cache.ts'
import { type Parameter, parseQuery } from './query.ts'
import type { BatchTiming, Timing } from './timing.ts'

/** The rules of a part of the service, for all its addresses. */
export interface PartRules {
  /** The media type of an error in JSON, and its body. */
  readonly errorType: string
  readonly errorOf: (status: number, body: Readonly<Record<string, unknown>>) => object
  /** True if a posted form is a query. */
  readonly takesForms: boolean
  /** True if `Prefer` and a bookmark make the answer one client's own. */
  readonly takesPreferences: boolean
}

/** The rules of lists, and of addresses without a route. */
export const LISTS: PartRules = {
  errorType: 'application/json',
  errorOf: (_, body) => body,
  takesForms: true,
  takesPreferences: true,
}

/** An address of the service. */
export interface Route {
  /** The pattern of its path, as Hono reads it. */
  readonly path: string
  readonly methods: readonly string[]
  /** Serves a request with one of these methods. */
  readonly serve: (c: RequestContext) => Response | Promise<Response>
  /** A path that redirects here. It differs by a slash at its end. */
  readonly alias?: string
  /** The list at this address. If a query is wrong, a browser shows the list's form. */
  readonly list?: Resource
  /** Absent: the rules are those of lists. */
  readonly surface?: PartRules
}

/** Values that one stage of a request sets for the next. */
interface Variables extends RequestIdVariables {
  /** The address that serves the request. It is absent if no route has the path. */
  route?: Route
  /** The cost of the request. It is absent if nothing was read. */
  timing?: Timing
  /** The caller, and the names of its parameters. It is absent if the request was refused before. */
  asked?: { readonly caller: Caller; readonly parameters: readonly string[] }
  /** Whether the edge cache served the request. It is absent if the Worker did not use the cache. */
  cacheUse?: CacheUse
  /** Charges the client for each round trip. It is absent if the request is free. */
  onRead?: OnRead
  /** The body of the request, for an address and a caller that may send one. */
  body?: ArrayBuffer
  /** Counts a stream before its first read, and returns how to read it. Throws a 503 if there are too many. */
  openStream: () => BatchTiming
  /** True if the body of GET is a stream. Nobody knows its length in advance. */
  streamed?: boolean
  /** Resolves at the end of a stream, and says how it ended. */
  sent?: Promise<StreamEnd>
}

/** The types of the app, and of one request to it. */
export interface App {
  Bindings: Env
  Variables: Variables
}
export type RequestContext = Context<App>

/** This header holds a bookmark of D1. It names the state of the data that a client has seen. */
export const BOOKMARK = 'X-D1-Bookmark'

export const surfaceOf = (c: RequestContext): PartRules => c.get('route')?.surface ?? LISTS

/** Finds the caller. Throws a 401 for a wrong key. */
export const callerAt = (c: RequestContext): Promise<Caller> => callerOf(c.req.raw.headers, c.env)

/** Returns the parameters of the address. */
export const queryOf = (c: RequestContext): Parameter[] =>
  parseQuery(new TextEncoder().encode(new URL(c.req.url).search.slice(1)))

/** Returns the body of a request. `throttle` has read it for every address and caller that may send one. */
export const bodyOf = (c: RequestContext): ArrayBuffer => {
  const body = c.get('body')
  if (body === undefined) throw new Error('The body was not read.')
  return body
}

/** Sets headers of the answer. */
export const setHeaders = (c: RequestContext, headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
}
