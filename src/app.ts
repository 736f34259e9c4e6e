import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { getPath } from 'hono/utils/url'
import { ApiError, detail, notFound } from './base/errors.ts'
import type { Engine } from './engine/engine.ts'
import { DOWNLOADS, FEED, mediaType } from './formats/downloads.ts'
import { JSON_FORMAT } from './formats/formats.ts'
import { originsIn, pagePolicy } from './formats/html.ts'
import { MVT } from './formats/mvt.ts'
import type { Env } from './http/env.ts'
import { ANSWER_HEADERS, REQUEST_HEADERS } from './http/headers.ts'
import { limit } from './http/limits.ts'
import { logged } from './http/log.ts'
import { errorFormat, qualityIn } from './http/offer.ts'
import { describeControls } from './http/options.ts'
import { formatQuery, MAX_ADDRESS, parseQuery, TURN } from './http/query.ts'
import { writeDocument } from './http/respond.ts'
import {
  type App,
  baseOf,
  handlerOf,
  isOfType,
  methodsIn,
  noteRoute,
  type RequestContext,
  redirect,
  surfaceOf,
} from './http/route.ts'
import { secondsOf, varyOf } from './http/validators.ts'
import { offeredBy } from './lists/resource.ts'
import { LISTS } from './lists/versions.ts'
import { MCP_HEADERS } from './mcp/protocol.ts'
import { ROOT } from './ogc/links.ts'
import { OGC_NAMES } from './ogc/routes.ts'
import { ROUTES } from './routes.ts'

/** Returns the path of a request. An address of /ogc may have more slashes, also at its end. */
const pathOf = (request: Request): string => {
  const path = getPath(request)
  return path.startsWith(`${ROOT}/`) ? path.replace(/\/+/g, '/').replace(/\/$/, '') : path
}

const app = new Hono<App>({ getPath: pathOf })

/** The headers that pages of other origins may send, and those that they may read (CORS). */
const allowOrigins = cors({
  origin: '*',
  allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  allowHeaders: ['Accept', 'Authorization', 'Content-Type', ...MCP_HEADERS, ...Object.keys(REQUEST_HEADERS)].sort(),
  exposeHeaders: Object.keys(ANSWER_HEADERS).filter((name) => !ANSWER_HEADERS[name]?.safelisted),
  maxAge: 86_400,
})

/**
 * Accepts a client's request id only if it is a uuid. Any other text could imitate the id of another request in the
 * log.
 */
const idOf = (c: RequestContext): string => {
  const sent = c.req.header('X-Request-Id') ?? ''
  return UUID.test(sent) ? sent : (c.req.header('CF-Ray') ?? crypto.randomUUID())
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

for (const route of ROUTES) app.all(route.path, noteRoute(route))

app.use(requestId({ limitLength: 0, generator: idOf }), logged(LISTS, OGC_NAMES))

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
  // A 304 would replace the policy that the browser has stored with the page.
  const isStored = c.res.status === 304
  if (!isStored && !c.res.headers.get('Content-Type')?.startsWith('text/html')) return
  const isEvents = c.var.route?.list?.list === 'events'
  const framers = isEvents ? originsIn(c.env.FRAME_ANCESTORS) : []
  c.header('Content-Security-Policy', isStored ? undefined : pagePolicy(c.env.MAP_STYLE, framers))
  // This older header cannot name sites.
  if (framers.length > 0) c.header('X-Frame-Options', undefined)
})

/** The types that the Worker compresses. Cloudflare compresses GeoJSON by itself, as JSON and HTML. */
const PLAIN = [...Object.values({ ...DOWNLOADS, FEED }).map(({ contentType }) => mediaType(contentType)), MVT].filter(
  (type) => type !== DOWNLOADS.geojson.contentType,
)

/** Marks an answer as compressed if the client accepts gzip (RFC 9110, 12.5.3). The runtime then compresses the body. */
const compress = ({ res: { status, headers }, req }: RequestContext): void => {
  if (status !== 200 || !isOfType(headers.get('Content-Type'), PLAIN)) return
  headers.append('Vary', 'Accept-Encoding')
  // Cloudflare replaces the header Accept-Encoding, and stores the value of the client here.
  const original = req.raw.cf?.clientAcceptEncoding as string | undefined // a header is a text
  const accepted = original ?? req.header('Accept-Encoding') ?? ''
  if (qualityIn(accepted, ['gzip', '*']) > 0) headers.set('Content-Encoding', 'gzip')
}

/**
 * Adds Content-Length to an answer, because the runtime adds it for GET but not for HEAD. A compressed body has none:
 * its length is unknown in advance.
 */
const withLength = async (response: Response): Promise<Response> => {
  if ([204, 304].includes(response.status) || response.headers.has('Content-Encoding')) return response
  const body = await response.arrayBuffer()
  const measured = new Response(body, response)
  measured.headers.set('Content-Length', String(body.byteLength))
  return measured
}

app.use(async (c, next) => {
  await next()
  compress(c)
  if (c.req.method === 'HEAD' && !c.var.trace.isStream) c.res = await withLength(c.res)
})

app.use(async (c, next) => {
  c.header('Vary', varyOf(secondsOf(c.env)))
  const describes = c.req.method === 'OPTIONS' && c.req.header('Access-Control-Request-Method') === undefined
  if (!describes) return allowOrigins(c, next)
  c.header('Access-Control-Allow-Origin', '*')
  return next()
})

/** Returns true if an address, or that of its next page, is longer than Cloudflare accepts. */
const isTooLong = (address: string): boolean => {
  if (3 * address.length + TURN <= MAX_ADDRESS) return false
  if (address.length > MAX_ADDRESS) return true
  const { search } = new URL(address)
  const written = formatQuery(parseQuery(new TextEncoder().encode(search.slice(1))))
  return Math.max(address.length, address.length - search.length + written.length + TURN) > MAX_ADDRESS
}

const TOO_LONG = `The address, or the address of the next page, has more than ${MAX_ADDRESS} characters.`
const POST_IT = 'Send the query by POST, as application/x-www-form-urlencoded.'
const SHORTEN = 'Send a shorter query.'

/** Throws a 415 for a body with a content encoding, such as gzip (RFC 9110, 8.4). */
const refuseEncoded = ({ req }: RequestContext): void => {
  const encoding = req.header('Content-Encoding') ?? ''
  if (/^\s*(identity)?\s*$/i.test(encoding) || !['POST', 'PUT', 'PATCH'].includes(req.method)) return
  const advice = `This service does not accept Content-Encoding "${encoding}". Send the body without Content-Encoding.`
  throw detail(415, advice, { 'Accept-Encoding': 'identity' })
}

app.use(async (c, next) => {
  const allow = c.var.route?.methods
  if (allow !== undefined) c.header('Allow', allow.join(', '))
  if (isTooLong(c.req.url)) throw detail(414, `${TOO_LONG} ${allow?.includes('POST') ? POST_IT : SHORTEN}`)
  refuseEncoded(c)
  return next()
})

app.use(limit)

for (const route of ROUTES) app.all(route.path, handlerOf(route))
for (const route of ROUTES) if (route.alias !== undefined) app.all(route.alias, (c) => redirect(c, methodsIn(c, route)))

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
  const { errorType, errorOf, words } = surfaceOf(c)
  const format = errorFormat(c.req.raw.headers, c.var.route?.file ?? c.req.query(words.format))
  const shown = format === JSON_FORMAT ? { ...format, contentType: errorType } : format
  // For a wrong query or page number, a browser shows the list's form, to correct the values there.
  const list = [400, 404].includes(status) && ['GET', 'HEAD'].includes(c.req.method) ? c.var.route?.list : undefined
  const page = {
    title: list?.name ?? `Error ${status}`,
    faults: codes,
    ...(list && { about: () => describeControls(offeredBy(c.env.ENGINE, list)) }),
  }
  return c.body(writeDocument(c, shown, baseOf(c), errorOf(status, body), page, status), status as 400)
})

/** Serves requests with the engine of a deployment. */
export const serve = <E extends Env>(engineOf: (env: E) => Engine) => ({
  fetch: (request: Request, env: E, context: ExecutionContext): Response | Promise<Response> =>
    app.fetch(request, { ...env, ENGINE: engineOf(env) }, context),
})
