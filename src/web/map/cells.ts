import type { AddProtocolAction } from 'maplibre-gl'
import { PbfReader } from 'pbf'
import { EXTENT, encodeTile } from '../../formats/mvt.ts'
import { CELL_LEVELS, cellAt, cellBounds, cellIn, cellOf } from '../../geometry/cell.ts'
import { keyInUse } from '../state/service.ts'

/** The protocol of the addresses of tiles in the map. */
export const PROTOCOL = 'events'

/** Cells with this property count the events of a tile that also shows them one by one. */
export const FEW = 'few'

/** The parameter with the last state that had passed. */
let passed = ''

/** Loads a tile of the service. A tile of events also gets cells with their counts. */
export const loadTile: AddProtocolAction = async ({ url }, { signal }) => {
  const address = `${location.protocol}${url.slice(PROTOCOL.length + 1)}`
  const key = keyInUse()
  const headers: HeadersInit = key === null ? {} : { Authorization: `Bearer ${key}` }
  const [state = ''] = /[?&]state=[^&]*$/.exec(address) ?? []
  const current = address.slice(0, address.length - state.length)
  const first = await fetch(state === passed ? current : address, { headers, signal })
  if (first.status === 409) passed = state
  const response = first.status === 409 ? await fetch(current, { headers, signal }) : first
  if (!response.ok) throw new Error(`A tile has status ${response.status}.`)
  const tile = new Uint8Array(await response.arrayBuffer())
  const [z = 0, y = 0, x = 0] = (/\/(\d+)\/(\d+)\/(\d+)(?:\?|$)/.exec(address) ?? []).slice(1).map(Number)
  const cells = encodeTile([{ name: 'cells', features: cellsOf(pointsOf(tile), 2 ** z, x, y) }])
  const data = new Uint8Array(tile.length + cells.length)
  data.set(tile)
  data.set(cells, tile.length)
  return { data: data.buffer }
}

type Position = readonly [x: number, y: number]

/** Reads the positions of the events of a tile (Mapbox Vector Tile 2.1). A tile of cells has no points. */
const pointsOf = (tile: Uint8Array): Position[] => {
  const points: Position[] = []
  let isPoint = false
  new PbfReader(tile).readFields((field, _, pbf) => {
    if (field === 3) pbf.readMessage(readLayer, null)
  }, null)
  return points

  function readLayer(field: number, _: unknown, pbf: PbfReader) {
    if (field === 2) pbf.readMessage(readFeature, null)
  }
  function readFeature(field: number, _: unknown, pbf: PbfReader) {
    if (field === 3) isPoint = pbf.readVarint() === 1
    else if (field === 4 && isPoint) {
      const [, x = 0, y = 0] = pbf.readPackedVarint()
      points.push([zigzag(x), zigzag(y)])
    }
  }
}

const zigzag = (value: number): number => (value >>> 1) ^ -(value & 1)

/** A tile is 2^5 cells wide, as in src/ogc/tileMatrix.ts. Cells of a level above 20 are never counted. */
const levelOf = (tiles: number): number => Math.min(Math.log2(tiles) + 5, 20)

/** Counts points by cell. `tiles` is the number of tiles across the world. */
const cellsOf = (points: readonly Position[], tiles: number, column: number, row: number) => {
  const level = levelOf(tiles)
  const counts = new Map<number, number>()
  for (const [x, y] of points) {
    const longitude = ((column + (x + 0.5) / EXTENT) / tiles) * 360 - 180
    const latitude = Math.atan(Math.sinh(Math.PI * (1 - (2 * (row + (y + 0.5) / EXTENT)) / tiles))) / DEGREE
    const cell = Math.floor(cellOf(longitude, latitude) / 4 ** (CELL_LEVELS - level))
    counts.set(cell, (counts.get(cell) ?? 0) + 1)
  }
  const across = (longitude: number) => unit(((longitude + 180) / 360) * tiles - column)
  const down = (latitude: number) => unit((0.5 - Math.asinh(Math.tan(latitude * DEGREE)) / (2 * Math.PI)) * tiles - row)
  return Array.from(counts, ([index, count]) => {
    const cell = cellAt(level, index)
    const [west, south, east, north] = cellBounds(cell)
    const [left, top, right, bottom] = [across(west), down(north), across(east), Math.max(down(south), down(north) + 1)]
    const ring = [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ] as const
    const id = cellIn(cell.column, cell.row) * 2 ** 5 + level
    return { id, shape: { rings: [ring] }, properties: { count, [FEW]: true } }
  })
}

const DEGREE = Math.PI / 180
const unit = (part: number): number => Math.min(Math.max(Math.round(part * EXTENT), 0), EXTENT)
