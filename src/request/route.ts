import { Hono } from 'hono'
import { matchedRoutes } from 'hono/route'
import { methodNotAllowed } from '../errors.ts'
import type { App, RequestContext, Route } from './context.ts'
import { baseOf } from './links.ts'

/** The routes by their handlers in Hono. */
const ROUTES = new Map<unknown, Route>()

/** Makes an app with these routes. If several match a path, the first one serves it. */
export const appOf = (routes: readonly Route[]): Hono<App> => {
  const app = new Hono<App>()
  for (const route of routes) {
    const handler = (c: RequestContext) => {
      if (route.methods.includes(c.req.method)) return route.serve(c)
      throw methodNotAllowed(c.req.method, route.methods.join(', '))
    }
    ROUTES.set(handler, route)
    app.all(route.path, handler)
  }
  for (const { alias, methods } of routes) if (alias !== undefined) app.all(alias, (c) => redirect(c, methods))
  return app
}

/** Returns the route that serves a request, with its whole path. Undefined if no route has the path. */
export const routeOf = (c: RequestContext): Route | undefined => {
  for (const { handler, path } of matchedRoutes(c)) {
    const route = ROUTES.get(handler)
    if (route !== undefined) return { ...route, path }
  }
  return undefined
}

/** Redirects to the address with a slash at its end, or without it if there is one. */
const redirect = (c: RequestContext, methods: readonly string[]): Response => {
  const url = new URL(c.req.url)
  const path = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : `${url.pathname}/`
  c.header('Allow', methods.join(', '))
  c.header('Cache-Control', 'no-store')
  // A client keeps method and body at a 308, but may turn a POST into a GET at a 301 (RFC 9110, 15.4.2 and 15.4.9).
  const base = c.env.BASE_URL ? baseOf(url, c.env.BASE_URL) : ''
  return c.redirect(
    `${base}${path}${url.search}`,
    ['POST', 'PUT', 'PATCH', 'DELETE'].includes(c.req.method) ? 308 : 301,
  )
}
