import { type Bbox, inBbox } from './bbox.ts'
import type { Location } from './locate.ts'
import { anyMeets, meeting } from './near.ts'
import { type Anchor, passes, walk } from './walk.ts'

/**
 * An index over edges (ax, ay, bx, by, ...) for those that stripes do not part, as tall ones in great number: boxes, halved
 * where points are asked for, each with the edges that may meet it and an anchor, from which a short way leads to a point.
 */
export interface Tree {
  /** Where a point lies, as `locate` has it; null where this index cannot tell. */
  readonly locate: (x: number, y: number) => Location | null
  /** Whether a point lies on any of the edges. */
  readonly onAny: (x: number, y: number) => boolean
  /** Whether an edge may come as near to a point as this. */
  readonly isNear: (x: number, y: number, reachX: number, reachY: number) => boolean
}

interface Node {
  readonly box: Bbox
  readonly depth: number
  /** Null where the box was halved. */
  anchor: Anchor | null
  halves: Halves | null
  /** How often it is asked before it is halved: as often as halving it costs. */
  wait: number
}

interface Halves {
  /** Which coordinate tells them apart, and from where on a point is in the second. */
  readonly level: boolean
  readonly middle: number
  readonly first: Node
  readonly second: Node
}

/** A box with no more edges is not halved. */
const FEW = 32
/** How many looks at all edges of a box halving it costs. */
const COST = 8
/** Halves of a box with these many edges of it, as a part, are worth it. */
const WORTH = 1.9
/** Halves that keep no more than these need no look at the other way. */
const GOOD = 1.3
const MAX_DEPTH = 60
/** How many numbers of edges all boxes list, at most: 12 MB with their places. */
const MAX_LISTED = 1_500_000
const NONE = new Set<number>()
/** Where in a box an anchor is tried, as parts of its sides. */
const TRIED = [0.4987, 0.3713, 0.6311, 0.2237, 0.7759, 0.1193]

/** `owner`: the polygon of each edge, ascending; of lines null. */
export const treeOf = (edges: Float64Array, bounds: Bbox, owner: Int32Array | null, few = FEW, cost = COST): Tree => {
  const several = owner !== null && (owner.at(-1) ?? 0) > 0
  const parity = new Uint8Array((owner?.at(-1) ?? 0) + 1)
  let listed = edges.length / 4

  const leafAt = (x: number, y: number): Anchor => {
    let node = root
    for (;;) {
      const halves = node.halves ?? halve(node)
      if (halves === null) return node.anchor as Anchor // which only halving takes away
      node = (halves.level ? x : y) < halves.middle ? halves.first : halves.second
    }
  }

  const halve = (node: Node): Halves | null => {
    const { anchor, box, depth } = node
    if (anchor === null || node.wait-- > 0) return null
    const all = anchor.edges
    const split = all.length <= few || depth >= MAX_DEPTH ? null : bestSplit(edges, all, box)
    if (split === null || listed + split.size - all.length > MAX_LISTED) {
      node.wait = Infinity
      return null
    }
    const half = (box: Bbox, its: Int32Array): Node => ({
      box,
      depth: depth + 1,
      anchor: anchorIn(box, its, anchor),
      halves: null,
      wait: cost,
    })
    const [first, second] = [half(...split.first), half(...split.second)]
    listed += split.size - all.length
    node.anchor = null
    node.halves = { level: split.level, middle: split.middle, first, second }
    return node.halves
  }

  /** An anchor in a part of a box, with the edges there: from the anchor of the box, or where nothing is known of that, none. */
  const anchorIn = (box: Bbox, its: Int32Array, from: Anchor): Anchor => {
    const [west, south, east, north] = box
    const places = new Map<number, number>()
    const bare = { edges: its, places: owner === null ? its : its.map((e) => placeIn(places, owner[e] as number)) }
    for (const part of owner === null ? [] : TRIED) {
      const [x, y] = [west + part * (east - west), south + (1 - part) * (north - south)]
      if (throughAny(from.edges, x, y) || !walk(edges, from, parity, x, y)) continue
      const inside = new Uint8Array(places.size)
      let whole = from.whole
      for (let k = 0; k < from.edges.length; k++) {
        if (parity[from.places[k] as number] !== 1) continue
        const place = places.get(owner?.[from.edges[k] as number] ?? 0)
        if (place === undefined) whole = true
        else inside[place] = 1
      }
      return { ...bare, x, y, inside, whole }
    }
    return { ...bare, x: west, y: south, inside: null, whole: false }
  }

  const throughAny = (its: Int32Array, x: number, y: number): boolean => {
    for (let k = 0; k < its.length; k++) if (through(its[k] as number, x, y)) return true
    return false
  }

  const through = (e: number, x: number, y: number): boolean => {
    const ax = edges[4 * e] as number // one by one, here and below: pairs cost memory, looked at a million times
    const bx = edges[4 * e + 2] as number
    if ((ax < x && bx < x) || (ax > x && bx > x)) return false
    return passes(ax, edges[4 * e + 1] as number, bx, edges[4 * e + 3] as number, x, y)
  }

  const locate = (x: number, y: number): Location | null => {
    if (!inBbox(bounds, x, y)) return 'exterior'
    const leaf = leafAt(x, y)
    if (leaf.whole) return 'interior'
    const touched = several ? new Set<number>() : NONE
    for (let k = 0; k < leaf.edges.length; k++) {
      if (!through(leaf.edges[k] as number, x, y)) continue
      if (!several) return 'boundary'
      touched.add(leaf.places[k] as number)
    }
    if (!walk(edges, leaf, parity, x, y)) return null
    const polygons = leaf.inside?.length ?? 0
    for (let place = 0; place < polygons; place++) if (parity[place] === 1 && !touched.has(place)) return 'interior'
    if (touched.size === 0) return 'exterior'
    return touched.size === 1 ? 'boundary' : null
  }

  const meets = (node: Node, x: number, y: number, reachX: number, reachY: number): boolean => {
    const halves = node.halves ?? halve(node)
    if (halves === null) return anyMeets(edges, (node.anchor as Anchor).edges, x, y, reachX, reachY)
    const at = halves.level ? x : y
    const reach = halves.level ? reachX : reachY
    if (at - reach <= halves.middle && meets(halves.first, x, y, reachX, reachY)) return true
    return at + reach >= halves.middle && meets(halves.second, x, y, reachX, reachY)
  }

  const root = rootOf(edges, owner, bounds)
  return {
    locate,
    onAny: (x, y) => inBbox(bounds, x, y) && throughAny(leafAt(x, y).edges, x, y),
    isNear: (x, y, reachX, reachY) => meets(root, x, y, reachX, reachY),
  }
}

/** All edges in one box, with an anchor in its south-west: there no polygon is. */
const rootOf = (edges: Float64Array, owner: Int32Array | null, box: Bbox): Node => {
  const all = Int32Array.from({ length: edges.length / 4 }, (_, e) => e)
  const [west, south] = box
  const inside = new Uint8Array((owner?.at(-1) ?? 0) + 1)
  // Of no edge is anything as far south-west, but where doubles end.
  const anchor = { x: west - 1, y: south - 1, edges: all, places: owner ?? all, inside, whole: false }
  const isApart = anchor.x < west && anchor.y < south
  return { box, depth: 0, anchor: isApart ? anchor : { ...anchor, inside: null }, halves: null, wait: 0 }
}

interface Split {
  readonly level: boolean
  readonly middle: number
  readonly first: [Bbox, Int32Array]
  readonly second: [Bbox, Int32Array]
  /** How many edges both have, together. */
  readonly size: number
}

/** The halves of a box, across its longer side or, if that parts few edges, across the other; null where neither parts them. */
const bestSplit = (edges: Float64Array, all: Int32Array, box: Bbox): Split | null => {
  const [west, south, east, north] = box
  const wide = east - west >= north - south
  const one = splitAt(edges, all, box, wide)
  if (one.size <= GOOD * all.length) return one
  const other = splitAt(edges, all, box, !wide)
  const best = other.size < one.size ? other : one
  return best.size <= WORTH * all.length ? best : null
}

const splitAt = (edges: Float64Array, all: Int32Array, [west, south, east, north]: Bbox, level: boolean): Split => {
  const middle = level ? (west + east) / 2 : (south + north) / 2
  const first: Bbox = level ? [west, south, middle, north] : [west, south, east, middle]
  const second: Bbox = level ? [middle, south, east, north] : [west, middle, east, north]
  const [few, more] = [inside(edges, all, first), inside(edges, all, second)]
  return { level, middle, first: [first, few], second: [second, more], size: few.length + more.length }
}

/** Those of the listed edges that may meet a box. */
const inside = (edges: Float64Array, listed: Int32Array, [west, south, east, north]: Bbox): Int32Array => {
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  return meeting(edges, listed, x, y, Math.max(x - west, east - x), Math.max(y - south, north - y))
}

const placeIn = (places: Map<number, number>, polygon: number): number => {
  const place = places.get(polygon) ?? places.size
  places.set(polygon, place)
  return place
}
