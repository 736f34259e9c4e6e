import { at } from '../collections.ts'
import { CELL_LEVELS, cellBounds } from './cell.ts'
import type { BoundaryCell, Covering } from './covering.ts'
import { anyMeets } from './near.ts'
import { type Anchor, walk } from './walk.ts'
import type { Area } from './within.ts'

/** The side of a finest cell: the area contains all its points or none. It is unknown if an edge may cross the cell. */
export type Side = 'inside' | 'outside' | 'unknown'

// The size of a finest cell in degrees. The reach is half of it plus MARGIN of covering.ts.
const [WIDTH, HEIGHT] = [360 / 2 ** CELL_LEVELS, 180 / 2 ** CELL_LEVELS]
const [REACH_X, REACH_Y] = [1.5 * WIDTH, 1.5 * HEIGHT]

/**
 * In a boundary cell with at most this many edges, each edge is tested. With more edges, the area's index is faster.
 */
const MANY = 64

/**
 * Returns a function that finds the side of a finest cell from the edges of its boundary cell alone. It walks from the
 * centre of the boundary cell, first horizontally, then vertically (see walk.ts). Exact at every double, like
 * `contains`.
 */
export const classifier = (area: Area, { boundaryCells, edges }: Covering) => {
  const anchors = new Map<number, Anchor>()
  const anchorOf = (i: number): Anchor => {
    const anchor = anchors.get(i) ?? anchorIn(area, at(boundaryCells, i))
    anchors.set(i, anchor)
    return anchor
  }
  const parity = new Uint8Array(edges.length / 4 + 1)

  /** Returns the side of a finest cell with this column and row. `i` is the index of its boundary cell. */
  return (i: number, column: number, row: number): Side => {
    const x = (column + 0.5) * WIDTH - 180
    const y = (row + 0.5) * HEIGHT - 90
    if (at(boundaryCells, i).edges.length > MANY || area.isDeepAt(y)) {
      if (area.isNear(x, y, REACH_X, REACH_Y)) return 'unknown'
      return area.contains(x, y) ? 'inside' : 'outside'
    }
    const cell = anchorOf(i)
    if (cell.whole) return 'inside'
    if (anyMeets(edges, cell.edges, x, y, REACH_X, REACH_Y)) return 'unknown'
    if (!walk(edges, cell, parity, x, y)) return area.contains(x, y) ? 'inside' : 'outside'
    return isAnyOdd(parity, cell.inside?.length ?? 0) ? 'inside' : 'outside'
  }
}

const anchorIn = (area: Area, { cell, edges: listed }: BoundaryCell): Anchor => {
  const [west, south, east, north] = cellBounds(cell)
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  const bare = { x, y, edges: listed, places: new Int32Array(), inside: null, whole: false }
  // Edges at another turn of longitude are rounded. A centre close to such an edge could get the wrong side.
  if (area.owners.length === 0 || area.turns.length > 1) return bare
  const places = new Map<number, number>()
  const placeOf = (e: number): number => {
    const owner = area.owners[e]
    if (owner === undefined) return -1
    const place = places.get(owner) ?? places.size
    places.set(owner, place)
    return place
  }
  const ready = { ...bare, places: listed.map(placeOf) }
  const polygons = area.polygonsAt(x, y)
  if (polygons === null) return ready
  const inside = new Uint8Array(places.size)
  let whole = false
  for (const polygon of polygons) {
    const place = places.get(polygon)
    if (place === undefined) whole = true
    else inside[place] = 1
  }
  return { ...ready, inside, whole }
}

const isAnyOdd = (parity: Uint8Array, places: number): boolean => {
  for (let place = 0; place < places; place++) if (parity[place] === 1) return true
  return false
}
