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
import { eventSeriesV4 } from './api/v4/eventseries.ts'
import type { Env } from './env.ts'
import { ApiError, addressTooLong, notFound, tooLarge, tooManyRequests } from './errors.ts'
import { LIST_METHODS, READ_METHODS, serveItem, serveList, serveRoot, type Variables } from './list/endpoint.ts'
import { ERROR_FORMAT } from './list/formats.ts'
import { baseOf } from './list/links.ts'
import { formatQuery, parseQuery } from './list/query.ts'
import type { Resource } from './list/resource.ts'
import type { Sent } from './list/stream.ts'
import { openDatabase } from './page/database.ts'

const VERSIONS: Readonly<Record<string, readonly Resource[]>> = {
  '/api/v3/': [events, eventSeriesV3, observationTypesV3],
  '/api/v4/': [eventSeriesV4, observationTypesV4],
}

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
  const started = Date.now()
  await next()
  const [method, route, status] = [c.req.method, routePath(c, -1), c.res.status]
  const log = (sent?: Sent) => {
    const { roundTrips = 0, rowsRead = 0 } = c.get('cost') ?? {}
    const ms = Date.now() - started
    const line = {
      id: c.get('requestId'),
      method,
      route,
      status,
      ms,
      rows_read: rowsRead,
      round_trips: roundTrips,
      sent,
    }
    console.log(JSON.stringify(line))
  }
  const sent = c.get('sent')
  // What a stream costs is known when it ends.
  if (sent === undefined) log()
  else void sent.then(log)
})

app.use(
  secureHeaders({
    contentSecurityPolicy: { defaultSrc: ["'none'"], styleSrc: ["'unsafe-inline'"], frameAncestors: ["'none'"] },
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
  const { pathname } = new URL(c.req.url)
  if (isList(pathname)) c.header('Allow', LIST_METHODS.join(', '))
  else if (served(pathname)) c.header('Allow', READ_METHODS.join(', '))
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

/** The Worker answers. */
app.get('/healthz', (c) => c.json({ status: 'ok' }, 200, { 'Cache-Control': 'no-store' }))

/** Fails where a table is missing. */
const isMigrated = sql`SELECT 1 FROM ${sql.join(
  Object.values(tables).map((table) => sql`${table}`),
  sql`, `,
)} LIMIT 0`

/** The database answers and is migrated. */
app.get('/readyz', async (c) => {
  const db = openDatabase(c.env.DB)
  c.set('cost', db.cost)
  await db.read(isMigrated)
  return c.json({ status: 'ready', revision: db.state()?.revision ?? 0 }, 200, { 'Cache-Control': 'no-store' })
})

app.all('/', serveRoot('Api Root', { v3: '/api/v3/', v4: '/api/v4/' }))
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
  if (!served(`${pathname}/`)) throw notFound()
  // 308 keeps the method and the body of what is posted, where 301 turns it into a GET.
  const base = c.env.BASE_URL ? baseOf(new URL(c.req.url), c.env.BASE_URL) : ''
  return c.redirect(`${base}${pathname}/${search}`, c.req.method === 'POST' ? 308 : 301)
})

/** Whether a path is one of an API root, a list or an item of a list, whether or not the item exists. */
const served = (path: string): boolean =>
  path === '/' || Object.hasOwn(VERSIONS, path) || isList(path) || isList(path.replace(/[^/]+\/$/, ''))

const isList = (path: string): boolean =>
  Object.values(VERSIONS).some((resources) => resources.some((resource) => resource.path === path))

app.onError((error, c) => {
  if (!(error instanceof ApiError)) console.error(error)
  const { status, body, headers } =
    error instanceof ApiError ? error : new ApiError(500, { detail: 'An error of the service. It has been logged.' })
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  c.header('Cache-Control', 'no-store')
  c.header('Content-Type', ERROR_FORMAT.contentType)
  return c.body(ERROR_FORMAT.render(body, { title: '', method: c.req.method, url: c.req.url, status }), status as 400)
})

export default app
