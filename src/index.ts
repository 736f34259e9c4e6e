import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { observationTypesV3, observationTypesV4 } from './api/observationtypes.ts'
import { events } from './api/v3/events.ts'
import { eventSeriesV3 } from './api/v3/eventseries.ts'
import { eventSeriesV4 } from './api/v4/eventseries.ts'
import type { Env } from './env.ts'
import { ApiError, notFound } from './errors.ts'
import { serveItem, serveList, serveRoot } from './list/endpoint.ts'
import { ERROR_FORMAT } from './list/formats.ts'
import { baseOf } from './list/links.ts'
import type { Resource } from './list/resource.ts'

const VERSIONS: Readonly<Record<string, readonly Resource[]>> = {
  '/api/v3/': [events, eventSeriesV3, observationTypesV3],
  '/api/v4/': [eventSeriesV4, observationTypesV4],
}

const app = new Hono<{ Bindings: Env }>()

const share = cors({
  origin: '*',
  allowMethods: ['GET', 'POST', 'HEAD', 'OPTIONS'],
  allowHeaders: ['Accept', 'Authorization', 'Content-Type', 'Prefer'],
  exposeHeaders: ['Allow', 'Link', 'Preference-Applied', 'Retry-After', 'WWW-Authenticate'],
  maxAge: 86_400,
})

app.use(async (c, next) => {
  c.header('Vary', 'Accept')
  const describes = c.req.method === 'OPTIONS' && c.req.header('Access-Control-Request-Method') === undefined
  if (!describes) return share(c, next)
  c.header('Access-Control-Allow-Origin', '*')
  return next()
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
const served = (path: string): boolean => {
  const list = path.replace(/[^/]+\/$/, '')
  const paths = Object.values(VERSIONS).flatMap((resources) => resources.map((resource) => resource.path))
  return Object.hasOwn(VERSIONS, path) || paths.includes(path) || paths.includes(list)
}

app.onError((error, c) => {
  if (!(error instanceof ApiError)) console.error(error)
  const { status, body, headers } =
    error instanceof ApiError ? error : new ApiError(500, { detail: 'An error of the service. It has been logged.' })
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  c.header('Content-Type', ERROR_FORMAT.contentType)
  return c.body(ERROR_FORMAT.render(body, { title: '', method: c.req.method, url: c.req.url, status }), status as 400)
})

export default app
