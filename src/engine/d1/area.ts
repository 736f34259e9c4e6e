import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { longitudesOf } from '../../geometry/box.ts'
import type { Area } from '../../question/condition.ts'
import { join, type Nested, negated, nested } from './nested.ts'
import { either, NOTHING } from './sql.ts'

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
