import type { Bbox } from './bbox.ts'
import { meeting } from './near.ts'

/** A box is halved if both halves together list at most this many times its edges. */
const WORTH = 1.9
/** At most this many times the edges, the other direction is not tried. */
const GOOD = 1.3

/** Two halves of a box, each with the edges that may meet it. */
export interface Split {
  readonly level: boolean
  readonly middle: number
  readonly first: [Bbox, Int32Array]
  readonly second: [Bbox, Int32Array]
  /** The number of edges in both halves together. The sum counts an edge in both halves twice. */
  readonly size: number
}

/**
 * Halves a box across its longer side. Tries the shorter side if this separates few edges. Returns null if both
 * separate too few.
 */
export const bestSplit = (edges: Float64Array, all: Int32Array, box: Bbox): Split | null => {
  const [west, south, east, north] = box
  const wide = east - west >= north - south
  const acrossLonger = splitAt(edges, all, box, wide)
  if (acrossLonger.size <= GOOD * all.length) return acrossLonger
  const acrossShorter = splitAt(edges, all, box, !wide)
  const best = acrossShorter.size < acrossLonger.size ? acrossShorter : acrossLonger
  return best.size <= WORTH * all.length ? best : null
}

const splitAt = (edges: Float64Array, all: Int32Array, [west, south, east, north]: Bbox, level: boolean): Split => {
  const middle = level ? (west + east) / 2 : (south + north) / 2
  const first: Bbox = level ? [west, south, middle, north] : [west, south, east, middle]
  const second: Bbox = level ? [middle, south, east, north] : [west, middle, east, north]
  const [firstEdges, secondEdges] = [inside(edges, all, first), inside(edges, all, second)]
  return {
    level,
    middle,
    first: [first, firstEdges],
    second: [second, secondEdges],
    size: firstEdges.length + secondEdges.length,
  }
}

/** Returns the listed edges that may meet a box. */
const inside = (edges: Float64Array, listed: Int32Array, [west, south, east, north]: Bbox): Int32Array => {
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  return meeting(edges, listed, x, y, Math.max(x - west, east - x), Math.max(y - south, north - y))
}
