import { keptFor } from '../../base/collections.ts'
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

/** Returns a box without its sides. In a box across 180 degrees, that meridian is not a side. */
const openBox = (bounds: Extract<Area, { box: unknown }>['box']): PreparedArea => {
  const [, south, , north] = bounds
  const parts = longitudesOf(bounds)
  const across = parts.length > 1
  const { meets, bounds: closed } = box(bounds)
  const isBetween = (x: number, [west, east]: readonly [number, number]) =>
    (west < x && x < east) ||
    (across && ((x === 180 && east === 180 && west < x) || (x === -180 && west === -180 && x < east)))
  const contains = (x: number, y: number) => south < y && y < north && parts.some((part) => isBetween(x, part))
  return { meets, contains, bounds: across ? [] : closed.map((each) => ({ ...each, closed: false })) }
}
