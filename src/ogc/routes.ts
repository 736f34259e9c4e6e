import { notFound } from '../base/errors.ts'
import { PRODUCT } from '../base/product.ts'
import type { Caller } from '../http/caller.ts'
import { describe, LIST_METHODS, methodsOfItem, READ_METHODS } from '../http/options.ts'
import { read, refuseFaults } from '../http/parameters.ts'
import { answerDocument, respond } from '../http/respond.ts'
import { callerAt, FORM, type RequestContext, type Route } from '../http/route.ts'
import type { Collection } from './collection.ts'
import { COLLECTIONS, eventCollection, typesOf } from './collection.ts'
import { COLLECTION_DOCUMENTS, COLLECTION_LIST } from './collectionDocuments.ts'
import { DOCUMENTS } from './documents.ts'
import { limitOf, OFFSET, selectionIn, serveFeature, serveFeatures } from './features.ts'
import { ROOT } from './links.ts'
import { API } from './openapi.ts'
import { ITEMS, TILE_PARAMETERS } from './parameters.ts'
import {
  COLLECTIONS_LIMIT,
  type CollectionDocument,
  type CollectionHandler,
  collectionAt,
  type FixedDocument,
  OGC,
  readOgcQuery,
  SET,
} from './request.ts'
import { TILE_DOCUMENTS } from './tileDocuments.ts'
import { TILE_MATRIX_SETS, type TileMatrixSet, WEB_MERCATOR } from './tileMatrix.ts'
import { serveTile } from './tiles.ts'
import { serveFeatureWrite } from './write.ts'

/** The names of parameters and body fields that are specific to requests under `/ogc`. */
export const OGC_NAMES: readonly string[] = [
  ...Object.keys(ITEMS),
  ...COLLECTIONS.flatMap(({ filters, writableIn }) => [...filters.keys(), ...Object.keys(writableIn(0).fields)]),
]

/** The pattern of the id of a series's collection. Hono allows no braces in it. */
const SERIES_ID = `events-${[8, 4, 4, 4, 12].map((digits) => '[0-9a-f]'.repeat(digits)).join('-')}`

/**
 * Answers OPTIONS with the methods of this caller and the types of bodies (Part 4, 6.5.5). Everybody may post a query.
 * But QGIS takes POST in this answer for the right to add features, so only writers get it.
 */
const serveOptions = (c: RequestContext, { key }: Caller, methods: readonly string[]): Response => {
  const { takesWrites } = c.env.ENGINE
  const mayWrite = takesWrites && key?.write === true
  const allowed = methods.filter((method) => mayWrite || READ_METHODS.includes(method))
  c.header('Allow', allowed.join(', '))
  c.header('Cache-Control', 'no-store')
  const writing = ['POST', 'PUT', 'PATCH'].filter((method) => allowed.includes(method))
  const types = new Set([...writing.flatMap(typesOf), ...(methods.includes('POST') ? [FORM] : [])])
  return c.json(describe(PRODUCT, 'OGC API - Features.', [], [...types]))
}

/** Makes a route that only reads. */
const route = (path: string, serve: (c: RequestContext, caller: Caller) => Promise<Response>): Route => ({
  path: path === '/' ? ROOT : ROOT + path,
  methods: READ_METHODS,
  serve: async (c) => {
    const caller = await callerAt(c)
    return c.req.method === 'OPTIONS' ? serveOptions(c, caller, READ_METHODS) : serve(c, caller)
  },
  surface: OGC,
})

const refuse = async (): Promise<never> => {
  throw notFound()
}

/** Returns the path with the id of each set. A path without a set is about Web Mercator. */
const inEachSet = (path: string): [path: string, set: TileMatrixSet][] =>
  path.includes(SET) ? TILE_MATRIX_SETS.map((set) => [path.replace(SET, set.id), set]) : [[path, WEB_MERCATOR]]

/** The headings of pages. That of a tile matrix set is its own title. */
const TITLES: Readonly<Record<string, string>> = {
  '/': PRODUCT,
  '/api': 'API',
  '/conformance': 'Conformance',
  '/tileMatrixSets': 'Tile matrix sets',
}

const fixedRoutes = ({ path, make, offer }: FixedDocument): Route[] =>
  inEachSet(path).map(([path, set]) =>
    route(path, async (c, caller) => {
      const query = readOgcQuery(c, caller, offer)
      refuseFaults(query.values)
      return answerDocument(c, query, make(query, set), TITLES[path] ?? set.title)
    }),
  )

const serveCollections = async (c: RequestContext, caller: Caller): Promise<Response> => {
  const query = readOgcQuery(c, caller, COLLECTION_LIST.offer, ['limit', 'offset'])
  const slice = {
    limit: read(query.values, 'limit', limitOf(COLLECTIONS_LIMIT), COLLECTIONS_LIMIT.default),
    offset: read(query.values, 'offset', OFFSET, 0),
  }
  return respond(c, query, async (reader) => ({
    headers: {},
    body: await COLLECTION_LIST.make(query, reader, slice),
    title: 'Collections',
  }))
}

/** Answers with a document about a collection. A document about its tiles takes the parameters of the tiles. */
const serveDocument =
  ({ make, tag, offer }: CollectionDocument): CollectionHandler =>
  async (c, caller, own, set) => {
    const filters = tag === 'Tiles' ? own.filters : null
    const query =
      filters === null ? readOgcQuery(c, caller, offer) : readOgcQuery(c, caller, offer, TILE_PARAMETERS, { filters })
    if (filters !== null) selectionIn(own, query)
    return respond(c, query, async (reader) => ({
      headers: {},
      body: await make(query, own, set, reader),
      title: own.title,
    }))
  }

/** Returns the routes of a collection, or of the collections of series. `own` is the part that needs no database. */
const collectionRoutes = (path: string, own: Collection): Route[] => {
  const at = (end: string, serve: CollectionHandler, methods: readonly string[] = READ_METHODS): Route[] =>
    inEachSet(path + end).map(([path, set]) => ({
      path: ROOT + path,
      methods,
      write: async (c) => serveFeatureWrite(c, await callerAt(c), c.req.param('id') ?? own.id, own),
      serve: async (c) => {
        const caller = await callerAt(c)
        const collection = await collectionAt(c, caller, c.req.param('id') ?? own.id, own)
        if (c.req.method === 'OPTIONS') return serveOptions(c, caller, methods)
        return serve(c, caller, collection, set)
      },
      surface: OGC,
    }))
  const documents = own.ofSeries ? COLLECTION_DOCUMENTS : [...COLLECTION_DOCUMENTS, ...TILE_DOCUMENTS]
  return [
    ...at('/items', serveFeatures, LIST_METHODS),
    ...at('/items/:key', serveFeature, methodsOfItem(own)),
    ...documents.flatMap((each) => at(each.path, serveDocument(each))),
    ...(own.ofSeries ? [] : at(`/tiles/${SET}/:level/:row/:column`, serveTile)),
    ...at('/*', refuse),
  ]
}

export const OGC_ROUTES: readonly Route[] = [
  ...[...DOCUMENTS, API].flatMap(fixedRoutes),
  route('/collections', serveCollections),
  ...COLLECTIONS.flatMap((own) => collectionRoutes(`/collections/${own.id}`, own)),
  ...collectionRoutes(`/collections/:id{${SERIES_ID}}`, eventCollection),
  // No collection has such an id, so OPTIONS is a 404 as well.
  { ...route('/collections/*', refuse), serve: (c) => callerAt(c).then(refuse) },
  route('/*', refuse),
]
