import type { Caller } from '../caller.ts'
import { notFound } from '../errors.ts'
import { describe, LIST_METHODS, methodsOfItem, READ_METHODS } from '../request/options.ts'
import { NO_PARAMETERS, refuseFaults } from '../request/parameters.ts'
import { answerDocument } from '../request/respond.ts'
import { callerAt, type RequestContext, type Route, writes } from '../request/route.ts'
import { withDatabase } from '../request/session.ts'
import type { Collection } from './collection.ts'
import { DOCUMENTS, OF_COLLECTION, OF_TILES } from './documents.ts'
import { eventCollection } from './events.ts'
import { API } from './openapi.ts'
import { ITEMS } from './parameters.ts'
import { ask, OGC, ROOT, TITLE, typesOf } from './request.ts'
import { type ServeCollection, serveCollections, serveDocument, serveItem, serveItems, serveTile } from './serve.ts'
import { COLLECTIONS, SERIES_ID, targetAt } from './target.ts'
import { inEachSet, SET } from './tileMatrix.ts'
import { serveWrite } from './write.ts'

/** The names of parameters and body fields that are specific to requests under `/ogc`. */
export const OGC_NAMES: readonly string[] = [
  ...Object.keys(ITEMS),
  ...COLLECTIONS.flatMap(({ resource, writableIn }) => [
    ...resource.filters.keys(),
    ...Object.keys(writableIn(0).fields),
  ]),
]

type Serve = (c: RequestContext, caller: Caller) => Promise<Response>

const refuse = async (): Promise<never> => {
  throw notFound()
}

/** Makes a route. OPTIONS describes it, if `check` does not throw. */
const route = (
  path: string,
  serve: Serve,
  methods: readonly string[] = READ_METHODS,
  check: (c: RequestContext, caller: Caller) => Promise<unknown> = async () => {},
): Route => {
  const serveAny = async (c: RequestContext): Promise<Response> => {
    const caller = await callerAt(c)
    if (c.req.method !== 'OPTIONS') return serve(c, caller)
    await check(c, caller)
    return serveOptions(c, caller, methods)
  }
  return { path: path === '/' ? ROOT : ROOT + path, methods, serve: serveAny, surface: OGC }
}

/** Answers OPTIONS with the methods that this caller may use, and with the types of bodies (Part 4, 6.5.5). */
const serveOptions = (c: RequestContext, { key }: Caller, methods: readonly string[]): Response => {
  const allowed = methods.filter((method) => key?.write === true || READ_METHODS.includes(method))
  c.header('Allow', allowed.join(', '))
  c.header('Cache-Control', 'no-store')
  const writing = ['POST', 'PUT', 'PATCH'].filter((method) => allowed.includes(method))
  return c.json(describe(TITLE, 'OGC API - Features.', [], [...new Set(writing.flatMap(typesOf))]))
}

/** The headings of pages. That of a tile matrix set is its own title. */
const TITLES: Readonly<Record<string, string>> = {
  '/': TITLE,
  '/api': 'API',
  '/conformance': 'Conformance',
  '/tileMatrixSets': 'Tile matrix sets',
}

/** Returns the routes of a document that depends on the address alone. */
const documentRoutes = ({ path, make, offer }: (typeof DOCUMENTS)[number]): Route[] =>
  inEachSet(path).map(([path, set]) =>
    route(path, async (c, caller) => {
      const asked = ask(c, caller, NO_PARAMETERS, offer)
      refuseFaults(asked.values)
      return answerDocument(c, asked, make(asked, set), TITLES[path] ?? set.title)
    }),
  )

/** Returns the routes of a collection. `own` is the part of it that is known without the database. */
const collectionRoutes = (path: string, own: Collection): Route[] => {
  const at = (end: string, serve: ServeCollection, methods?: readonly string[]): Route[] =>
    inEachSet(path + end).map(([path, set]) => {
      const check = (c: RequestContext, caller: Caller) =>
        withDatabase(c, caller, { cheap: true }, (db) => targetAt(c, own, set).find(db, caller.level))
      const serveAny: Serve = (c, caller) =>
        (writes(c.req.method, null) ? serveWrite : serve)(c, caller, targetAt(c, own, set))
      return route(path, serveAny, methods, check)
    })
  const documents = [...OF_COLLECTION, ...(own.ofSeries ? [] : OF_TILES)]
  return [
    ...at('/items', serveItems, LIST_METHODS),
    ...at('/items/:key', serveItem, methodsOfItem(own.resource)),
    ...documents.flatMap((each) => at(each.path, (c, caller, target) => serveDocument(c, caller, target, each))),
    ...(own.ofSeries ? [] : at(`/tiles/${SET}/:level/:row/:column`, serveTile)),
    ...at('/*', refuse),
  ]
}

export const OGC_ROUTES: readonly Route[] = [
  ...[...DOCUMENTS, API].flatMap(documentRoutes),
  route('/collections', serveCollections),
  ...COLLECTIONS.flatMap((own) => collectionRoutes(`/collections/${own.id}`, own)),
  ...collectionRoutes(`/collections/:id{${SERIES_ID}}`, eventCollection),
  route('/collections/*', refuse, READ_METHODS, refuse),
  route('/*', refuse),
]
