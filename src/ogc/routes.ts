import type { Caller } from '../caller.ts'
import { notFound } from '../errors.ts'
import { withDatabase } from '../request/answer.ts'
import { describe, READ_METHODS } from '../request/options.ts'
import { writes } from '../request/read.ts'
import { callerAt, type RequestContext, type Route } from '../request/route.ts'
import { TILE_MATRIX_SETS, WEB_MERCATOR } from '../tiles/matrix.ts'
import type { Collection } from './collection.ts'
import { COLLECTIONS, type CollectionTarget, listed, ofSeries, SERIES_ID } from './collections.ts'
import { conformance, featureSchema, landing, queryables, schemaOf } from './documents.ts'
import { eventCollection } from './events.ts'
import { openapi } from './openapi.ts'
import { ITEMS } from './parameters.ts'
import { documents, JSON_TYPE, OGC, OPENAPI, STYLE, TITLE } from './request.ts'
import { serveCollection, serveCollections, serveItem, serveItems, serveSchema, serveText } from './serve.ts'
import { style, tileJson, tileMatrixSet, tileMatrixSets, tileset, tilesets } from './tiles/documents.ts'
import { serveTile, serveTileDocument } from './tiles/serve.ts'
import { typesOf } from './writing/events.ts'
import { serveWrite } from './writing/serve.ts'

/** The names of parameters and body fields that are specific to requests under `/ogc`. */
export const OGC_NAMES: readonly string[] = [
  ...Object.keys(ITEMS),
  ...COLLECTIONS.flatMap(({ filters, writableIn }) => [...filters.keys(), ...Object.keys(writableIn(0).fields)]),
]

/** Every address of OGC API - Features and Tiles, below `/ogc`. */
export const ogcRoutes = (version: string): readonly Route[] => [
  route('/', serveText(TITLE, landing)),
  route(
    '/api',
    serveText('API', ({ root }) => openapi(version, root, COLLECTIONS), documents(OPENAPI, JSON_TYPE)),
  ),
  route('/conformance', serveText('Conformance', conformance)),
  route('/tileMatrixSets', serveText('Tile matrix sets', tileMatrixSets)),
  ...TILE_MATRIX_SETS.map((set) =>
    route(
      `/tileMatrixSets/${set.id}`,
      serveText(set.title, (asked) => tileMatrixSet(asked, set)),
    ),
  ),
  route('/collections', serveCollections),
  ...COLLECTIONS.flatMap((own) => collectionRoutes(`/collections/${own.id}`, own, () => listed(own))),
  ...collectionRoutes(`/collections/:id{${SERIES_ID}}`, eventCollection, (c) => ofSeries(c.req.param('id') ?? '')),
  route('/collections/*', refuse, READ_METHODS, refuse),
  route('/*', refuse),
]

/** The methods that a collection's items allow. One item has its own methods. */
const ITEMS_METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS']
const ITEM_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** Returns the addresses of a collection. `own` is the part of it that is known without the database. */
function collectionRoutes(path: string, own: Collection, targetOf: (c: RequestContext) => CollectionTarget): Route[] {
  type Serve = (c: RequestContext, caller: Caller, target: CollectionTarget) => Promise<Response>
  const check = (c: RequestContext, caller: Caller) =>
    withDatabase(c, caller, { cheap: true }, (db) => targetOf(c).find(db, caller.level))
  const at = (rest: string, serve: Serve, methods: readonly string[] = READ_METHODS) =>
    route(`${path}${rest}`, (c, caller) => serve(c, caller, targetOf(c)), methods, check)
  const orWrite =
    (serve: Serve): Serve =>
    (c, caller, target) =>
      writes(c.req.method, null) ? serveWrite(c, caller, target) : serve(c, caller, target)
  const tiles = TILE_MATRIX_SETS.flatMap((set) => [
    at(
      `/tiles/${set.id}`,
      serveTileDocument((asked, collection) => tileset(asked, collection, set)),
    ),
    at(`/tiles/${set.id}/:level/:row/:column`, serveTile(set)),
  ])
  return [
    at('', serveCollection),
    at('/items', orWrite(serveItems), ITEMS_METHODS),
    at('/items/:key', orWrite(serveItem), ITEM_METHODS),
    at('/queryables', serveSchema(queryables)),
    at('/schema', serveSchema(schemaOf)),
    at('/schema/feature', serveSchema(featureSchema)),
    ...(own.ofSeries
      ? []
      : [
          at('/tiles', serveTileDocument(tilesets)),
          at(`/tiles/${WEB_MERCATOR.id}/tilejson.json`, serveTileDocument(tileJson)),
          at(`/tiles/${WEB_MERCATOR.id}/style.json`, serveTileDocument(style, STYLE)),
          ...tiles,
        ]),
    at('/*', refuse),
  ]
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
