import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { keptFor } from '../../base/collections.ts'
import { box, longitudesOf } from '../../geometry/box.ts'
import { circle } from '../../geometry/circle.ts'
import { allOf, combine, type PreparedArea, prepare } from '../../geometry/within.ts'
import type { Area } from '../../question/condition.ts'
import { join, type Nested, negated, nested } from './nested.ts'
import { either, NOTHING } from './sql.ts'

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

export const outsideOf = (area: Area): Area => ('outside' in area ? area.outside : { outside: area })

/** Writes SQL that a place is in an area. `lookUp` writes the test for an area that SQL cannot decide. */
export const placeSql = (area: Area, lookUp: (area: Area) => Nested): Nested => {
  if (isLookedUp(area)) return lookUp(area)
  if ('outside' in area) return negated(placeSql(area.outside, lookUp))
  if ('all' in area) return join('AND', placesSql(area.all, lookUp))
  if (!('any' in area)) return nested(sqlOf(area) ?? NOTHING)
  const [found, others] = [area.any.filter(isLookedUp), area.any.filter((each) => !isLookedUp(each))]
  return join('OR', [...(found.length === 0 ? [] : [lookUp({ any: found })]), ...placesSql(others, lookUp)])
}

const placesSql = (areas: readonly Area[], lookUp: (area: Area) => Nested): Nested[] =>
  areas.map((each) => placeSql(each, lookUp))

/**
 * Returns true for an area whose rows are found before the query. Alternatives are looked up if all of them are. The outside of
 * an area is none, because it may have nearly all rows.
 */
const isLookedUp = (area: Area): boolean => {
  if ('any' in area) return area.any.length > 0 && area.any.every(isLookedUp)
  if ('all' in area) return area.all.some(isLookedUp)
  return !('outside' in area) && sqlOf(area) === null
}

/** Writes SQL for an area that it decides exactly: a closed box, or a single point. Otherwise null. */
const sqlOf = (area: Area): SQL | null => {
  const { x, y } = events
  if ('nowhere' in area) return sql`${x} <> ${x}`
  if ('box' in area && area.closed) {
    const [, south, , north] = area.box
    const across = longitudesOf(area.box).map(([west, east]) => sql`${x} BETWEEN ${west} AND ${east}`)
    return sql`(${either(across)} AND ${y} BETWEEN ${south} AND ${north})`
  }
  if (!('within' in area) || area.within.type !== 'Point' || area.within.coordinates.length === 0) return null
  const [longitude, latitude] = area.within.coordinates
  return sql`(${x} = ${longitude} AND ${y} = ${latitude})`
}
