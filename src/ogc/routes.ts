import type { Caller } from '../caller.ts'
import { notFound } from '../errors.ts'
import { describe, LIST_METHODS, methodsOfItem, READ_METHODS } from '../request/options.ts'
import { callerAt, type RequestContext, type Route, writes } from '../request/route.ts'
import { withDatabase } from '../request/session.ts'
import type { Collection } from './collection.ts'
import {
  collectionDocument,
  collectionList,
  conformance,
  featureSchema,
  landing,
  queryables,
  schemaOf,
  sortables,
} from './documents.ts'
import { eventCollection } from './events.ts'
import { openapi } from './openapi.ts'
import { ITEMS } from './parameters.ts'
import { DOCUMENT, documents, JSON_TYPE, OGC, OPENAPI, SCHEMA, STYLE, TITLE, typesOf } from './request.ts'
import {
  type ServeCollection,
  serveCollections,
  serveDocument,
  serveItem,
  serveItems,
  serveText,
  serveTile,
} from './serve.ts'
import { COLLECTIONS, SERIES_ID, targetAt } from './target.ts'
import { style, tileJson, tileMatrixSet, tileMatrixSets, tilesetIn, tilesets } from './tileDocuments.ts'
import { TILE_MATRIX_SETS, WEB_MERCATOR } from './tileMatrix.ts'
import { serveWrite } from './write.ts'

/** The names of parameters and body fields that are specific to requests under `/ogc`. */
export const OGC_NAMES: readonly string[] = [
  ...Object.keys(ITEMS),
  ...COLLECTIONS.flatMap(({ resource, writableIn }) => [
    ...resource.filters.keys(),
    ...Object.keys(writableIn(0).fields),
  ]),
]

export const ogcRoutes = (version: string): readonly Route[] => [
  route('/', serveText(TITLE, landing)),
  route(
    '/api',
    serveText('API', ({ root }) => openapi(version, root, COLLECTIONS), documents(OPENAPI, JSON_TYPE)),
  ),
  route('/conformance', serveText('Conformance', conformance)),
  route('/tileMatrixSets', serveText('Tile matrix sets', tileMatrixSets)),
  ...TILE_MATRIX_SETS.map((set) => route(`/tileMatrixSets/${set.id}`, serveText(set.title, tileMatrixSet(set)))),
  route('/collections', serveCollections('Collections', collectionList)),
  ...COLLECTIONS.flatMap((own) => collectionRoutes(`/collections/${own.id}`, own)),
  ...collectionRoutes(`/collections/:id{${SERIES_ID}}`, eventCollection),
  route('/collections/*', refuse, READ_METHODS, refuse),
  route('/*', refuse),
]

/** The addresses of a collection: the end of the path, a function that serves it, and its methods. */
type CollectionRoute = readonly [end: string, serve: ServeCollection, methods?: readonly string[]]

const orWrite =
  (read: ServeCollection): ServeCollection =>
  (c, caller, target) =>
    (writes(c.req.method, null) ? serveWrite : read)(c, caller, target)

const SCHEMAS = documents(SCHEMA, JSON_TYPE)
const FEATURES: readonly CollectionRoute[] = [
  ['', serveDocument(collectionDocument)],
  ['/items', orWrite(serveItems), LIST_METHODS],
  ['/items/:key', orWrite(serveItem), methodsOfItem(eventCollection.resource)],
  ['/queryables', serveDocument(queryables, SCHEMAS)],
  ['/sortables', serveDocument(sortables, SCHEMAS)],
  ['/schema', serveDocument(schemaOf, SCHEMAS)],
  ['/schema/feature', serveDocument(featureSchema, SCHEMAS)],
]

const MERCATOR = `/tiles/${WEB_MERCATOR.id}`
const TILES: readonly CollectionRoute[] = [
  ['/tiles', serveDocument(tilesets, DOCUMENT, true)],
  [`${MERCATOR}/tilejson.json`, serveDocument(tileJson, DOCUMENT, true)],
  [`${MERCATOR}/style.json`, serveDocument(style, documents(JSON_TYPE, STYLE), true)],
  ...TILE_MATRIX_SETS.flatMap((set): CollectionRoute[] => [
    [`/tiles/${set.id}`, serveDocument(tilesetIn(set), DOCUMENT, true)],
    [`/tiles/${set.id}/:level/:row/:column`, serveTile(set)],
  ]),
]

/** Returns the routes of a collection. `own` is the part of it that is known without the database. */
function collectionRoutes(path: string, own: Collection): Route[] {
  const check = (c: RequestContext, caller: Caller) =>
    withDatabase(c, caller, { cheap: true }, (db) => targetAt(c, own).find(db, caller.level))
  const routes: readonly CollectionRoute[] = [...FEATURES, ...(own.ofSeries ? [] : TILES), ['/*', refuse]]
  return routes.map(([end, serve, methods]) =>
    route(`${path}${end}`, (c, caller) => serve(c, caller, targetAt(c, own)), methods, check),
  )
}

/** Makes a route. OPTIONS describes it, if `check` does not throw. */
function route(
  path: string,
  serve: (c: RequestContext, caller: Caller) => Promise<Response>,
  methods: readonly string[] = READ_METHODS,
  check: (c: RequestContext, caller: Caller) => Promise<unknown> = async () => {},
): Route {
  const serveAny = async (c: RequestContext): Promise<Response> => {
    const caller = await callerAt(c)
    if (c.req.method !== 'OPTIONS') return serve(c, caller)
    await check(c, caller)
    return serveOptions(c, caller, methods)
  }
  return { path, methods, serve: serveAny, surface: OGC }
}

async function refuse(): Promise<never> {
  throw notFound()
}

/** Answers OPTIONS with the methods that this caller may use, and with the types of bodies (Part 4, 6.5.5). */
const serveOptions = (c: RequestContext, { key }: Caller, methods: readonly string[]): Response => {
  const allowed = methods.filter((method) => key?.write === true || READ_METHODS.includes(method))
  c.header('Allow', allowed.join(', '))
  c.header('Cache-Control', 'no-store')
  const writing = ['POST', 'PUT', 'PATCH'].filter((method) => allowed.includes(method))
  return c.json(describe(TITLE, 'OGC API - Features.', [], [...new Set(writing.flatMap(typesOf))]))
}
