import { notFound } from '../../errors.ts'
import { inOneArea } from '../../filters/spatial.ts'
import { box } from '../../geometry/box.ts'
import { type Known, knownOf, NO_PARAMETERS, refuseFaults } from '../../http/parameters.ts'
import { none, tagsOnly } from '../../http/validators.ts'
import type { Database } from '../../query/db/d1.ts'
import { fetchTile, type TileContent } from '../../query/tiles/tile.ts'
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

/** What tiles take beside the filters of their collection. */
export const TILE_PARAMETERS = ['bbox', 'datetime', 'filter', 'filter-lang', 'filter-crs', 'bbox-crs']

/** A collection whose tiles are asked for: what is known of it before it is looked for, and what looks for it. */
export interface Tiled {
  readonly own: Collection
  readonly find: (db: Database) => Promise<Collection>
  /** Everyone may know that it is there. */
  readonly isListed: boolean
  readonly level: number
}

type Ask = (known: Known, ...types: readonly string[]) => Asked

/** Answers below `/tileMatrixSets`. */
export const serveTileMatrixSets = (ask: Ask, [id, ...more]: readonly string[]): Response => {
  const set = id === undefined ? null : setNamed(id)
  if (more.length > 0) throw notFound()
  const asked = ask(NO_PARAMETERS, JSON_TYPE)
  refuseFaults(asked.values)
  return set === null
    ? asked.answer(tileMatrixSets(asked), 'Tile matrix sets')
    : asked.answer(tileMatrixSet(asked, set), set.title)
}

/** Answers below `/tiles` of a collection. */
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

/** The tile at a level, a row and a column; a 404 beyond the limits. */
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
  // What tiles would refuse, what leads to them refuses.
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
  // Its faults are told before it is looked whether there is such a collection.
  readItemsRequest(own, asked.values)
  const fetch = async (db: Database) => {
    const collection = await find(db)
    const wanted = readItemsRequest(collection, asked.values)
    return { headers: {}, body: tileOf(set, tile, await readTile(db, collection, wanted, set, tile, level)) }
  }
  return asked.serve(true, fetch, isListed ? tagsOnly : none)
}

const readTile = async (
  db: Database,
  collection: Collection,
  wanted: ItemsRequest,
  set: TileMatrixSet,
  tile: Tile,
  level: number,
): Promise<TileContent> => {
  const block = blockOf(set, tile)
  const { bounds, boundsIn } = wanted
  const inBounds =
    bounds === null
      ? []
      : [boundsIn === 0 ? collection.inBox(bounds).strict : collection.inShape(boxIn(bounds, boundsIn)).strict]
  return readDecided(db, collection, wanted, level, [box(reachOf(set, tile))], (decided) => {
    const conditions = inOneArea([...decided.conditions, ...inBounds])
    return fetchTile(db, TILE_TABLE, TILE_TABLE.access, { conditions, block, most: MOST }, level)
  })
}
