import { sql } from 'drizzle-orm'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { HonoBase as Hono } from 'hono/hono-base'
import { type RequestIdVariables, requestId } from 'hono/request-id'
import { routePath } from 'hono/route'
import { TrieRouter } from 'hono/router/trie-router'
import { version } from '../package.json'
import * as tables from '../schema/tables.ts'
import { RESOURCES, ROOTS, SUMMARIES } from './api/versions.ts'
import type { Env } from './env.ts'
import { ApiError, addressTooLong, methodNotAllowed, notFound, tooManyRequests } from './errors.ts'
import { serveItem, serveList, serveRoot, type Variables } from './list/endpoint.ts'
import { errorFormat } from './list/formats.ts'
import { PAGE_POLICY } from './list/html.ts'
import { baseOf, prefixOf } from './list/links.ts'
import { LIST_METHODS, methodsOfItem, READ_METHODS } from './list/options.ts'
import { formatQuery, parseQuery } from './list/query.ts'
import type { Sent } from './list/stream.ts'
import { serveSummary } from './list/summary.ts'
import { serverTiming } from './list/timing.ts'
import { serveWrites } from './list/write.ts'
import { bodyLimitOf } from './list/writing.ts'
import { isOgc, serveOgc } from './ogc/serve.ts'
import { serveText } from './openapi/serve.ts'
import { textsOf } from './openapi/texts.ts'
import { openDatabase } from './page/database.ts'
import { SECURITY_HEADERS } from './security.ts'

/** What describes the interface. */
const TEXTS = textsOf({ version, roots: ROOTS, resources: RESOURCES, summaries: SUMMARIES })

// The one of Hono's routers that it takes by itself for these paths.
const app = new Hono<{ Bindings: Env; Variables: Variables & RequestIdVariables }>({ router: new TrieRouter() })

const share = cors({
  origin: '*',
  allowMethods: ['GET', 'POST', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  allowHeaders: [
    'Accept',
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'If-Match',
    'If-Modified-Since',
    'If-None-Match',
    'Prefer',
    'X-D1-Bookmark',
  ],
  exposeHeaders: [
    'Allow',
    'Content-Crs',
    'Content-Disposition',
    'ETag',
    'Link',
    'Location',
    'OGC-NumberMatched',
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
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.res.headers.set(name, value)
  if (c.res.headers.get('Content-Type')?.startsWith('text/html')) c.header('Content-Security-Policy', PAGE_POLICY)
  // It would take the place of what the browser keeps with the page.
  if (c.res.status === 304) c.header('Content-Security-Policy', undefined)
})

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

const RATE_PERIOD = 60 // seconds, as in wrangler.toml

app.use(async (c, next) => {
  const allow = methodsAt(new URL(c.req.url).pathname)
  if (allow !== null) c.header('Allow', allow.join(', '))
  if (isTooLong(c.req.url)) throw addressTooLong(MAX_ADDRESS)
  // Not by key: guessing keys is what is to be limited.
  const key = c.req.header('CF-Connecting-IP') ?? ''
  const { success } = (await c.env.RATE_LIMITER?.limit({ key })) ?? { success: true }
  if (!success) throw tooManyRequests(RATE_PERIOD)
  return bodyLimit(bodyLimitOf(c.env, c.req.method, c.req.header('Content-Type') ?? null))(c, next)
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

for (const [path, entries] of Object.entries(ROOTS)) app.all(path, serveRoot('Api Root', entries))
// Before the items of its list, of which none is named so.
for (const summary of SUMMARIES) app.all(summary.path, serveSummary(summary))
for (const resource of RESOURCES) {
  app.all(resource.path, serveWrites(resource, LIST_METHODS), serveList(resource))
  app.all(`${resource.path}:key/`, serveWrites(resource, methodsOfItem(resource)), serveItem(resource))
}
for (const [path, text] of Object.entries(TEXTS)) app.all(path, serveText(text))
app.all('/ogc/*', serveOgc(version))

app.notFound((c) => {
  const { pathname, search } = new URL(c.req.url)
  // With a slash at its end, but for a text.
  const bare = pathname.replace(/\/$/, '')
  const path = Object.hasOwn(TEXTS, bare) ? bare : `${pathname}/`
  const allow = methodsAt(path)
  if (allow === null) throw notFound()
  c.header('Allow', allow.join(', '))
  // 308 keeps the method and the body of what is sent, where 301 turns it into a GET.
  const base = c.env.BASE_URL ? baseOf(new URL(c.req.url), c.env.BASE_URL) : ''
  return c.redirect(`${base}${path}${search}`, ['POST', 'PATCH', 'DELETE'].includes(c.req.method) ? 308 : 301)
})

/** What is taken at the path of a root, a text, a list or an item, whether or not the item exists; null for any other. */
const methodsAt = (path: string): readonly string[] | null => {
  if (Object.hasOwn(ROOTS, path) || Object.hasOwn(TEXTS, path)) return READ_METHODS
  if (path === '/healthz' || path === '/readyz') return HEALTH_METHODS
  if (isOgc(path)) return READ_METHODS
  if (listAt(path) || isSummary(path)) return LIST_METHODS
  const list = listAt(path.replace(/[^/]+\/$/, ''))
  return list ? methodsOfItem(list) : null
}

const listAt = (path: string) => RESOURCES.find((resource) => resource.path === path)

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
