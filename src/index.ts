import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { type RequestIdVariables, requestId } from 'hono/request-id'
import { routePath } from 'hono/route'
import { secureHeaders } from 'hono/secure-headers'
import * as tables from '../schema/tables.ts'
import { observationTypesV3, observationTypesV4 } from './api/observationtypes.ts'
import { events } from './api/v3/events.ts'
import { eventSeriesV3 } from './api/v3/eventseries.ts'
import { eventSummary } from './api/v3/summary.ts'
import { eventSeriesV4 } from './api/v4/eventseries.ts'
import type { Env } from './env.ts'
import { ApiError, addressTooLong, methodNotAllowed, notFound, tooLarge, tooManyRequests } from './errors.ts'
import { LIST_METHODS, READ_METHODS, serveItem, serveList, serveRoot, type Variables } from './list/endpoint.ts'
import { errorFormat } from './list/formats.ts'
import { PAGE_POLICY } from './list/html.ts'
import { baseOf, prefixOf } from './list/links.ts'
import { formatQuery, parseQuery } from './list/query.ts'
import type { Resource } from './list/resource.ts'
import type { Sent } from './list/stream.ts'
import { type Summarised, serveSummary } from './list/summary.ts'
import { serverTiming } from './list/timing.ts'
import { openDatabase } from './page/database.ts'

const VERSIONS: Readonly<Record<string, readonly Resource[]>> = {
  '/api/v3/': [events, eventSeriesV3, observationTypesV3],
  '/api/v4/': [eventSeriesV4, observationTypesV4],
}

const SUMMARIES: readonly Summarised[] = [eventSummary]

const app = new Hono<{ Bindings: Env; Variables: Variables & RequestIdVariables }>()

const share = cors({
  origin: '*',
  allowMethods: ['GET', 'POST', 'HEAD', 'OPTIONS'],
  allowHeaders: [
    'Accept',
    'Authorization',
    'Content-Type',
    'If-Modified-Since',
    'If-None-Match',
    'Prefer',
    'X-D1-Bookmark',
  ],
  exposeHeaders: [
    'Allow',
    'Content-Disposition',
    'ETag',
    'Link',
    'Preference-Applied',
    'Retry-After',
    'Server-Timing',
    'WWW-Authenticate',
    'X-D1-Bookmark',
    'X-Request-Id',
    'X-Total-Count',
  ],
  maxAge: 86_400,
})

/** One line a request, without the query, which may hold what is nobody's business. */
app.use(requestId(), async (c, next) => {
  const [at, started] = [Date.now(), performance.now()]
  await next()
  const timing = c.get('timing')
  if (timing !== undefined) c.header('Server-Timing', serverTiming(started, performance.now(), timing))
  // The last that matches, which is that of an item also where a summary stands before it.
  const route = isSummary(c.req.path) ? c.req.path : routePath(c, -1)
  const [method, status] = [c.req.method, c.res.status]
  const log = (sent?: Sent) => {
    const { roundTrips = 0, rowsRead = 0, remembered = false } = timing?.cost ?? {}
    const asked = { id: c.get('requestId'), method, route, status, ms: Date.now() - at }
    const read = { rows_read: rowsRead, round_trips: roundTrips, cache_hit: status === 304 || remembered }
    console.log(JSON.stringify({ ...asked, ...read, sent }))
  }
  const sent = c.get('sent')
  // What a stream costs is known when it ends.
  if (sent === undefined) log()
  else void sent.then(log)
})

/** The page for people loads scripts and styles of its own, all else nothing. */
app.use(async (c, next) => {
  await next()
  if (c.res.headers.get('Content-Type')?.startsWith('text/html')) c.header('Content-Security-Policy', PAGE_POLICY)
})

app.use(
  secureHeaders({
    contentSecurityPolicy: { defaultSrc: ["'none'"], styleSrc: ["'unsafe-inline'"], frameAncestors: ["'none'"] },
    xFrameOptions: 'DENY',
    // What anyone may fetch, any page may embed.
    crossOriginResourcePolicy: 'cross-origin',
  }),
)

app.use(async (c, next) => {
  c.header('Vary', 'Accept')
  const describes = c.req.method === 'OPTIONS' && c.req.header('Access-Control-Request-Method') === undefined
  if (!describes) return share(c, next)
  c.header('Access-Control-Allow-Origin', '*')
  return next()
})

const MAX_ADDRESS = 16_384
/** What page and hint add to an address. */
const TURN = 160

/** Whether an address, or that of the page after it, is longer than Cloudflare takes. */
const isTooLong = (address: string): boolean => {
  if (3 * address.length + TURN <= MAX_ADDRESS) return false
  const { search } = new URL(address)
  const written = formatQuery(parseQuery(new TextEncoder().encode(search.slice(1))))
  return Math.max(address.length, address.length - search.length + written.length + TURN) > MAX_ADDRESS
}

const BODY_LIMIT = 2_000_000
const RATE_PERIOD = 60 // seconds, as in wrangler.toml

app.use(async (c, next) => {
  const allow = methodsOf(new URL(c.req.url).pathname)
  if (allow !== null) c.header('Allow', allow.join(', '))
  if (isTooLong(c.req.url)) throw addressTooLong(MAX_ADDRESS)
  // Not by key: guessing keys is what is to be limited.
  const key = c.req.header('CF-Connecting-IP') ?? ''
  const { success } = (await c.env.RATE_LIMITER?.limit({ key })) ?? { success: true }
  if (!success) throw tooManyRequests(RATE_PERIOD)
  const maxSize = Number(c.env.BODY_LIMIT) || BODY_LIMIT
  const refuse = () => {
    throw tooLarge(maxSize)
  }
  return bodyLimit({ maxSize, onError: refuse })(c, next)
})

const HEALTH_METHODS = ['GET', 'HEAD']
const UNKEPT = { 'Cache-Control': 'no-store' }

/** The Worker answers. */
app.get('/healthz', (c) => c.json({ status: 'ok' }, 200, UNKEPT))

/** Fails where a table is missing. */
const isMigrated = sql`SELECT 1 FROM ${sql.join(
  Object.values(tables).map((table) => sql`${table}`),
  sql`, `,
)} LIMIT 0`

/** The database answers and is migrated. */
app.get('/readyz', async (c) => {
  const planned = performance.now()
  const db = openDatabase(c.env.DB)
  try {
    await db.read(isMigrated)
    return c.json({ status: 'ready', revision: db.state()?.revision ?? 0 }, 200, UNKEPT)
  } finally {
    c.set('timing', { cost: db.cost, planned, paged: performance.now(), open: false })
  }
})

app.on(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], ['/healthz', '/readyz'], (c) => {
  throw methodNotAllowed(c.req.method, HEALTH_METHODS.join(', '))
})

app.all('/', serveRoot('Api Root', { v3: '/api/v3/', v4: '/api/v4/' }))
// Before the items of its list, of which none is named so.
for (const summary of SUMMARIES) app.all(summary.path, serveSummary(summary))
for (const [root, resources] of Object.entries(VERSIONS)) {
  const entries = resources.map(({ path }) => [path.slice(root.length, -1), path])
  app.all(root, serveRoot('Api Root', Object.fromEntries(entries)))
  for (const resource of resources) {
    app.all(resource.path, serveList(resource))
    app.all(`${resource.path}:key/`, serveItem(resource))
  }
}

app.notFound((c) => {
  const { pathname, search } = new URL(c.req.url)
  const allow = methodsOf(`${pathname}/`)
  if (allow === null) throw notFound()
  c.header('Allow', allow.join(', '))
  // 308 keeps the method and the body of what is posted, where 301 turns it into a GET.
  const base = c.env.BASE_URL ? baseOf(new URL(c.req.url), c.env.BASE_URL) : ''
  return c.redirect(`${base}${pathname}/${search}`, c.req.method === 'POST' ? 308 : 301)
})

/** The methods of a path of an API root, a list or an item of a list, whether or not the item exists; null for any other. */
const methodsOf = (path: string): readonly string[] | null => {
  if (isList(path) || isSummary(path)) return LIST_METHODS
  if (path === '/healthz' || path === '/readyz') return HEALTH_METHODS
  const isOther = path === '/' || Object.hasOwn(VERSIONS, path) || isList(path.replace(/[^/]+\/$/, ''))
  return isOther ? READ_METHODS : null
}

const isList = (path: string): boolean =>
  Object.values(VERSIONS).some((resources) => resources.some((resource) => resource.path === path))

const isSummary = (path: string): boolean => SUMMARIES.some((summary) => summary.path === path)

app.onError((error, c) => {
  if (!(error instanceof ApiError)) console.error(error)
  const { status, body, headers } =
    error instanceof ApiError ? error : new ApiError(500, { detail: 'An error of the service. It has been logged.' })
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  c.header('Cache-Control', 'no-store')
  const format = errorFormat(c.req.header('Sec-Fetch-Dest'), c.req.query('format'))
  c.header('Content-Type', format.contentType)
  const { method, url } = c.req
  const prefix = prefixOf(baseOf(new URL(url), c.env.BASE_URL))
  const context = { title: `Error ${status}`, method, url, status, headers: c.res.headers, prefix }
  return c.body(format.render(body, context), status as 400)
})

export default app
