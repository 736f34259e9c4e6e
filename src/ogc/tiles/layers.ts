import { eq, sql } from 'drizzle-orm'
import { categories, events as event, eventSeries } from '../../../schema/tables.ts'
import { events } from '../../api/v3/events.ts'
import type { Schema } from '../../filters/lookups.ts'
import { cellAt, cellBounds } from '../../geometry/cell.ts'
import type { RowOf } from '../../query/table.ts'
import type { TileContent } from '../../query/tiles/tile.ts'
import { boundsOf, place, type Tile, type TileMatrixSet } from '../../tiles/matrix.ts'
import { EXTENT, encodeTile, type Point, type TileFeature } from '../../tiles/mvt.ts'

/** What is read of an event, which has a place. */
const columns = {
  id: event.id,
  x: event.x,
  y: event.y,
  category: categories.text,
  uuid: eventSeries.uuid,
  color: eventSeries.color,
  start: event.start,
  end: event.end,
}
type TileRow = RowOf<typeof columns> & { readonly x: number; readonly y: number }

/** What a tile reads of events: no more than a map needs, which the index of cells has at hand. */
export const TILE_TABLE = {
  ...events,
  columns,
  joins: sql`LEFT JOIN ${categories} ON ${eq(categories.id, event.categoryId)}
    LEFT JOIN ${eventSeries} ON ${eq(eventSeries.id, event.eventSeriesId)}`,
}

/** How many events a tile tells one by one. */
export const MOST = 3000

/** The layers of a tile: what their features have, and what the features are. */
export const LAYERS: readonly {
  readonly id: string
  readonly description: string
  readonly geometryDimension: number
  readonly properties: Readonly<Record<string, Schema>>
}[] = [
  {
    id: 'events',
    description: `The events, where a tile has no more than ${MOST}.`,
    geometryDimension: 0,
    properties: {
      category: { title: 'Category', type: 'string' },
      event_series: { title: 'Series', type: 'string', format: 'uuid' },
      color: { title: 'Colour of the series', type: 'string' },
      start: { title: 'Start, in milliseconds since 1970', type: 'integer' },
      end: { title: 'End, in milliseconds since 1970', type: 'integer' },
    },
  },
  {
    id: 'cells',
    description: 'Cells of a grid and how many events each has, where a tile has more. A cell is in one tile.',
    geometryDimension: 2,
    properties: { count: { title: 'Number of events', type: 'integer' } },
  },
]

/** A vector tile of what was read for it. */
export const tileOf = (
  set: TileMatrixSet,
  tile: Tile,
  level: number,
  content: TileContent,
): Uint8Array<ArrayBuffer> => {
  const at = (x: number, y: number): Point => place(set, tile, x, y, EXTENT)
  const [points, cells] =
    'rows' in content
      ? [content.rows.map((row) => pointOf(row as TileRow, at)), []]
      : [[], Array.from(content.cells, ([cell, count]) => cellOf(set, tile, level, cell, count, at))]
  return encodeTile([
    { name: 'events', features: points },
    { name: 'cells', features: cells },
  ])
}

const pointOf = ({ id, x, y, category, uuid, color, start, end }: TileRow, at: (x: number, y: number) => Point) => ({
  id,
  shape: { point: at(x, y) },
  properties: { category, event_series: uuid, color, start, end },
})

/** A cell as it is seen in its tile: at its edges it ends there, as what is beyond is drawn by another. */
const cellOf = (
  set: TileMatrixSet,
  tile: Tile,
  level: number,
  cell: number,
  count: number,
  at: (x: number, y: number) => Point,
): TileFeature => {
  const [west, south, east, north] = cellBounds(cellAt(level, cell))
  const [, least, , greatest] = boundsOf(set, tile)
  const height = north - south
  // The first or last row reaches to the edge, whether its cells end before it or beyond.
  const [bottom, top] = [south - least < height / 2 ? least : south, greatest - north <= height / 2 ? greatest : north]
  const ring = [at(west, top), at(east, top), at(east, bottom), at(west, bottom)]
  // A number of its own among those of all levels.
  return { id: cell * 2 ** 5 + level, shape: { rings: [ring] }, properties: { count } }
}
