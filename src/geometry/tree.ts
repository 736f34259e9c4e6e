import { at } from '../base/collections.ts'
import { countEdges } from '../base/work.ts'
import { type Bbox, bboxesMeet, inBbox } from './bbox.ts'
import { type EdgeSet, type Edges, isSurrounded, mayMeet, walk } from './edges.ts'

/** The location of a point. A point on a line is on a line only if it is in no polygon and on no boundary of one. */
type Location = 'interior' | 'boundary' | 'line' | 'exterior'

/**
 * A binary tree of boxes over the edges of a geometry. A box is halved when enough searches reach it. Each leaf lists
 * the edges that may meet its box. The polygons of its anchor are known, so a short walk reaches any other point.
 */
interface Tree {
  /**
   * Locates a point in the union of polygons. A point on the boundaries of two or more polygons is interior if they
   * surround it, as in RelateNG of JTS.
   */
  readonly locate: (x: number, y: number) => Location
  /** Tests if an edge may meet a box. */
  readonly meets: (box: Bbox) => boolean
}

interface Node {
  readonly box: Bbox
  readonly depth: number
  /** Null after the box is halved. */
  part: EdgeSet | null
  halves: Halves | null
  /** The number of searches until the box is halved. Together they cost as much as halving. */
  wait: number
}

interface Halves {
  /** True if the halves differ in x, false if in y. A point at `middle` or beyond is in the second half. */
  readonly level: boolean
  readonly middle: number
  readonly first: Node
  readonly second: Node
}

/** A box with at most this many edges is not halved. */
const FEW = 16
/** The cost of halving a box, in scans of all its edges. */
const COST = 4
/** A box is halved if both halves together list at most this many times its edges. */
const WORTH = 1.9
/** At most this many times the edges, the other direction is not tried. */
const GOOD = 1.3
const MAX_DEPTH = 60
/** The maximum number of edge indexes in all boxes together: 6 MB. */
const MAX_LISTED = 1_500_000

interface Boxes {
  readonly all: Edges
  /** The largest number of edges in a box that is not halved, and the cost of halving. */
  readonly few: number
  readonly cost: number
  /** The number of edge indexes in all boxes together. */
  listed: number
}

/** Builds the tree. `bbox` is the bbox of the edges. */
export const treeOf = (all: Edges, bbox: Bbox, few = FEW, cost = COST): Tree => {
  const root: Node = { box: bbox, depth: 0, part: partOfAll(all, bbox), halves: null, wait: 0 }
  const boxes = { all, few, cost, listed: all.owners.length }
  return {
    locate: (x, y) => (inBbox(bbox, x, y) ? locate(all, partAt(boxes, root, x, y), x, y) : 'exterior'),
    meets: (box) => bboxesMeet(bbox, box) && meets(boxes, root, box),
  }
}

const locate = (all: Edges, part: EdgeSet, x: number, y: number): Location => {
  if (part.whole) return 'interior'
  const { inside, touching } = walk(all, part, x, y)
  if (touching.length === 0) return inside.size > 0 ? 'interior' : 'exterior'
  const bounding = touching.filter((edge) => at(all.owners, edge) >= 0)
  const bounded = new Set(bounding.map((edge) => at(all.owners, edge)))
  for (const polygon of inside) if (!bounded.has(polygon)) return 'interior'
  if (bounded.size === 0) return 'line'
  return bounded.size > 1 && isSurrounded(all, bounding, inside, x, y) ? 'interior' : 'boundary'
}

const meets = (boxes: Boxes, node: Node, box: Bbox): boolean => {
  const halves = node.halves ?? halve(boxes, node)
  if (halves === null) return anyMeets(boxes.all.edges, (node.part as EdgeSet).edges, box)
  const [west, south, east, north] = box
  if ((halves.level ? west : south) <= halves.middle && meets(boxes, halves.first, box)) return true
  return (halves.level ? east : north) >= halves.middle && meets(boxes, halves.second, box)
}

const anyMeets = (edges: Float64Array, listed: Int32Array, box: Bbox): boolean => {
  const near = listed.findIndex((edge) => mayMeet(edges, edge, box))
  countEdges(near < 0 ? listed.length : near + 1)
  return near >= 0
}

const partAt = (boxes: Boxes, root: Node, x: number, y: number): EdgeSet => {
  let node = root
  for (;;) {
    const halves = node.halves ?? halve(boxes, node)
    if (halves === null) return node.part as EdgeSet // only halving sets it to null
    node = (halves.level ? x : y) < halves.middle ? halves.first : halves.second
  }
}

/** Halves a box if enough searches have reached it. Returns null if it stays whole. */
const halve = (boxes: Boxes, node: Node): Halves | null => {
  const { part, box, depth } = node
  if (part === null || node.wait-- > 0) return null
  const { all, few, cost } = boxes
  const length = part.edges.length
  const split = length <= few || depth >= MAX_DEPTH ? null : bestSplit(all.edges, part.edges, box)
  if (split === null || boxes.listed + sizeOf(split) - length > MAX_LISTED) {
    node.wait = Infinity
    return null
  }
  boxes.listed += sizeOf(split) - length
  const middle = anchoredAt(all, part, (box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
  const half = ([box, edges]: Half): Node => ({
    box,
    depth: depth + 1,
    part: partWith(all, middle, edges),
    halves: null,
    wait: cost,
  })
  const { level, first, second } = split
  node.part = null
  node.halves = { level, middle: level ? first[0][2] : first[0][3], first: half(first), second: half(second) }
  return node.halves
}

/** A half of a box, and the edges that may meet it. */
type Half = readonly [Bbox, Int32Array]

interface Split {
  readonly level: boolean
  readonly first: Half
  readonly second: Half
}

/** Counts an edge in both halves twice. */
const sizeOf = ({ first, second }: Split): number => first[1].length + second[1].length

/**
 * Halves a box across its longer side. Tries the shorter side if this separates few edges. Returns null if both
 * separate too few.
 */
const bestSplit = (edges: Float64Array, listed: Int32Array, box: Bbox): Split | null => {
  const [west, south, east, north] = box
  const wide = east - west >= north - south
  const acrossLonger = splitAt(edges, listed, box, wide)
  if (sizeOf(acrossLonger) <= GOOD * listed.length) return acrossLonger
  const acrossShorter = splitAt(edges, listed, box, !wide)
  const best = sizeOf(acrossShorter) < sizeOf(acrossLonger) ? acrossShorter : acrossLonger
  return sizeOf(best) <= WORTH * listed.length ? best : null
}

const splitAt = (edges: Float64Array, listed: Int32Array, [west, south, east, north]: Bbox, level: boolean): Split => {
  countEdges(listed.length)
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  const half = (box: Bbox): Half => [box, listed.filter((edge) => mayMeet(edges, edge, box))]
  return level
    ? { level, first: half([west, south, x, north]), second: half([x, south, east, north]) }
    : { level, first: half([west, south, east, y]), second: half([west, y, east, north]) }
}

/** Returns the part with all edges. `bbox` is their bbox. Its north-eastern corner is the anchor, outside all polygons. */
const partOfAll = ({ owners }: Edges, [, , east, north]: Bbox): EdgeSet => ({
  x: east,
  y: north,
  edges: owners.map((_, edge) => edge),
  inside: new Set(),
  whole: false,
})

/** Returns a part with another anchor, which lies in it. */
const anchoredAt = (all: Edges, part: EdgeSet, x: number, y: number): EdgeSet => ({
  ...part,
  x,
  y,
  inside: walk(all, part, x, y).inside,
})

/** Returns a smaller part with the same anchor. `edges` are the edges that meet the smaller part. */
const partWith = ({ owners }: Edges, larger: EdgeSet, edges: Int32Array): EdgeSet => {
  const without = new Set(larger.inside)
  for (let k = 0; k < edges.length && without.size > 0; k++) without.delete(at(owners, at(edges, k)))
  const inside = new Set(Array.from(larger.inside).filter((polygon) => !without.has(polygon)))
  return { ...larger, edges, inside, whole: larger.whole || without.size > 0 }
}
