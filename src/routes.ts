import { version } from '../package.json'
import { NESTED, RESOURCES, ROOTS, SUMMARIES } from './api/versions.ts'
import { serveText, textsOf } from './openapi/texts.ts'
import { serveItem, serveList, serveRoot } from './request/lists.ts'
import { LIST_METHODS, methodsOfItem, methodsOfList, READ_METHODS } from './request/options.ts'
import { writes } from './request/read.ts'
import type { RequestContext, Route } from './request/route.ts'
import { serveSummary } from './request/summary.ts'
import { serveWrite } from './request/write.ts'
import type { Resource } from './resource.ts'

export const LISTS = [...RESOURCES, ...NESTED]

/** Makes a route whose path ends in a slash. The path without it redirects here. */
const slashed = (path: string, methods: readonly string[], serve: Route['serve'], list?: Resource): Route => ({
  ...{ path, methods, serve },
  ...(path !== '/' && { alias: path.slice(0, -1) }),
  ...(list && { list }),
})

/** Serves writes to a list or an item, and its other requests by `read`. */
const readOrWrite = (resource: Resource, read: Route['serve']): Route['serve'] => {
  const write = serveWrite(resource)
  return (c: RequestContext) => (writes(c.req.method, c.req.header('Content-Type') ?? null) ? write(c) : read(c))
}

/** The routes of the roots, summaries and lists. Summaries come first: the path of items also matches theirs. */
export const API_ROUTES: readonly Route[] = [
  ...Object.entries(ROOTS).map(([path, entries]) => slashed(path, READ_METHODS, serveRoot(entries, path === '/'))),
  ...SUMMARIES.map((summary) => slashed(summary.path, LIST_METHODS, serveSummary(summary))),
  ...LISTS.flatMap((list) => [
    slashed(list.path, methodsOfList(list), readOrWrite(list, serveList(list)), list),
    slashed(`${list.path}:key/`, methodsOfItem(list), readOrWrite(list, serveItem(list))),
  ]),
]

/** The texts that describe the interface, by path. */
export const TEXTS = textsOf({ version, roots: ROOTS, resources: LISTS, summaries: SUMMARIES })

/** The routes of the texts that describe the interface. A slash at the end redirects to the path without it. */
export const TEXT_ROUTES: readonly Route[] = Object.entries(TEXTS).map(([path, text]) => ({
  ...{ path, methods: READ_METHODS, serve: serveText(text), alias: `${path}/` },
}))
