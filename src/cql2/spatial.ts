import { type SQL, sql } from 'drizzle-orm'
import type { Property } from '../engine/d1/condition.ts'
import { box, longitudesOf } from '../geometry/box.ts'
import { type Geometry, membersOf, type Position } from '../geometry/geometry.ts'
import { type Area, combine, prepare } from '../geometry/within.ts'
import { type Expression, fault } from './expression.ts'
import { not, ofArea, type Predicate } from './predicate.ts'
import { propertyOf, type Queryables } from './values.ts'

type Place = Extract<Property, { kind: 'place' }>
type Shape = Extract<Expression, { kind: 'geometry' | 'bbox' }>

/** The converse of a function, if the property is its second argument. All other functions are symmetric. */
const CONVERSE: Readonly<Record<string, string>> = { s_within: 's_contains', s_contains: 's_within' }

/**
 * Returns the predicate for a spatial function of a geometry and a row's place, which is a point. It is planar in
 * longitude and latitude, and exact at every double. A point on the boundary of a geometry intersects it and touches
 * it, but is not within it.
 */
export const spatial = (names: Queryables, op: string, [a, b]: readonly Expression[], at: string): Predicate => {
  if (a?.kind === 'property' && isShape(b)) return relation(names, placeOf(names, a), op, b)
  if (b?.kind === 'property' && isShape(a)) return relation(names, placeOf(names, b), CONVERSE[op] ?? op, a)
  throw fault(
    at,
    `${op.toUpperCase()} takes a property and a geometry. Enter ${op.toUpperCase()}(geom, BBOX(4, 51, 6, 53))`,
  )
}

const isShape = (expression: Expression | undefined): expression is Shape =>
  expression?.kind === 'geometry' || expression?.kind === 'bbox'

const placeOf = (names: Queryables, { name, at }: Extract<Expression, { kind: 'property' }>): Place => {
  const property = propertyOf(names, name, at)
  if (property.kind === 'place') return property
  throw fault(at, `${name} is not a geometry`)
}

const relation = (names: Queryables, place: Place, op: string, shape: Shape): Predicate => {
  const isPoint = shape.kind === 'geometry' && shape.geometry.type === 'Point'
  const inside = (area: Area, text: SQL | null = null) => ofArea(place.x, names.within, area, text)
  if (op === 's_intersects' || (op === 's_within' && isPoint)) return inside(closedOf(shape), sqlOf(place, shape))
  if (op === 's_disjoint') return not(relation(names, place, 's_intersects', shape))
  if (op === 's_within') return inside(openOf(shape))
  if (op === 's_touches') {
    const [open, closed] = [openOf(shape), closedOf(shape)]
    return inside(combine([closed, open], (within) => within(closed) && !within(open)))
  }
  // A point contains only itself. It cannot cross or overlap a geometry.
  const [only, ...others] = shape.kind === 'bbox' ? [] : positionsOf(shape.geometry)
  const isOther = ([x, y]: Position) => x !== only?.[0] || y !== only?.[1]
  if (op === 's_crosses' || op === 's_overlaps' || only === undefined || others.some(isOther))
    return { kind: 'range', column: place.x, extents: [] } // false for each place
  const point: Geometry = { type: 'Point', coordinates: only }
  return relation(names, place, 's_intersects', { kind: 'geometry', geometry: point, at: '' })
}

const sqlOf = ({ x, y }: Place, shape: Shape): SQL | null => {
  if (shape.kind === 'bbox') {
    const [, south, , north] = shape.bounds
    const columns = longitudesOf(shape.bounds).map(([west, east]) => sql`${x} BETWEEN ${west} AND ${east}`)
    return sql`((${sql.join(columns, sql` OR `)}) AND ${y} BETWEEN ${south} AND ${north})`
  }
  if (shape.geometry.type !== 'Point' || shape.geometry.coordinates.length === 0) return null
  const [longitude, latitude] = shape.geometry.coordinates
  return sql`(${x} = ${longitude} AND ${y} = ${latitude})`
}

const closedOf = (shape: Shape): Area => (shape.kind === 'bbox' ? box(shape.bounds) : prepare(shape.geometry, true))

/**
 * Returns the area of a geometry without its boundary. In a box across 180 degrees, that meridian is not a boundary.
 */
const openOf = (shape: Shape): Area => {
  if (shape.kind === 'geometry') return prepare(shape.geometry)
  const [, south, , north] = shape.bounds
  const parts = longitudesOf(shape.bounds)
  const across = parts.length > 1
  const { meets, bounds } = box(shape.bounds)
  const isBetween = (x: number, [west, east]: readonly [number, number]) =>
    (west < x && x < east) ||
    (across && ((x === 180 && east === 180 && west < x) || (x === -180 && west === -180 && x < east)))
  const contains = (x: number, y: number) => south < y && y < north && parts.some((part) => isBetween(x, part))
  return { meets, contains, bounds: across ? [] : bounds.map((each) => ({ ...each, closed: false })) }
}

const positionsOf = (geometry: Geometry): Position[] => {
  const { points, lines, polygons } = membersOf(geometry)
  return [...points, ...lines.flat(), ...polygons.flat(2)].filter(({ length }) => length > 0)
}
