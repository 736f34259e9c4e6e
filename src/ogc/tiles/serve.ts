import type { Caller } from '../../caller.ts'
import type { Database } from '../../engine/run/database.ts'
import { fetchTile, type TileContent } from '../../engine/tiles/tile.ts'
import { notFound } from '../../errors.ts'
import { inOneArea } from '../../filters/spatial.ts'
import { box } from '../../geometry/box.ts'
import { answer } from '../../request/answer.ts'
import { knownOf } from '../../request/parameters.ts'
import type { RequestContext } from '../../request/route.ts'
import { none, tagsOnly } from '../../request/validators.ts'
import { blockOf, deepestOf } from '../../tiles/cells.ts'
import { isTile, reachOf, type Tile, type TileMatrixSet } from '../../tiles/matrix.ts'
import { readDecided } from '../areas.ts'
import type { Collection } from '../collection.ts'
import type { CollectionTarget } from '../collections.ts'
import { boxIn } from '../crs.ts'
import { type ItemsRequest, readItemsRequest } from '../itemsRequest.ts'
import { TILE_PARAMETERS } from '../parameters.ts'
import { ask, documents, JSON_TYPE, type OgcAsked, TILE } from '../request.ts'
import { MOST, TILE_TABLE, tileOf } from './layers.ts'

type ServeTarget = (c: RequestContext, caller: Caller, target: CollectionTarget) => Promise<Response>

/** Answers with a document about the tiles of a collection. */
export const serveTileDocument =
  (make: (asked: OgcAsked, collection: Collection) => object, ...types: readonly string[]): ServeTarget =>
  async (c, caller, { own, find }) => {
    const asked = ask(c, caller, knownOf(TILE_PARAMETERS, own.filters, ['bbox']), documents(JSON_TYPE, ...types))
    // Refuse a query here if the tiles would refuse it.
    readItemsRequest(own, asked.values)
    const fetch = async (db: Database) => {
      const collection = await find(db, caller.level)
      return { headers: {}, body: make(asked, collection), title: collection.title }
    }
    return answer(c, asked, { fetch, cheap: true })
  }

/** Serves the tiles of a collection. */
export const serveTile =
  (set: TileMatrixSet): ServeTarget =>
  async (c, caller, { own, find, isListed }) => {
    const tile = tileAt(c, set)
    const asked = ask(c, caller, knownOf(TILE_PARAMETERS, own.filters, ['bbox']), TILE)
    // Report faulty parameters first, and an unknown collection after them.
    readItemsRequest(own, asked.values)
    const fetch = async (db: Database) => {
      const collection = await find(db, caller.level)
      const request = readItemsRequest(collection, asked.values)
      return { headers: {}, body: tileOf(set, tile, await readTile(db, collection, request, set, tile, caller.level)) }
    }
    return answer(c, asked, { fetch, early: isListed ? tagsOnly : none, cache: { expensive: true } })
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

const readTile = async (
  db: Database,
  collection: Collection,
  request: ItemsRequest,
  set: TileMatrixSet,
  tile: Tile,
  level: number,
): Promise<TileContent> => {
  const block = blockOf(set, tile)
  const { bounds, boundsIn } = request
  const inBounds =
    bounds === null
      ? []
      : [boundsIn === 0 ? collection.inBox(bounds).strict : collection.inShape(boxIn(bounds, boundsIn)).strict]
  return readDecided(db, collection, request, level, [box(reachOf(set, tile))], (decided) => {
    const conditions = inOneArea([...decided.conditions, ...inBounds])
    return fetchTile(db, TILE_TABLE, TILE_TABLE.access, { conditions, block, most: MOST }, level)
  })
}
