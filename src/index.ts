import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import { routePath } from 'hono/route'
import { secureHeaders } from 'hono/secure-headers'
import { getPath } from 'hono/utils/url'
import { events } from './api/events.ts'
import { LISTS } from './api/versions.ts'
import { clientOf } from './caller.ts'
import { compress, withLength } from './encoding.ts'
import { ApiError, addressTooLong, notFound } from './errors.ts'
import { errorFormat, JSON_FORMAT } from './formats/formats.ts'
import { originsIn, pagePolicy } from './formats/policy.ts'
import { limit } from './limits.ts'
import { clientName, lineOf, namesOf, serverTiming } from './log.ts'
import { ROOT } from './ogc/request.ts'
import { OGC_NAMES, OGC_ROUTES } from './ogc/routes.ts'
import { allowedHeaders, exposedHeaders } from './request/headers.ts'
import { describeControls } from './request/options.ts'
import { formatQuery, parseQuery, sealOf } from './request/query.ts'
import { refuseEncoded, versionOf } from './request/read.ts'
import { writeDocument } from './request/respond.ts'
import {
  type App,
  about,
  baseOf,
  handlerOf,
  isWrite,
  type RequestContext,
  redirect,
  surfaceOf,
} from './request/route.ts'
import { secondsOf, varyOf } from './request/validators.ts'
import { API_ROUTES, FILE_ROUTES, HEALTH_ROUTES, TEXT_ROUTES } from './routes.ts'
import type { SendEnd } from './transfers.ts'

/** Returns the path of a request. An address of /ogc may have more slashes, also at its end. */
const pathOf = (request: Request): string => {
  const path = getPath(request)
  return path.startsWith(`${ROOT}/`) ? path.replace(/\/+/g, '/').replace(/\/$/, '') : path
}

const app = new Hono<App>({ getPath: pathOf })

const allowOrigins = cors({
  origin: '*',
  allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  allowHeaders: allowedHeaders,
  exposeHeaders: exposedHeaders,
  maxAge: 86_400,
})

const NAMES = namesOf(LISTS, OGC_NAMES)

/**
 * Accepts a client's request id only if it is a uuid. Any other text could imitate the id of another request in the
 * log.
 */
const idOf = (c: RequestContext): string => {
  const sent = c.req.header('X-Request-Id') ?? ''
  return UUID.test(sent) ? sent : (c.req.header('CF-Ray') ?? crypto.randomUUID())
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

const ROUTES = [...HEALTH_ROUTES, ...API_ROUTES, ...FILE_ROUTES, ...TEXT_ROUTES, ...OGC_ROUTES]
for (const route of ROUTES) app.all(route.path, about(route))

/** Writes one log line for each request. The line has no query, because a query may hold private values. */
app.use(requestId({ limitLength: 0, generator: idOf }), async (c, next) => {
  const started = performance.now()
  await next()
  const timing = c.get('timing')
  if (timing?.open) c.header('Server-Timing', serverTiming(started, performance.now(), timing))
  const address = isWrite(c) ? clientOf(c.req.header('CF-Connecting-IP') ?? null) : null
  const client = address === null ? undefined : await clientName(address, sealOf(c.env), new Date())
  const log = (sent?: SendEnd) => {
    const place = c.req.raw.cf?.colo as string | undefined // Cloudflare sets it
    const { method } = c.req
    const route = c.get('route')?.path.replace(/\{.*?\}/g, '') ?? routePath(c, -1)
    const request = {
      id: c.get('requestId'),
      version: versionOf(c.env),
      place,
      method,
      route,
      client,
      ...c.get('wrote'),
    }
    const times = { started, ended: performance.now(), timing, ...(sent && { sent }) }
    console.log(lineOf({ ...request, status: c.res.status, asked: c.get('asked'), error: c.error, ...times }, NAMES))
  }
  const sent = c.get('sent')
  // The cost of a stream is known at its end. `waitUntil` lets the Worker run until then, even if the client leaves.
  if (sent === undefined) log()
  else c.executionCtx.waitUntil(sent.then(log))
})

/**
 * The security headers of every answer. They forbid scripts and frames, and make browsers trust the media type. Any
 * page may embed an answer, because anyone may fetch it.
 */
const secure = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: 'cross-origin',
  xFrameOptions: 'DENY',
  // Half a year, and for this host only: its subdomains may be other services.
  strictTransportSecurity: 'max-age=15552000',
})

/** The page for a browser loads its own scripts and styles. The sites in FRAME_ANCESTORS may frame lists of events. */
app.use(async (c, next) => {
  await secure(c, next)
  const isEvents = c.get('route')?.list?.table === events.table
  const framers = isEvents ? originsIn(c.env.FRAME_ANCESTORS) : []
  const isPage = c.res.headers.get('Content-Type')?.startsWith('text/html')
  // A 304 would replace the policy that the browser has stored with the page.
  const isStored = c.res.status === 304
  if (isPage || isStored)
    c.header('Content-Security-Policy', isStored ? undefined : pagePolicy(c.env.MAP_STYLE, framers))
  // This older header cannot name sites.
  if ((isPage || isStored) && framers.length > 0) c.header('X-Frame-Options', undefined)
})

app.use(async (c, next) => {
  await next()
  compress(c.res, c.req.raw)
  if (c.req.method === 'HEAD' && c.get('streamed') !== true) c.res = await withLength(c.res)
})

app.use(async (c, next) => {
  c.header('Vary', varyOf(secondsOf(c.env)))
  const describes = c.req.method === 'OPTIONS' && c.req.header('Access-Control-Request-Method') === undefined
  if (!describes) return allowOrigins(c, next)
  c.header('Access-Control-Allow-Origin', '*')
  return next()
})

const MAX_ADDRESS = 16_384
/** The characters that `page` and `hint` add to an address, at most. */
const TURN = 160

/** Returns true if an address, or that of its next page, is longer than Cloudflare accepts. */
const isTooLong = (address: string): boolean => {
  if (3 * address.length + TURN <= MAX_ADDRESS) return false
  if (address.length > MAX_ADDRESS) return true
  const { search } = new URL(address)
  const written = formatQuery(parseQuery(new TextEncoder().encode(search.slice(1))))
  return Math.max(address.length, address.length - search.length + written.length + TURN) > MAX_ADDRESS
}

app.use(async (c, next) => {
  const allow = c.get('route')?.methods
  if (allow !== undefined) c.header('Allow', allow.join(', '))
  if (isTooLong(c.req.url)) throw addressTooLong(MAX_ADDRESS, surfaceOf(c).takesForms)
  refuseEncoded(c.req.method, c.req.header('Content-Encoding') ?? null)
  return next()
})

app.use(limit)

for (const route of ROUTES) app.all(route.path, handlerOf(route))
for (const { alias, methods } of ROUTES) if (alias !== undefined) app.all(alias, (c) => redirect(c, methods))

app.notFound(() => {
  throw notFound()
})

/** The headers of a large answer. It may be refused after they are set. */
const OF_ANSWER = [
  'Content-Crs',
  'Content-Disposition',
  'ETag',
  'Last-Modified',
  'Link',
  'OGC-NumberMatched',
  'X-Total-Count',
]

app.onError((error, c) => {
  if (!(error instanceof ApiError)) console.error(error)
  const { status, body, headers, codes } =
    error instanceof ApiError
      ? error
      : new ApiError(500, { detail: 'The service failed. Its log has the error. Try again later.' })
  if (status === 503) for (const name of OF_ANSWER) c.header(name, undefined)
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  c.header('Cache-Control', 'no-store')
  const { errorType, errorOf } = surfaceOf(c)
  const format = errorFormat(c.req.raw.headers, c.get('route')?.file ?? c.req.query('format'))
  const shown = format === JSON_FORMAT ? { ...format, contentType: errorType } : format
  // For a wrong query or page number, a browser shows the list's form, to correct the values there.
  const list = [400, 404].includes(status) && c.req.method === 'GET' ? c.get('route')?.list : undefined
  const page = {
    title: list?.name ?? `Error ${status}`,
    faults: codes,
    ...(list && { about: () => describeControls(list) }),
  }
  return c.body(writeDocument(c, shown, baseOf(c), errorOf(status, body), page, status), status as 400)
})

export default app
