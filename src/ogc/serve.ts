import { eq } from 'drizzle-orm'
import { eventSeries } from '../../schema/tables.ts'
import type { SeriesRow } from '../api/series.ts'
import { eventSeriesV4 } from '../api/v4/eventseries.ts'
import type { Caller } from '../caller.ts'
import { notFound } from '../errors.ts'
import { type Database, openDatabase } from '../query/db/d1.ts'
import { fetchItem } from '../query/read.ts'
import { isCheap, worthCaching } from '../request/cache.ts'
import { admit, BOOKMARK, queryOf, type RequestContext } from '../request/context.ts'
import { reportCost } from '../request/endpoint.ts'
import { describe, READ_METHODS } from '../request/options.ts'
import { type Known, knownOf, NO_PARAMETERS, read, refuseFaults } from '../request/parameters.ts'
import { digest, partsOf } from '../request/query.ts'
import { sealOf } from '../request/seal.ts'
import { writes } from '../request/writing.ts'
import { COLLECTIONS, methodsAtOgc, partsAt } from './addresses.ts'
import { readDecided } from './areas.ts'
import type { Collection } from './collection.ts'
import { sridOf, uriOf } from './crs.ts'
import {
  collectionDocument,
  collectionList,
  conformance,
  featureSchema,
  landing,
  queryables,
  schemaOf,
  TITLE,
} from './documents.ts'
import { eventCollection, eventsOfSeries } from './events.ts'
import { readExtents } from './extent.ts'
import { itemDocument, itemsContent } from './features.ts'
import { readItems } from './items.ts'
import { ITEMS_PARAMETERS, readItemsRequest } from './itemsRequest.ts'
import { openapi } from './openapi.ts'
import { type Asked, F, GEOJSON, JSON_TYPE, OPENAPI, ROOT, readAsked, SCHEMA } from './request.ts'
import { serveTileMatrixSets, serveTiles, TILE_PARAMETERS } from './tiles/serve.ts'
import { serveWrite, typesOf } from './writing/serve.ts'

/** The names of parameters and body fields that are specific to requests under `/ogc`. */
export const OGC_NAMES: readonly string[] = [
  ...[F.name, ...ITEMS_PARAMETERS, ...TILE_PARAMETERS],
  ...COLLECTIONS.flatMap(({ filters, writableIn }) => [...filters.keys(), ...Object.keys(writableIn(0).fields)]),
]

/** A request under `/ogc`. `ask` reads its parameters, and takes the media types of the answer. */
interface Context {
  readonly c: RequestContext
  readonly caller: Caller
  readonly ask: (known: Known, ...types: readonly string[]) => Asked
  readonly level: number
}

/** Serves every address of OGC API - Features, with or without a slash at its end. */
export const serveOgc =
  (version: string) =>
  async (c: RequestContext): Promise<Response> => {
    const { pathname } = new URL(c.req.url)
    const methods = methodsAtOgc(pathname)
    const caller = await admit(c, methods)
    const parts = partsAt(pathname).map(decode)
    if (c.req.method === 'OPTIONS') {
      await findCollection(c, caller, parts)
      return serveOptions(c, caller, methods)
    }
    const sent = queryOf(c)
    c.set('asked', { caller, parameters: sent.map(({ name }) => name) })
    const ask = (known: Known, ...types: readonly string[]) => readAsked(c, caller, sent, known, types)
    const [first, id, ...rest] = parts
    const context = { c, caller, ask, level: caller.level }
    if (first === undefined) return serveText(context, [JSON_TYPE], TITLE, landing)
    if (first === 'api' && id === undefined)
      return serveText(context, [OPENAPI, JSON_TYPE], 'API', (asked) => openapi(version, asked.root, COLLECTIONS))
    if (first === 'conformance' && id === undefined) return serveText(context, [JSON_TYPE], 'Conformance', conformance)
    if (first === 'tileMatrixSets') return serveTileMatrixSets(ask, parts.slice(1))
    if (first !== 'collections') throw notFound()
    return id === undefined ? serveCollections(context) : serveCollection(context, id, rest)
  }

/** Throws a 404 for a collection that the caller may not see. */
const findCollection = async (c: RequestContext, caller: Caller, [first, id]: readonly string[]): Promise<void> => {
  if (first !== 'collections' || id === undefined) return
  const planned = performance.now()
  const db = openDatabase(c.env.DB, { bookmark: c.req.header(BOOKMARK) ?? null, cheap: true, onRead: c.get('onRead') })
  try {
    await named(db, id, caller.level)
  } finally {
    reportCost(c, db, caller, planned)
  }
}

/** Answers OPTIONS with the methods that this caller may use, and with the types of bodies (Part 4, 6.5.5). */
const serveOptions = (c: RequestContext, { key }: Caller, methods: readonly string[]): Response => {
  const allowed = methods.filter((method) => key?.write === true || READ_METHODS.includes(method))
  c.header('Allow', allowed.join(', '))
  c.header('Cache-Control', 'no-store')
  const writing = ['POST', 'PUT', 'PATCH'].filter((method) => allowed.includes(method))
  return c.json(describe(TITLE, 'OGC API - Features.', [], [...new Set(writing.flatMap(typesOf))]))
}

/** Decodes a part of a path. Throws a 404 for a wrong percent encoding. */
const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    throw notFound()
  }
}

/** Answers with a document that depends on the address alone. */
const serveText = (
  { ask }: Context,
  types: readonly string[],
  title: string,
  make: (asked: Asked) => object,
): Response => {
  const asked = ask(NO_PARAMETERS, ...types)
  refuseFaults(asked.values)
  return asked.answer(make(asked), title)
}

const serveCollections = async ({ c, ask, level }: Context): Promise<Response> => {
  const asked = ask(NO_PARAMETERS, JSON_TYPE)
  const extents = await asked.read((db) => readExtents(db, COLLECTIONS, level))
  if (extents === null) return c.body(null, 304)
  const all = COLLECTIONS.flatMap((collection, i) =>
    extents[i] === undefined ? [] : [[collection, extents[i]] as const],
  )
  return asked.answer(collectionList(asked, all), 'Collections')
}

const serveCollection = async (context: Context, id: string, rest: readonly string[]): Promise<Response> => {
  const { c, caller, ask, level } = context
  const [part = '', ...more] = rest
  const own = COLLECTIONS.find((collection) => collection.id === id) ?? (SERIES.test(id) ? eventCollection : null)
  if (own === null) throw notFound()
  if (part === 'tiles' && !own.ofSeries)
    return serveTiles(ask, { own, level, find: (db) => named(db, id, level), isListed: own.id === id }, more)
  const [key, ...others] = more
  if (others.length > 0) throw notFound()
  if (writes(c.req.method, null))
    return serveWrite(c, caller, ask, { own, id, key: key ?? null, find: (db) => named(db, id, level) })
  if (part === 'items') return key === undefined ? serveItems(context, id, own) : serveItem(context, id, key)
  const make = DOCUMENTS[rest.join('/')]
  if (make !== undefined) {
    const asked = ask(NO_PARAMETERS, SCHEMA, JSON_TYPE)
    const collection = await asked.read((db) => named(db, id, level))
    return collection === null ? c.body(null, 304) : asked.answer(make(asked, collection), collection.title)
  }
  if (part !== '') throw notFound()
  const asked = ask(NO_PARAMETERS, JSON_TYPE)
  const found = await asked.read(async (db) => {
    const collection = await named(db, id, level)
    const [extent] = await readExtents(db, [collection], level)
    return extent === undefined ? null : { collection, extent }
  })
  if (found === null) return c.body(null, 304)
  return asked.answer(collectionDocument(asked, found.collection, found.extent), found.collection.title)
}

const DOCUMENTS: Readonly<Record<string, ((asked: Asked, collection: Collection) => object) | undefined>> = {
  queryables,
  schema: schemaOf,
  'schema/feature': featureSchema,
}

const SERIES = /^events-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Finds a collection by its id. Throws a 404 if the caller sees no such collection. */
const named = async (db: Database, id: string, level: number): Promise<Collection> => {
  const listed = COLLECTIONS.find((collection) => collection.id === id)
  if (listed !== undefined) return listed
  const [, uuid = ''] = SERIES.exec(id) ?? []
  const row = await fetchItem(db, eventSeriesV4, eq(eventSeries.uuid, uuid), level)
  if (row === null) throw notFound()
  return eventsOfSeries(row as SeriesRow)
}

/**
 * The parameters that choose a slice of the features, or its form. A cursor fits every slice of the same query, so its
 * key leaves them out.
 */
const SHOWN = new Set(['limit', 'offset', 'hint', 'f', 'resultType', 'crs'])

const serveItems = async ({ c, ask, level }: Context, id: string, own: Collection): Promise<Response> => {
  const asked = ask(knownOf(ITEMS_PARAMETERS, own.filters, ['bbox']), GEOJSON)
  const { parameters, values } = asked
  // Report faulty parameters first, and an unknown collection after them.
  const first = readItemsRequest(own, values)
  const { conditions, areas, bounds, limit } = first
  const key = await digest([ROOT, id, String(level), ...partsOf(parameters.filter(({ name }) => !SHOWN.has(name)))])
  const hint = new TextDecoder().decode(values.bytes.get('hint') ?? new Uint8Array())
  const inArea = bounds !== null || areas.length > 0
  const fetch = async (db: Database) => {
    const collection = await named(db, id, level)
    const request = collection === own ? first : readItemsRequest(collection, values)
    const slice = await readDecided(db, collection, request, level, [], (decided) =>
      readItems(db, collection, decided, { hint, key, level, seal: sealOf(c.env) }),
    )
    return itemsContent(asked, id, collection, request, slice)
  }
  const cheap = !inArea && first.offset === 0 && isCheap(conditions, limit)
  return asked.serve(inArea || worthCaching(conditions, limit), fetch, undefined, cheap)
}

const serveItem = async ({ c, ask, level }: Context, id: string, key: string): Promise<Response> => {
  const asked = ask(knownOf(['crs']), GEOJSON)
  const srid = read(asked.values, 'crs', sridOf, 0)
  const found = await asked.read(async (db) => {
    const collection = await named(db, id, level)
    const row = await fetchItem(db, collection.resource, collection.find(key), level)
    if (row === null) throw notFound()
    return { collection, feature: collection.featureOf(row) }
  })
  if (found === null) return c.body(null, 304)
  const { collection, feature } = found
  c.header('Content-Crs', `<${uriOf(srid)}>`)
  return asked.answer(itemDocument(asked, id, collection, feature, srid), `${collection.title} ${feature.id}`)
}
