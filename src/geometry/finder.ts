import { bboxOf } from './bbox.ts'
import { type Location, locate, onAny, polygonsAt } from './locate.ts'
import { meetsAny } from './near.ts'
import { depthOf, stripesOf } from './stripes.ts'
import { type Tree, treeOf } from './tree.ts'

/** If a stripe has more edges than this, the tree is used instead. */
const DEEP = 256

/**
 * Prepares edges for tests of many points. Uses stripes, and the tree where a stripe has too many edges. `owner` has
 * the polygon of each edge. Null for lines.
 */
export const finder = (edges: Float64Array, owner: Int32Array | null) => {
  const stripes = stripesOf(edges)
  const owners = owner ?? new Int32Array()
  let built: Tree | undefined
  const tree = (): Tree => {
    built ??= treeOf(edges, bboxOf(edges) ?? [0, 0, 0, 0], owner)
    return built
  }
  const isDeepAt = (y: number): boolean => depthOf(stripes, y) > DEEP
  return {
    isDeepAt,
    locate: (x: number, y: number): Location =>
      (isDeepAt(y) ? tree().locate(x, y) : null) ?? locate(stripes, owners, x, y),
    polygonsAt: (x: number, y: number) => polygonsAt(stripes, owners, x, y),
    onAny: (x: number, y: number): boolean => (isDeepAt(y) ? tree().onAny(x, y) : onAny(stripes, x, y)),
    isNear: (x: number, y: number, reachX: number, reachY: number): boolean =>
      isDeepAt(y) ? tree().isNear(x, y, reachX, reachY) : meetsAny(stripes, x, y, reachX, reachY),
  }
}
