import { bboxOf } from './bbox.ts'
import { type Area, turned } from './within.ts'

/**
 * Combines areas by a Boolean expression. `holds` gets a function that tests if the point is in one of the areas, and
 * returns the value of the expression. Its value changes only at an edge, so the result has the edges of all areas.
 */
export const combine = (areas: readonly Area[], holds: (within: (area: Area) => boolean) => boolean): Area => {
  const edges = Float64Array.from(areas.flatMap((area) => Array.from(turned(area))))
  return {
    bbox: bboxOf(edges),
    turns: [0],
    edges,
    closed: true,
    rectangles: null,
    parts: [],
    // The polygon of an edge is unknown here, so `contains` decides for every point.
    owners: new Int32Array(),
    polygonsAt: () => null,
    isDeepAt: (y) => areas.some((area) => area.isDeepAt(y)),
    isNear: (...box) => areas.some((area) => area.isNear(...box)),
    contains: (x, y) => holds((area) => area.contains(x, y)),
  }
}

/** Returns the intersection of areas. It returns a single area unchanged. */
export const allOf = (areas: readonly Area[]): Area => {
  const [first, ...others] = areas
  if (first !== undefined && others.length === 0) return first
  const parts = areas.every(({ parts }) => parts.length > 0) ? areas.flatMap(({ parts }) => parts) : []
  return { ...combine(areas, (within) => areas.every(within)), parts }
}
