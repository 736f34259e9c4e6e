import type { Caller } from '../caller.ts'
import { fetchItem } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { fetchTile } from '../engine/tile.ts'
import { notFound, ValueError } from '../errors.ts'
import { inOneArea } from '../filters/spatial.ts'
import { isItems } from '../formats/formats.ts'
import { box } from '../geometry/box.ts'
import { costOf } from '../request/cache.ts'
import { itemsHeaders } from '../request/file.ts'
import { LOCALE } from '../request/page.ts'
import { knownOf, NO_PARAMETERS, read } from '../request/parameters.ts'
import { digest, partsOf, sealOf } from '../request/query.ts'
import { refuseState } from '../request/read.ts'
import { itemTag, respond } from '../request/respond.ts'
import type { RequestContext } from '../request/route.ts'
import { readDecided } from './areas.ts'
import { collectionList } from './collectionDocuments.ts'
import { sridOf, uriOf } from './crs.ts'
import type { OF_COLLECTION } from './documents.ts'
import { itemDocument, itemsContent } from './features.ts'
import { readItems, readItemsRequest } from './items.ts'
import { ITEMS, TILE_PARAMETERS } from './parameters.ts'
import { ask, DOCUMENT, FEATURES, type OgcAsked, ROOT, TILE } from './request.ts'
import { EXCLUDED, PROPERTIES, readSelection, selecting } from './selection.ts'
import { COLLECTIONS, type CollectionTarget } from './target.ts'
import { blockOf, deepestOf, isTile, reachOf, type Tile, type TileMatrixSet } from './tileMatrix.ts'
import { MOST, TILE_TABLE, tileOf } from './tiles.ts'

export type ServeCollection = (c: RequestContext, caller: Caller, target: CollectionTarget) => Promise<Response>

/** Answers with the list of collections. */
export const serveCollections = async (c: RequestContext, caller: Caller): Promise<Response> => {
  const asked = ask(c, caller, NO_PARAMETERS, DOCUMENT)
  const fetch = async (db: Database) => {
    const body = await collectionList(asked, COLLECTIONS, db)
    return { headers: {}, body, title: 'Collections' }
  }
  return respond(c, asked, fetch)
}

/** Answers with a document about a collection. */
export const serveDocument = async (
  c: RequestContext,
  caller: Caller,
  { own, set, find }: CollectionTarget,
  { make, tag, offer }: (typeof OF_COLLECTION)[number],
): Promise<Response> => {
  const isOfTiles = tag === 'Tiles'
  const known = isOfTiles ? knownOf(TILE_PARAMETERS, own.resource.filters, ['bbox']) : NO_PARAMETERS
  const asked = ask(c, caller, known, offer)
  // Refuse a query here if the tiles would refuse it.
  if (isOfTiles) readItemsRequest(own, asked.values)
  const fetch = async (db: Database) => {
    const collection = await find(db, caller.level)
    return { headers: {}, body: await make(asked, collection, set, db), title: collection.title }
  }
  return respond(c, asked, fetch)
}

/** Reads the reference system of an answer. The formats of lists have no other than longitude and latitude. */
const systemOf = ({ values, format }: OgcAsked): number => {
  const systemIn = (uri: string) => {
    const srid = sridOf(uri)
    if (srid === 0 || !isItems(format)) return srid
    throw new ValueError('Only f=json, f=geojson and f=html accept other reference systems. Leave crs out.')
  }
  return read(values, 'crs', systemIn, 0)
}

/**
 * The parameters that choose a slice of the features, or its form. A cursor fits every slice of the same query, so its
 * key leaves them out.
 */
const SHOWN = new Set(['limit', 'offset', 'hint', 'f', 'resultType', 'crs', LOCALE, PROPERTIES, EXCLUDED])

export const serveItems: ServeCollection = async (c, caller, { id, own, find }) => {
  const { level } = caller
  const lists = ['bbox', 'sortby', PROPERTIES, EXCLUDED]
  const known = knownOf(Object.keys(ITEMS), own.resource.filters, lists)
  const asked = ask(c, caller, known, FEATURES, own.resource.controls)
  const { parameters, values } = asked
  const chosen = readSelection(own, values, asked.format)
  // Report faulty parameters first, and an unknown collection after them.
  const request = readItemsRequest(own, values)
  systemOf(asked)
  const { areas, box, limit, offset } = request
  const conditions = request.conditions([])
  const key = await digest([ROOT, id, String(level), ...partsOf(parameters.filter(({ name }) => !SHOWN.has(name)))])
  const continuation = { key, hint: read(values, 'hint', (text) => text, ''), seal: sealOf(c.env) }
  const inArea = box !== null || areas.length > 0
  const fetch = async (db: Database) => {
    const collection = await find(db, level)
    const slice = await readDecided(db, collection, request, level, [], (decided) =>
      readItems(db, collection, decided, request, level, continuation),
    )
    return itemsContent(asked, id, selecting(collection, chosen), request, slice)
  }
  return respond(c, asked, fetch, { cost: inArea ? 'high' : costOf(conditions, limit, offset === 0) })
}

export const serveItem: ServeCollection = async (c, caller, { id, own, find }) => {
  const lists = [PROPERTIES, EXCLUDED]
  const asked = ask(c, caller, knownOf(['crs', LOCALE, ...lists], undefined, lists), FEATURES, own.resource.controls)
  const srid = systemOf(asked)
  const chosen = readSelection(own, asked.values, asked.format)
  const fetch = async (db: Database) => {
    const collection = selecting(await find(db, caller.level), chosen)
    const row = await fetchItem(
      db,
      collection.resource,
      collection.resource.find(c.req.param('key') ?? ''),
      caller.level,
    )
    if (row === null) throw notFound()
    const { format, links } = asked
    if (isItems(format)) {
      const headers = itemsHeaders(format, collection.resource, [[String(row.id), '']])
      const body = format.item(collection.resource, links, row)
      return { headers, body, tag: await itemTag(asked, row, { body }) }
    }
    const feature = collection.featureOf(row)
    const body = itemDocument(asked, id, collection, feature, srid)
    const title = `${collection.title} ${feature.id}`
    const headers = { 'Content-Crs': `<${uriOf(srid)}>` }
    return { headers, body, title, tag: await itemTag(asked, row, { body, title }) }
  }
  return respond(c, asked, fetch)
}

export const serveTile: ServeCollection = async (c, caller, { own, set, find, isListed }) => {
  const { level } = caller
  const tile = tileAt(c, set)
  const asked = ask(c, caller, knownOf(TILE_PARAMETERS, own.resource.filters, ['bbox']), TILE)
  refuseState(asked)
  // Report faulty parameters first, and an unknown collection after them.
  const request = readItemsRequest(own, asked.values)
  const inBounds = request.box === null ? [] : [request.box.strict]
  const fetch = async (db: Database) => {
    const collection = await find(db, level)
    const content = await readDecided(db, collection, request, level, [box(reachOf(set, tile))], (decided) => {
      const conditions = inOneArea([...decided, ...inBounds])
      return fetchTile(db, TILE_TABLE, { conditions, block: blockOf(set, tile), most: MOST }, level)
    })
    return { headers: {}, body: tileOf(set, tile, content) }
  }
  // The collection of a series may be gone.
  return respond(c, asked, fetch, { cost: 'high', mayBeOld: true, exists: isListed })
}

/** Reads the level, row and column of a tile. Throws a 404 beyond the limits. */
const tileAt = (c: RequestContext, set: TileMatrixSet): Tile => {
  const numberAt = (name: string) => {
    const text = c.req.param(name) ?? ''
    return /^\d{1,7}$/.test(text) ? Number(text) : -1
  }
  const tile = { level: numberAt('level'), row: numberAt('row'), column: numberAt('column') }
  if (tile.level > deepestOf(set) || !isTile(set, tile)) throw notFound()
  return tile
}
