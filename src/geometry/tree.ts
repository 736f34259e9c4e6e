import { type Bbox, inBbox } from './bbox.ts'
import { lastOwner } from './edges.ts'
import type { Location } from './locate.ts'
import { anyMeets } from './near.ts'
import { bestSplit } from './split.ts'
import { type Anchor, passes, walk } from './walk.ts'

/**
 * A binary tree of boxes over edges (ax, ay, bx, by, ...), for latitudes where stripes hold too many edges.
 * A box is halved when enough searches reach it. Each leaf lists the edges that may meet its box, and has an anchor. The
 * polygons of the anchor are known, so a short walk reaches any other point.
 */
export interface Tree {
  /** Locates a point as `locate` of locate.ts does. Returns null if the tree cannot decide. */
  readonly locate: (x: number, y: number) => Location | null
  /** Tests if a point lies on an edge. */
  readonly onAny: (x: number, y: number) => boolean
  /** Tests if an edge may be within `reachX` and `reachY` degrees of a point. */
  readonly isNear: (x: number, y: number, reachX: number, reachY: number) => boolean
}

interface Node {
  readonly box: Bbox
  readonly depth: number
  /** Null after the box is halved. */
  anchor: Anchor | null
  halves: Halves | null
  /** The number of searches until the box is halved. Together they cost as much as halving. */
  wait: number
}

interface Halves {
  /** `level` is true if the halves differ in x, false if in y. A point at `middle` or beyond is in the second half. */
  readonly level: boolean
  readonly middle: number
  readonly first: Node
  readonly second: Node
}

/** A box with at most this many edges is not halved. */
const FEW = 32
/** The cost of halving a box, in scans of all its edges. */
const COST = 8
const MAX_DEPTH = 60
/** The maximum number of edge indexes in all boxes together: 12 MB with their places. */
const MAX_LISTED = 1_500_000
const NONE = new Set<number>()
/** Fractions of a box's sides. They give the positions in the box at which an anchor is tried. */
const TRIED = [0.4987, 0.3713, 0.6311, 0.2237, 0.7759, 0.1193]

/** The edges of a tree and its boxes. */
interface Boxes {
  readonly edges: Float64Array
  readonly bounds: Bbox
  /** The polygon of each edge, ascending. Null for lines. */
  readonly owner: Int32Array | null
  readonly root: Node
  /** The largest number of edges in a box that is not halved, and the cost of halving. */
  readonly few: number
  readonly cost: number
  /** The result of the last walk: 1 for each polygon that contains its end. */
  readonly parity: Uint8Array
  /** The number of edge indexes in all boxes together. */
  listed: number
}

/** Builds the tree. `owner` has the polygon of each edge, ascending. Null for lines. */
export const treeOf = (edges: Float64Array, bounds: Bbox, owner: Int32Array | null, few = FEW, cost = COST): Tree => {
  const parity = new Uint8Array(lastOwner(owner) + 1)
  const root = rootOf(edges, owner, bounds)
  const boxes: Boxes = { edges, bounds, owner, root, few, cost, parity, listed: edges.length / 4 }
  return {
    locate: (x, y) => locate(boxes, x, y),
    onAny: (x, y) => inBbox(bounds, x, y) && throughAny(edges, leafAt(boxes, x, y).edges, x, y),
    isNear: (x, y, reachX, reachY) => meets(boxes, root, x, y, reachX, reachY),
  }
}

const locate = (boxes: Boxes, x: number, y: number): Location | null => {
  const { edges, bounds, parity } = boxes
  if (!inBbox(bounds, x, y)) return 'exterior'
  const leaf = leafAt(boxes, x, y)
  if (leaf.whole) return 'interior'
  const several = parity.length > 1
  const touched = several ? new Set<number>() : NONE
  for (let k = 0; k < leaf.edges.length; k++) {
    if (!through(edges, leaf.edges[k] as number, x, y)) continue
    if (!several) return 'boundary'
    touched.add(leaf.places[k] as number)
  }
  if (!walk(edges, leaf, parity, x, y)) return null
  const polygons = leaf.inside?.length ?? 0
  for (let place = 0; place < polygons; place++) if (parity[place] === 1 && !touched.has(place)) return 'interior'
  if (touched.size === 0) return 'exterior'
  return touched.size === 1 ? 'boundary' : null
}

const meets = (boxes: Boxes, node: Node, x: number, y: number, reachX: number, reachY: number): boolean => {
  const halves = node.halves ?? halve(boxes, node)
  if (halves === null) return anyMeets(boxes.edges, (node.anchor as Anchor).edges, x, y, reachX, reachY)
  const coordinate = halves.level ? x : y
  const reach = halves.level ? reachX : reachY
  if (coordinate - reach <= halves.middle && meets(boxes, halves.first, x, y, reachX, reachY)) return true
  return coordinate + reach >= halves.middle && meets(boxes, halves.second, x, y, reachX, reachY)
}

const leafAt = (boxes: Boxes, x: number, y: number): Anchor => {
  let node = boxes.root
  for (;;) {
    const halves = node.halves ?? halve(boxes, node)
    if (halves === null) return node.anchor as Anchor // only halving sets it to null
    node = (halves.level ? x : y) < halves.middle ? halves.first : halves.second
  }
}

/** Halves a box if enough searches have reached it. Returns null if it stays whole. */
const halve = (boxes: Boxes, node: Node): Halves | null => {
  const { anchor, box, depth } = node
  if (anchor === null || node.wait-- > 0) return null
  const all = anchor.edges
  const split = all.length <= boxes.few || depth >= MAX_DEPTH ? null : bestSplit(boxes.edges, all, box)
  if (split === null || boxes.listed + split.size - all.length > MAX_LISTED) {
    node.wait = Infinity
    return null
  }
  const half = (box: Bbox, indexes: Int32Array): Node => ({
    box,
    depth: depth + 1,
    anchor: anchorIn(boxes, box, indexes, anchor),
    halves: null,
    wait: boxes.cost,
  })
  const [first, second] = [half(...split.first), half(...split.second)]
  boxes.listed += split.size - all.length
  node.anchor = null
  node.halves = { level: split.level, middle: split.middle, first, second }
  return node.halves
}

/**
 * Finds an anchor in a part of a box by walks from the anchor of the box. Its `inside` is null if no walk gives an
 * answer.
 */
const anchorIn = (boxes: Boxes, box: Bbox, indexes: Int32Array, from: Anchor): Anchor => {
  const { edges, owner, parity } = boxes
  const [west, south, east, north] = box
  if (owner === null) return { edges: indexes, places: indexes, x: west, y: south, inside: null, whole: false }
  const places = new Map<number, number>()
  const bare = { edges: indexes, places: indexes.map((e) => placeIn(places, owner[e] as number)) }
  for (const part of TRIED) {
    const [x, y] = [west + part * (east - west), south + (1 - part) * (north - south)]
    if (throughAny(edges, from.edges, x, y) || !walk(edges, from, parity, x, y)) continue
    const inside = new Uint8Array(places.size)
    let whole = from.whole
    for (let k = 0; k < from.edges.length; k++) {
      if (parity[from.places[k] as number] !== 1) continue
      const place = places.get(owner[from.edges[k] as number] as number)
      if (place === undefined) whole = true
      else inside[place] = 1
    }
    return { ...bare, x, y, inside, whole }
  }
  return { ...bare, x: west, y: south, inside: null, whole: false }
}

const throughAny = (edges: Float64Array, indexes: Int32Array, x: number, y: number): boolean => {
  for (let k = 0; k < indexes.length; k++) if (through(edges, indexes[k] as number, x, y)) return true
  return false
}

const through = (edges: Float64Array, e: number, x: number, y: number): boolean => {
  const ax = edges[4 * e] as number // single reads, because destructuring allocates and this runs a million times
  const bx = edges[4 * e + 2] as number
  if ((ax < x && bx < x) || (ax > x && bx > x)) return false
  return passes(ax, edges[4 * e + 1] as number, bx, edges[4 * e + 3] as number, x, y)
}

/** Returns a box with all edges. Its anchor is south-west of all polygons. */
const rootOf = (edges: Float64Array, owner: Int32Array | null, box: Bbox): Node => {
  const all = Int32Array.from({ length: edges.length / 4 }, (_, e) => e)
  const [west, south] = box
  const inside = new Uint8Array(lastOwner(owner) + 1)
  // For very large doubles, subtracting 1 changes nothing, so the anchor would touch an edge.
  const anchor = { x: west - 1, y: south - 1, edges: all, places: owner ?? all, inside, whole: false }
  const isApart = anchor.x < west && anchor.y < south
  return { box, depth: 0, anchor: isApart ? anchor : { ...anchor, inside: null }, halves: null, wait: 0 }
}

const placeIn = (places: Map<number, number>, polygon: number): number =>
  places.get(polygon) ?? places.set(polygon, places.size).size - 1
