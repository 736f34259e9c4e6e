import { notFound } from '../../errors.ts'
import { inOneArea } from '../../filters/spatial.ts'
import { box } from '../../geometry/box.ts'
import type { Database } from '../../query/db/d1.ts'
import { fetchTile, type TileContent } from '../../query/tiles/tile.ts'
import { type Known, knownOf, NO_PARAMETERS, refuseFaults } from '../../request/parameters.ts'
import { none, tagsOnly } from '../../request/validators.ts'
import { blockOf, deepestOf } from '../../tiles/cells.ts'
import { isTile, reachOf, TILE_MATRIX_SETS, type Tile, type TileMatrixSet, WEB_MERCATOR } from '../../tiles/matrix.ts'
import { MVT } from '../../tiles/mvt.ts'
import { readDecided } from '../areas.ts'
import type { Collection } from '../collection.ts'
import { boxIn } from '../crs.ts'
import { type ItemsRequest, readItemsRequest } from '../itemsRequest.ts'
import { type Asked, JSON_TYPE } from '../request.ts'
import { STYLE, style, tileJson, tileMatrixSet, tileMatrixSets, tileset, tilesets } from './documents.ts'
import { MOST, TILE_TABLE, tileOf } from './layers.ts'

/** The parameters of tiles, in addition to the filters of their collection. */
export const TILE_PARAMETERS = ['bbox', 'datetime', 'filter', 'filter-lang', 'filter-crs', 'bbox-crs']

/**
 * A collection whose tiles a client requests. `own` is known from its id, and `find` reads the rest from the database.
 */
export interface Tiled {
  readonly own: Collection
  readonly find: (db: Database) => Promise<Collection>
  /** True if every caller may know that the collection exists. */
  readonly isListed: boolean
  readonly level: number
}

type Ask = (known: Known, ...types: readonly string[]) => Asked

/** Serves the addresses below `/tileMatrixSets`. */
export const serveTileMatrixSets = (ask: Ask, [id, ...more]: readonly string[]): Response => {
  const set = id === undefined ? null : setNamed(id)
  if (more.length > 0) throw notFound()
  const asked = ask(NO_PARAMETERS, JSON_TYPE)
  refuseFaults(asked.values)
  return set === null
    ? asked.answer(tileMatrixSets(asked), 'Tile matrix sets')
    : asked.answer(tileMatrixSet(asked, set), set.title)
}

/** Serves the addresses below `/tiles` of a collection. */
export const serveTiles = async (ask: Ask, tiled: Tiled, [id, ...rest]: readonly string[]): Promise<Response> => {
  if (id === undefined) return serveDocument(ask, tiled, tilesets)
  const set = setNamed(id)
  const [first] = rest
  if (first === undefined) return serveDocument(ask, tiled, (asked, collection) => tileset(asked, collection, set))
  if (rest.length === 1 && set === WEB_MERCATOR && first === 'tilejson.json')
    return serveDocument(ask, tiled, (asked, collection) => tileJson(asked, collection, above(asked)))
  if (rest.length === 1 && set === WEB_MERCATOR && first === 'style.json')
    return serveDocument(ask, tiled, (asked, collection) => style(asked, collection, above(asked)), STYLE)
  return serveTile(ask, tiled, set, tileNamed(set, rest))
}

const above = ({ address }: Asked): string => address.replace(/\/[^/]+$/, '')

const setNamed = (id: string): TileMatrixSet => {
  const set = TILE_MATRIX_SETS.find((each) => each.id === id)
  if (set === undefined) throw notFound()
  return set
}

/** Reads the level, row and column of a tile. Throws a 404 beyond the limits. */
const tileNamed = (set: TileMatrixSet, parts: readonly string[]): Tile => {
  const [level = -1, row = -1, column = -1] = parts.map((part) => (/^\d{1,7}$/.test(part) ? Number(part) : -1))
  const tile = { level, row, column }
  if (parts.length !== 3 || level > deepestOf(set) || !isTile(set, tile)) throw notFound()
  return tile
}

const serveDocument = async (
  ask: Ask,
  { own, find }: Tiled,
  make: (asked: Asked, collection: Collection) => object,
  ...types: readonly string[]
): Promise<Response> => {
  const asked = ask(knownOf(TILE_PARAMETERS, own.filters, ['bbox']), JSON_TYPE, ...types)
  // Refuse a query here if the tiles would refuse it.
  readItemsRequest(own, asked.values)
  const fetch = async (db: Database) => {
    const collection = await find(db)
    return { headers: {}, body: make(asked, collection), title: collection.title }
  }
  return asked.serve(false, fetch, none, true)
}

const serveTile = (
  ask: Ask,
  { own, find, level, isListed }: Tiled,
  set: TileMatrixSet,
  tile: Tile,
): Promise<Response> => {
  const asked = ask(knownOf(TILE_PARAMETERS, own.filters, ['bbox']), MVT)
  // Report faulty parameters first, and an unknown collection after them.
  readItemsRequest(own, asked.values)
  const fetch = async (db: Database) => {
    const collection = await find(db)
    const request = readItemsRequest(collection, asked.values)
    return { headers: {}, body: tileOf(set, tile, await readTile(db, collection, request, set, tile, level)) }
  }
  return asked.serve(true, fetch, isListed ? tagsOnly : none)
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
