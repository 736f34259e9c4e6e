import { keptFor } from '../../base/collections.ts'
import type { Bbox } from '../../geometry/bbox.ts'
import { box, longitudesOf } from '../../geometry/box.ts'
import { circle } from '../../geometry/circle.ts'
import { allOf, combine, type PreparedArea, prepare } from '../../geometry/within.ts'
import type { Area } from '../../question/condition.ts'

/** Returns an area that is prepared for tests of many points. The same area of a question is prepared once. */
export const areaOf = keptFor((area: Area): PreparedArea => {
  if ('within' in area) return prepare(area.within, area.closed)
  if ('box' in area) return area.closed ? box(area.box) : openBox(area.box)
  if ('circle' in area) return circle(area.circle, area.metres)
  if ('all' in area) return allOf(area.all.map(areaOf))
  if ('any' in area) {
    const parts = area.any.map(areaOf)
    return combine(parts, (within) => parts.some(within))
  }
  if ('nowhere' in area) return combine([], () => false)
  const inside = areaOf(area.outside)
  return combine([inside], (within) => !within(inside))
})

/** Returns a box without its sides. */
const openBox = (bounds: Bbox): PreparedArea => {
  const [, south, , north] = bounds
  const parts = partsOf(bounds)
  const { meets, bounds: closed } = box(bounds)
  const isBetween = (x: number, { west, east, hasWest, hasEast }: BoxPart) =>
    (west < x || (hasWest && west === x)) && (x < east || (hasEast && x === east))
  const contains = (x: number, y: number) => south < y && y < north && parts.some((part) => isBetween(x, part))
  return { meets, contains, bounds: parts.length > 1 ? [] : closed.map((each) => ({ ...each, closed: false })) }
}

/** A part of a box between two longitudes, and if an open box has these. */
interface BoxPart {
  readonly west: number
  readonly east: number
  readonly hasWest: boolean
  readonly hasEast: boolean
}

/** Returns the parts of a box. In a box across 180 degrees, that meridian is not a side. */
export const partsOf = (bounds: Bbox): readonly BoxPart[] => {
  const parts = longitudesOf(bounds)
  const isAcross = parts.length > 1
  return parts.map(([west, east]) => ({
    west,
    east,
    hasWest: isAcross && west === -180,
    hasEast: isAcross && east === 180,
  }))
}
