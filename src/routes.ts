import { ACCESS_LEVELS } from './base/access.ts'
import { faultyViews } from './base/errors.ts'
import { FILES, filePath } from './formats/downloads.ts'
import { CHANGES, serveChanges } from './http/changes.ts'
import { serveItem, serveList, serveRoot } from './http/lists.ts'
import { DOCUMENT_OFFER } from './http/offer.ts'
import { LIST_METHODS, methodsOfItem, methodsOfList, READ_METHODS } from './http/options.ts'
import { versionOf } from './http/read.ts'
import { callerAt, type RequestContext, type Route } from './http/route.ts'
import { seesCost, withReader } from './http/session.ts'
import { serveSummary } from './http/summarise.ts'
import { SUMMARY } from './http/summary.ts'
import { serveWrite } from './http/write.ts'
import { isWritable } from './lists/resource.ts'
import { METADATA_PATH, seriesMetadata } from './lists/series.ts'
import { LISTS, ROOTS } from './lists/versions.ts'
import { MCP_ROUTE } from './mcp/protocol.ts'
import { OGC_ROUTES } from './ogc/routes.ts'
import { serveText, TEXTS } from './openapi/texts.ts'

/** Adds the path without its slash at the end, which redirects to the path. */
const slashed = (route: Route): Route => ({
  ...route,
  ...(route.path !== '/' && { alias: route.path.slice(0, -1) }),
})

/** The routes of the roots, the summary, the lists and the descriptions of series. The summary comes first: the path of items also matches its path. */
const API_ROUTES: readonly Route[] = [
  ...Object.entries(ROOTS).map(([path, entries]) => {
    return { path, methods: READ_METHODS, serve: serveRoot(entries, path === '/') }
  }),
  { path: SUMMARY.path, methods: LIST_METHODS, serve: serveSummary },
  { path: CHANGES.path, methods: READ_METHODS, serve: serveChanges },
  ...LISTS.flatMap((list) => {
    const { path } = list
    const write = isWritable(list) && { write: serveWrite(list) }
    return [
      { path, methods: methodsOfList(list), serve: serveList(list), ...write, list },
      { path: `${path}:key/`, methods: methodsOfItem(list), serve: serveItem(list), ...write },
    ]
  }),
  {
    path: METADATA_PATH,
    methods: methodsOfItem(seriesMetadata),
    serve: serveItem(seriesMetadata, DOCUMENT_OFFER),
    write: serveWrite(seriesMetadata, DOCUMENT_OFFER),
  },
].map(slashed)

/** The routes of lists in a format that the end of the address names. */
const FILE_ROUTES: readonly Route[] = LISTS.flatMap((list) =>
  FILES.map((file) => {
    const path = filePath(list.path, file)
    return { path, methods: LIST_METHODS, serve: serveList(list), file, alias: `${path}/` }
  }),
)

/** The route of the table of a summary. Its address has no query in a body: a summary takes it, with `format=csv`. */
const TABLE_ROUTE: Route = {
  path: filePath(SUMMARY.path, 'csv'),
  methods: READ_METHODS,
  serve: serveSummary,
  file: 'csv',
}

/** The routes of the texts that describe the interface. A slash at the end redirects to the path without it. */
const TEXT_ROUTES: readonly Route[] = Object.entries(TEXTS).map(([path, text]) => ({
  path,
  methods: READ_METHODS,
  serve: serveText(text),
  alias: `${path}/`,
}))

const NOT_STORED = { 'Cache-Control': 'no-store' }

/**
 * Answers if the database answers, is migrated and is not being loaded. The answer has the revision of the level Public,
 * because everyone may ask. Only callers who may see costs get the sentences about views. They also get the size, because
 * hidden data changes it.
 */
const serveReady = async (c: RequestContext): Promise<Response> => {
  const caller = await callerAt(c)
  return withReader(c, { level: ACCESS_LEVELS.Public, key: null }, { cheap: true }, async (reader) => {
    const { revision, bytes, capacity, grade, faults, tables, advice } = await reader.ready()
    const isOperator = seesCost(c, caller.level)
    if (faults.length > 0) throw faultyViews(isOperator ? faults : [])
    const percent = Math.floor((100 * (bytes ?? 0)) / (capacity ?? 1))
    const database = capacity !== null && isOperator ? { bytes, limit: capacity, percent } : undefined
    const ready = { status: 'ready', revision, version: versionOf(c.env), ...(grade && { grade }) }
    const views = isOperator ? { ...(tables.length > 0 && { tables }), ...(advice.length > 0 && { advice }) } : {}
    return c.json({ ...ready, ...(database && { database }), ...views }, 200, NOT_STORED)
  })
}

const HEALTH_METHODS = ['GET', 'HEAD']

/** The routes for programs that watch the service. `/healthz` answers while the Worker runs. */
const HEALTH_ROUTES: readonly Route[] = [
  { path: '/healthz', methods: HEALTH_METHODS, serve: (c) => c.json({ status: 'ok' }, 200, NOT_STORED) },
  { path: '/readyz', methods: HEALTH_METHODS, serve: serveReady },
]

/** All routes. The first one that has a path serves it. */
export const ROUTES = [
  ...HEALTH_ROUTES,
  ...API_ROUTES,
  ...FILE_ROUTES,
  TABLE_ROUTE,
  ...TEXT_ROUTES,
  MCP_ROUTE,
  ...OGC_ROUTES,
]
