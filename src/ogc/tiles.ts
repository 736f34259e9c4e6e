import { sql } from 'drizzle-orm'
import { events as event } from '../../schema/tables.ts'
import { events, SERIES_JOIN } from '../api/events.ts'
import type { TileContent } from '../engine/tiles/tile.ts'
import type { Schema } from '../filters/lookups.ts'
import { EXTENT, encodeTile, type Point, type TileFeature, type TileProperties } from '../formats/mvt.ts'
import { type Cell, cellAt, cellBounds, cellIn } from '../geometry/cell.ts'
import { EVENT, type JoinedEventRow } from '../model/event.ts'
import { featureSchemasOf, plainWriterOf } from '../model/members.ts'
import { columnsOf, joinedColumnsOf, joinsOf, shownOn } from '../model/rows.ts'
import { cellLevelOf, partsOf, shownIn, type Tile, type TileMatrixSet } from './tileMatrix.ts'

const properties = plainWriterOf(EVENT, 'tile')

const columns = {
  ...{ id: event.id, x: event.x, y: event.y },
  ...columnsOf(shownOn(EVENT, 'tile')),
  ...joinedColumnsOf(EVENT, 'tile'),
}
type TileRow = JoinedEventRow & { readonly x: number; readonly y: number }

/** The events, with few columns. A map needs no more, and the index `event_of_cell` holds most of them. */
export const TILE_TABLE = {
  ...events,
  columns,
  joins: sql`${joinsOf(shownOn(EVENT, 'tile'))} ${SERIES_JOIN}`,
}

/** The most events that a tile shows one by one. */
export const MOST = 3000

/** The layers of a tile, and the properties of their features. */
export const LAYERS: readonly {
  readonly id: string
  readonly description: string
  readonly geometryDimension: number
  readonly properties: Readonly<Record<string, Schema>>
}[] = [
  {
    id: 'events',
    description: `The events of a tile that has at most ${MOST}.`,
    geometryDimension: 0,
    properties: featureSchemasOf(EVENT, 'tile'),
  },
  {
    id: 'cells',
    description:
      'Cells of a grid with the number of their events, for a tile that has more events. If two tiles share a cell, each counts its own events.',
    geometryDimension: 2,
    properties: { count: { title: 'Number of events', type: 'integer' } },
  },
]

export const tileOf = (set: TileMatrixSet, tile: Tile, content: TileContent): Uint8Array<ArrayBuffer> => {
  const layers =
    'rows' in content
      ? { name: 'events', features: content.rows.map((row) => pointOf(set, tile, row as TileRow)) } // as read
      : { name: 'cells', features: cellsOf(set, tile, content.cells) }
  return encodeTile([layers])
}

const pointOf = (set: TileMatrixSet, tile: Tile, row: TileRow) => {
  const [across, down] = partsOf(set, tile, row.x, row.y)
  // Rounding and places beyond the end of the set must not move a point out of its tile.
  const unit = (part: number): number => Math.min(Math.max(Math.floor(part * EXTENT), 0), EXTENT - 1)
  return {
    id: row.id,
    shape: { point: [unit(across), unit(down)] as const },
    properties: properties(row) as TileProperties, // the surface 'tile' has no other types
  }
}

/** Makes the features of cells. The keys of `counts` are the numbers of the cells at the level of the tile. */
const cellsOf = (set: TileMatrixSet, tile: Tile, counts: ReadonlyMap<number, number>): TileFeature[] => {
  const level = cellLevelOf(set, tile.level)
  const shown = new Map<number, number>()
  for (const [index, count] of counts) {
    const { column, row } = shownIn(set, cellAt(level, index))
    const cell = cellIn(column, row)
    shown.set(cell, (shown.get(cell) ?? 0) + count)
  }
  return Array.from(shown, ([cell, count]) => cellOf(set, tile, cellAt(level, cell), count))
}

/** Draws the part of a cell inside the tile. It is at least one unit high, because a flat polygon would be invisible. */
const cellOf = (set: TileMatrixSet, tile: Tile, cell: Cell, count: number): TileFeature => {
  const [west, south, east, north] = cellBounds(cell)
  const [[left, upper], [right, lower]] = [partsOf(set, tile, west, north), partsOf(set, tile, east, south)]
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
  return { id: cellIn(cell.column, cell.row) * 2 ** 5 + cell.level, shape: { rings: [ring] }, properties: { count } }
}
