import { is, sql, Table } from 'drizzle-orm'
import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import { type RequestIdVariables, requestId } from 'hono/request-id'
import { routePath } from 'hono/route'
import { version } from '../package.json'
import * as tables from '../schema/tables.ts'
import { ROOTS, SUMMARIES } from './api/versions.ts'
import { compress, withLength } from './encoding.ts'
import type { Env } from './env.ts'
import { ApiError, addressTooLong, beingLoaded, methodNotAllowed, notFound, unavailable } from './errors.ts'
import { errorFormat, JSON_FORMAT } from './formats/formats.ts'
import { pagePolicy } from './formats/html.ts'
import type { StreamEnd } from './formats/stream.ts'
import { lineOf, namesOf } from './log.ts'
import { isOgc, routeAtOgc } from './ogc/addresses.ts'
import { PROBLEM, problemOf } from './ogc/problem.ts'
import { OGC_NAMES, serveOgc } from './ogc/serve.ts'
import { serveText } from './openapi/serve.ts'
import { openDatabase } from './query/db/d1.ts'
import { serveItem, serveList, serveRoot } from './request/endpoint.ts'
import { allowedHeaders, exposedHeaders } from './request/headers.ts'
import { baseOf, prefixOf } from './request/links.ts'
import { describeControls, methodsOfItem, methodsOfList } from './request/options.ts'
import { formatQuery, parseQuery } from './request/query.ts'
import { serveSummary } from './request/summary.ts'
import { serverTiming, type Variables } from './request/timing.ts'
import { secondsOf, varyOf } from './request/validators.ts'
import { serveWrites } from './request/write.ts'
import { refuseEncoded } from './request/writing.ts'
import { HEALTH_METHODS, isSummary, LISTS, listAt, methodsAt, TEXTS } from './routes.ts'
import { secure } from './security.ts'
import { throttle } from './throttle.ts'

const app = new Hono<{ Bindings: Env; Variables: Variables & RequestIdVariables }>()

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
const idOf = (c: Context): string => {
  const sent = c.req.header('X-Request-Id') ?? ''
  return UUID.test(sent) ? sent : (c.req.header('CF-Ray') ?? crypto.randomUUID())
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Writes one log line for each request. The line has no query, because a query may hold private values. */
app.use(requestId({ limitLength: 0, generator: idOf }), async (c, next) => {
  const started = performance.now()
  await next()
  const timing = c.get('timing')
  if (timing?.open) c.header('Server-Timing', serverTiming(started, performance.now(), timing))
  const log = (sent?: StreamEnd) => {
    const place = c.req.raw.cf?.colo as string | undefined
    const { method } = c.req
    const request = { id: c.get('requestId'), version: versionOf(c.env), place, method, route: routeOf(c) }
    const times = { started, ended: performance.now(), timing, ...(sent && { sent }) }
    console.log(lineOf({ ...request, status: c.res.status, asked: c.get('asked'), error: c.error, ...times }, NAMES))
  }
  const sent = c.get('sent')
  // The cost of a stream is known at its end. `waitUntil` lets the Worker run until then, even if the client leaves.
  if (sent === undefined) log()
  else c.executionCtx.waitUntil(sent.then(log))
})

/** Returns the last route that matches. A summary's path also matches the route of items, so it is tested first. */
const routeOf = (c: Context): string =>
  isOgc(c.req.path) ? routeAtOgc(c.req.path) : isSummary(c.req.path) ? c.req.path : routePath(c, -1)

const versionOf = ({ CF_VERSION_METADATA }: Env): string => CF_VERSION_METADATA?.id ?? version

/** The page for a browser loads its own scripts and styles. All other answers may load nothing. */
app.use(async (c, next) => {
  await secure(c, next)
  if (c.res.headers.get('Content-Type')?.startsWith('text/html'))
    c.header('Content-Security-Policy', pagePolicy(c.env.MAP_STYLE))
  // A 304 would replace the policy that the browser has stored with the page.
  if (c.res.status === 304) c.header('Content-Security-Policy', undefined)
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
  const allow = methodsAt(new URL(c.req.url).pathname)
  if (allow !== null) c.header('Allow', allow.join(', '))
  if (isTooLong(c.req.url)) throw addressTooLong(MAX_ADDRESS, !isOgc(c.req.path))
  refuseEncoded(c.req.method, c.req.header('Content-Encoding') ?? null)
  return next()
})

app.use(throttle)

const NOT_STORED = { 'Cache-Control': 'no-store' }

/** Answers while the Worker runs. */
app.get('/healthz', (c) => c.json({ status: 'ok' }, 200, NOT_STORED))

/** Fails if a table is missing. */
const isMigrated = sql`SELECT 1 FROM ${sql.join(
  Object.values(tables).flatMap((table) => (is(table, Table) ? [sql`${table}`] : [])),
  sql`, `,
)} LIMIT 0`

/** Returns a row while a first bulk load has dropped the indexes of the events. */
const isLoading = sql`SELECT 1 FROM ${tables.suspendedIndexes} LIMIT 1`

/** Answers if the database answers, is migrated and is not being loaded. */
app.get('/readyz', async (c) => {
  const planned = performance.now()
  const db = openDatabase(c.env.DB, { cheap: true, onRead: c.get('onRead') })
  try {
    const [, [load] = []] = await db.read(isMigrated, isLoading).catch((error: unknown) => {
      if (error instanceof ApiError) throw error
      // A table is missing: the database is not migrated yet.
      console.error(error)
      throw unavailable()
    })
    if (load !== undefined) throw beingLoaded()
    const revision = db.state()?.revision ?? 0
    return c.json({ status: 'ready', revision, version: versionOf(c.env) }, 200, NOT_STORED)
  } finally {
    c.set('timing', { cost: db.cost, kept: 'none', planned, paged: performance.now(), open: false })
  }
})

app.on('ALL', ['/healthz', '/readyz'], (c) => {
  throw methodNotAllowed(c.req.method, HEALTH_METHODS.join(', '))
})

for (const [path, entries] of Object.entries(ROOTS)) app.all(path, serveRoot('Api Root', entries, path === '/'))
// Register summaries first: the route of items also matches their paths. No item has such a key.
for (const summary of SUMMARIES) app.all(summary.path, serveSummary(summary))
for (const resource of LISTS) {
  app.all(resource.path, serveWrites(resource, methodsOfList(resource)), serveList(resource))
  app.all(`${resource.path}:key/`, serveWrites(resource, methodsOfItem(resource)), serveItem(resource))
}
for (const [path, text] of Object.entries(TEXTS)) app.all(path, serveText(text))
app.all('/ogc/*', serveOgc(version))

app.notFound((c) => {
  const { pathname, search } = new URL(c.req.url)
  // Only texts have no slash at the end.
  const bare = pathname.replace(/\/$/, '')
  const path = Object.hasOwn(TEXTS, bare) ? bare : `${pathname}/`
  const allow = methodsAt(path)
  if (allow === null) throw notFound()
  c.header('Allow', allow.join(', '))
  c.header('Cache-Control', 'no-store')
  // A client keeps method and body at a 308, but may turn a POST into a GET at a 301 (RFC 9110, 15.4.2 and 15.4.9).
  const base = c.env.BASE_URL ? baseOf(new URL(c.req.url), c.env.BASE_URL) : ''
  return c.redirect(`${base}${path}${search}`, ['POST', 'PUT', 'PATCH', 'DELETE'].includes(c.req.method) ? 308 : 301)
})

app.onError((error, c) => {
  if (!(error instanceof ApiError)) console.error(error)
  const { status, body, headers } =
    error instanceof ApiError
      ? error
      : new ApiError(500, { detail: 'The service failed. Its log has the error. Try again later.' })
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  c.header('Cache-Control', 'no-store')
  const format = errorFormat(c.req.header('Sec-Fetch-Dest'), c.req.query('format'))
  const isProblem = isOgc(c.req.path)
  c.header('Content-Type', isProblem && format === JSON_FORMAT ? PROBLEM : format.contentType)
  const { method, url } = c.req
  const prefix = prefixOf(baseOf(new URL(url), c.env.BASE_URL))
  // For a wrong query or page number, a browser shows the list's form, to correct the values there.
  const list = [400, 404].includes(status) && method === 'GET' ? listAt(c.req.path) : undefined
  const about = list && { title: list.name, about: () => describeControls(list) }
  const context = {
    title: `Error ${status}`,
    method,
    url,
    status,
    headers: c.res.headers,
    prefix,
    mapStyle: c.env.MAP_STYLE,
    ...about,
  }
  return c.body(format.render(isProblem ? problemOf(status, body) : body, context), status as 400)
})

export default app
