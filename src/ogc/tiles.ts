import { notFound } from '../base/errors.ts'
import type { TileContent as Content, Reader } from '../engine/engine.ts'
import { EXTENT, encodeTile, type Point, type TileFeature, type TileProperties } from '../formats/mvt.ts'
import { CELL_LEVELS, type Cell, cellAt, cellBounds, cellIn, cellOf } from '../geometry/cell.ts'
import { respond } from '../http/respond.ts'
import { narrowed } from '../http/selection.ts'
import { EVENT } from '../model/event.ts'
import { readsOf, shownOn, writerOf } from '../model/members.ts'
import type { EventRow } from '../model/types.ts'
import type { FieldName } from '../question/fields.ts'
import type { Collection } from './collection.ts'
import { tileMembers } from './columns.ts'
import { selectionIn } from './features.ts'
import { TILE_PARAMETERS } from './parameters.ts'
import { type CollectionHandler, readOgcQuery, TILE } from './request.ts'
import {
  blockOf,
  cellLevelOf,
  deepestOf,
  isTile,
  MOST,
  partsInTile,
  shownCell,
  type Tile,
  type TileMatrixSet,
} from './tileMatrix.ts'

/** A tile has few fields. A map needs no more, and the index `event_of_cell` holds most of them. */
const FIELDS = [...new Set<FieldName>(['id', 'x', 'y', ...readsOf(shownOn(EVENT, 'tile'), 'tile')])]

const readsIn = ({ owner }: Collection): readonly FieldName[] =>
  owner === null ? FIELDS : [...FIELDS, 'value', 'attributes']
type TileRow = EventRow & { readonly x: number; readonly y: number }

export const serveTile: CollectionHandler = async (c, caller, own, set) => {
  const numberAt = (name: string) => {
    const text = c.req.param(name) ?? ''
    return /^\d{1,7}$/.test(text) ? Number(text) : -1
  }
  const tile = { level: numberAt('level'), row: numberAt('row'), column: numberAt('column') }
  if (tile.level > deepestOf(set) || !isTile(set, tile)) throw notFound()
  const query = readOgcQuery(c, caller, TILE, TILE_PARAMETERS, { filters: own.filters })
  const asked = selectionIn(own, query)
  const fetch = async (reader: Reader) => {
    const selection = narrowed(own.owner, asked)
    const content = await reader.tile(selection, { block: blockOf(set, tile), most: MOST, fields: readsIn(own) })
    return { headers: {}, body: tileOf(set, tile, content, writerOf(tileMembers(own))) }
  }
  return respond(c, query, fetch, { cost: 'high', mayBeOld: true, exists: true })
}

/** Writes a tile. Each tile has cells, so that a map can show cells on both sides of a tile. */
const tileOf = (
  set: TileMatrixSet,
  tile: Tile,
  content: Content,
  properties: ReturnType<typeof writerOf>,
): Uint8Array<ArrayBuffer> => {
  if ('cells' in content) return encodeTile([{ name: 'cells', features: cellsOf(set, tile, content.cells, null) }])
  const rows = content.rows as readonly TileRow[] // as read
  const size = 4 ** (CELL_LEVELS - cellLevelOf(set, tile.level))
  const counts = rows.map(({ x, y }) => [Math.floor(cellOf(x, y) / size), 1] as const)
  return encodeTile([
    {
      name: 'events',
      features: rows.map((row) => ({ ...pointOf(set, tile, row), properties: properties(row) as TileProperties })),
    },
    { name: 'cells', features: cellsOf(set, tile, counts, true) },
  ])
}

const pointOf = (set: TileMatrixSet, tile: Tile, row: TileRow) => {
  const [across, down] = partsInTile(set, tile, row.x, row.y)
  // Rounding and places beyond the end of the set must not move a point out of its tile.
  const unit = (part: number): number => Math.min(Math.max(Math.floor(part * EXTENT), 0), EXTENT - 1)
  return {
    id: row.id,
    shape: { point: [unit(across), unit(down)] as const },
  }
}

/** Makes the features of cells. Each count has the number of its cell, at the level of the tile. */
const cellsOf = (
  set: TileMatrixSet,
  tile: Tile,
  counts: Iterable<readonly [index: number, count: number]>,
  has_events: true | null,
): TileFeature[] => {
  const level = cellLevelOf(set, tile.level)
  const shown = new Map<number, number>()
  for (const [index, count] of counts) {
    const { column, row } = shownCell(set, cellAt(level, index))
    const cell = cellIn(column, row)
    shown.set(cell, (shown.get(cell) ?? 0) + count)
  }
  return Array.from(shown, ([cell, count]) => squareOf(set, tile, cellAt(level, cell), { count, has_events }))
}

/** Draws the part of a cell inside the tile. It is at least one unit high, because a flat polygon would be invisible. */
const squareOf = (set: TileMatrixSet, tile: Tile, cell: Cell, properties: TileProperties): TileFeature => {
  const [west, south, east, north] = cellBounds(cell)
  const [[left, upper], [right, lower]] = [partsInTile(set, tile, west, north), partsInTile(set, tile, east, south)]
  const unit = (part: number, most: number): number => Math.min(Math.max(Math.round(part * EXTENT), 0), most)
  const top = unit(upper, EXTENT - 1)
  const bottom = Math.max(unit(lower, EXTENT), top + 1)
  const [from, to] = [unit(left, EXTENT), unit(right, EXTENT)]
  const ring: Point[] = [
    [from, top],
    [to, top],
    [to, bottom],
    [from, bottom],
  ]
  // The id is unique among the cells of all levels.
  return { id: cellIn(cell.column, cell.row) * 2 ** 5 + cell.level, shape: { ring }, properties }
}
