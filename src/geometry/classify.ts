import { CELL_LEVELS, cellBounds } from './cell.ts'
import type { BoundaryCell, Covering } from './covering.ts'
import { anyMeets } from './near.ts'
import { side } from './side.ts'
import type { Area } from './within.ts'

/** Whether all points of a finest cell are within an area, or none; unknown where an edge of it may pass through. */
export type Side = 'inside' | 'outside' | 'unknown'

// Half the size of a finest cell, and the margin that a covering leaves around cells, see covering.ts.
const [WIDTH, HEIGHT] = [360 / 2 ** CELL_LEVELS, 180 / 2 ** CELL_LEVELS]
const [REACH_X, REACH_Y] = [1.5 * WIDTH, 1.5 * HEIGHT]

/** How many edges a boundary cell has at most, to be looked at one by one. */
const MANY = 64

/** A boundary cell made ready: each edge with the place of its polygon, and the polygons that its centre is inside. */
interface Ready {
  readonly x: number
  readonly y: number
  readonly edges: Int32Array
  /** For each edge the place of its polygon in `inside`, -1 for an edge of a line. */
  readonly places: Int32Array
  /** Null where the centre tells nothing. */
  readonly inside: Uint8Array | null
  /** A polygon that has no edge in the cell holds all of it. */
  readonly whole: boolean
}

/**
 * Decides finest cells by the edges of their boundary cell alone: along the way from its centre, first level, then
 * upright, each edge that is crossed changes the side of its polygon. Exact at every double, as `contains` is.
 */
export const classifier = (area: Area, { boundaryCells, edges }: Covering) => {
  const ready = new Map<number, Ready>()
  const readyAt = (i: number): Ready => {
    const known = ready.get(i) ?? makeReady(area, boundaryCells[i] as BoundaryCell)
    ready.set(i, known)
    return known
  }
  const parity = new Uint8Array(edges.length / 4 + 1)

  /** The side of a finest cell, by its column and row, in the boundary cell with this number. */
  return (i: number, column: number, row: number): Side => {
    const [x, y] = [(column + 0.5) * WIDTH - 180, (row + 0.5) * HEIGHT - 90]
    // Many edges in one cell: the stripes that the area is in may lead to fewer.
    const many = (boundaryCells[i] as BoundaryCell).edges.length
    if (many > MANY && area.depthAt(y) < many) {
      if (area.isNear(x, y, REACH_X, REACH_Y)) return 'unknown'
      return area.contains(x, y) ? 'inside' : 'outside'
    }
    const cell = readyAt(i)
    if (cell.whole) return 'inside'
    if (anyMeets(edges, cell.edges, x, y, REACH_X, REACH_Y)) return 'unknown'
    const { inside } = cell
    const decided = inside === null ? null : crossed(edges, cell, inside, parity, x, y)
    return (decided ?? area.contains(x, y)) ? 'inside' : 'outside'
  }
}

const makeReady = (area: Area, { cell, edges: listed }: BoundaryCell): Ready => {
  const [west, south, east, north] = cellBounds(cell)
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  const bare = { x, y, edges: listed, places: new Int32Array(), inside: null, whole: false }
  // The edges of another turn are rounded, which a centre close to one could tell.
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

/** Whether a point that no edge touches is inside; null where the corner of the way to it lies on an edge. */
const crossed = (
  edges: Float64Array,
  { x: fromX, y: fromY, edges: listed, places }: Ready,
  inside: Uint8Array,
  parity: Uint8Array,
  x: number,
  y: number,
): boolean | null => {
  parity.set(inside)
  const [west, east] = [Math.min(fromX, x), Math.max(fromX, x)]
  for (let k = 0; k < listed.length; k++) {
    const place = places[k] as number
    if (place < 0) continue
    const e = 4 * (listed[k] as number)
    const ax = edges[e] as number
    const bx = edges[e + 2] as number
    // West or east of all of the way.
    if ((ax < west && bx < west) || (ax > east && bx > east)) continue
    const ay = edges[e + 1] as number
    const by = edges[e + 3] as number
    const level = ay <= fromY !== by <= fromY
    const upright = ax <= x !== bx <= x
    if (!level && !upright && !spans(ax, ay, bx, by, x, fromY)) continue
    const corner = side(ax, ay, bx, by, x, fromY)
    if (corner === 0 && spans(ax, ay, bx, by, x, fromY)) return null
    let changes = 0
    if (level && corner > 0 !== side(ax, ay, bx, by, fromX, fromY) > 0) changes++
    if (upright && corner > 0 !== side(ax, ay, bx, by, x, y) > 0) changes++
    parity[place] = (parity[place] as number) ^ (changes & 1)
  }
  for (let place = 0; place < inside.length; place++) if (parity[place] === 1) return true
  return false
}

/** Whether a point is in the bbox of an edge. */
const spans = (ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean =>
  Math.min(ax, bx) <= x && x <= Math.max(ax, bx) && Math.min(ay, by) <= y && y <= Math.max(ay, by)
