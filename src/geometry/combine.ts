import { bboxOf } from './bbox.ts'
import { type Area, turned } from './within.ts'

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
    closed: true,
    rectangles: null,
    parts: [],
    // Edges of several areas: no polygon is told apart by them, so that every point is asked for.
    owners: new Int32Array(),
    polygonsAt: () => null,
    isDeepAt: (y) => areas.some((area) => area.isDeepAt(y)),
    isNear: (...asked) => areas.some((area) => area.isNear(...asked)),
    contains: (x, y) => holds((area) => area.contains(x, y)),
  }
}

/** The points that are in all of some areas; of a single one itself. */
export const allOf = (areas: readonly Area[]): Area => {
  const [first, ...others] = areas
  if (first !== undefined && others.length === 0) return first
  const parts = areas.every(({ parts }) => parts.length > 0) ? areas.flatMap(({ parts }) => parts) : []
  return { ...combine(areas, (within) => areas.every(within)), parts }
}
