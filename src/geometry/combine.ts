import { bboxOf } from './bbox.ts'
import type { Area } from './within.ts'

/**
 * The points of which `holds` says so, given in which of some areas they are. Between two points that no edge of any of
 * the areas parts nothing changes, so that the edges of all are edges of the whole.
 */
export const combine = (areas: readonly Area[], holds: (within: (area: Area) => boolean) => boolean): Area => {
  const edges = Float64Array.from(areas.flatMap((area) => Array.from(turned(area))))
  return {
    bbox: bboxOf(edges),
    turns: [0],
    edges,
    depth: areas.reduce((sum, { depth }) => sum + depth, 0),
    contains: (x, y) => holds((area) => area.contains(x, y)),
  }
}

/** The points that are in all of some areas; of a single one itself. */
export const allOf = (areas: readonly Area[]): Area => {
  const [first, ...others] = areas
  if (first !== undefined && others.length === 0) return first
  return combine(areas, (within) => areas.every(within))
}

/** The edges where a point of the world finds them: once for each turn in which it is tested. */
export const turned = ({ edges, turns }: Area): Float64Array => {
  if (turns.length === 1) return edges
  const all = new Float64Array(edges.length * turns.length)
  turns.forEach((turn, t) => {
    all.set(
      edges.map((v, i) => (i % 2 === 0 ? v - turn : v)),
      t * edges.length,
    )
  })
  return all
}
