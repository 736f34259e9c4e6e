import { type SQL, sql } from 'drizzle-orm'
import { box, longitudesOf } from '../geometry/box.ts'
import { combine } from '../geometry/combine.ts'
import type { Geometry, Position } from '../geometry/geometry.ts'
import { type Area, itself, prepare } from '../geometry/within.ts'
import { type Expression, fault } from './expression.ts'
import { constant, geometryAlone, not, type Predicate } from './predicate.ts'
import { leaf, placeTest, sqlTest } from './rowTest.ts'
import { type Property, propertyOf, type Queryables } from './values.ts'

type Place = Extract<Property, { kind: 'place' }>
/** The property with a row's place. `within` writes SQL for the rows in an area. */
type Located = Place & { readonly within: (area: Area) => SQL }
type Shape = Extract<Expression, { kind: 'geometry' | 'bbox' }>

/** The converse of a function, if the property is its second argument. All other functions are symmetric. */
const CONVERSE: Readonly<Record<string, string>> = { s_within: 's_contains', s_contains: 's_within' }

/**
 * Returns the predicate for a spatial function of a geometry and a row's place, which is a point. It is planar in
 * longitude and latitude, and exact at every double. A point on the boundary of a geometry intersects it and touches
 * it, but is not within it.
 */
export const spatial = (names: Queryables, op: string, [a, b]: readonly Expression[], at: string): Predicate => {
  const within = names.within ?? refuse(at)
  if (a?.kind === 'property' && isShape(b)) return relation({ ...placeOf(names, a), within }, op, b)
  if (b?.kind === 'property' && isShape(a)) return relation({ ...placeOf(names, b), within }, CONVERSE[op] ?? op, a)
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

const relation = (place: Located, op: string, shape: Shape): Predicate => {
  if (op === 's_intersects') return ofArea(place, closedOf(shape), textOf(place, shape))
  if (op === 's_disjoint') return not(ofArea(place, closedOf(shape), textOf(place, shape)))
  if (op === 's_within')
    return shape.kind === 'geometry' && shape.geometry.type === 'Point'
      ? ofArea(place, closedOf(shape), textOf(place, shape))
      : ofArea(place, openOf(shape), null)
  if (op === 's_touches') {
    const [open, closed] = [openOf(shape), closedOf(shape)]
    return ofArea(
      place,
      combine([closed, open], (within) => within(closed) && !within(open)),
      null,
    )
  }
  // A point contains only itself. It cannot cross or overlap a geometry.
  const [only, ...others] = shape.kind === 'bbox' ? [] : distinct(positionsOf(shape.geometry))
  if (op === 's_crosses' || op === 's_overlaps' || only === undefined || others.length > 0) return nowhere(place)
  const point: Shape = { kind: 'geometry', geometry: { type: 'Point', coordinates: only }, at: '' }
  return ofArea(place, closedOf(point), textOf(place, point))
}

/** Returns a predicate that is false for every place. It is NULL without a place. */
const nowhere = ({ x }: Place): Predicate => ({
  ...constant(false),
  isFalse: () => sqlTest(sql`${x} IS NOT NULL`),
  answer: () => leaf(sql`CASE WHEN ${x} IS NOT NULL THEN 0 END`),
})

/**
 * Returns the predicate that a place is in an area. `text` is the SQL for a box or a point. For other areas, the Worker
 * looks up the rows before the query.
 */
const ofArea = ({ x, within }: Located, area: Area, text: SQL | null): Predicate => {
  const complement = combine([area], (inside) => !inside(area))
  const written = (sql: SQL) => (text === null ? undefined : () => leaf(sql))
  return {
    isTrue: () => placeTest({ x, within, area, text: written(sql`${text}`) }),
    isFalse: () => placeTest({ x, within, area: complement, outside: area, text: written(sql`NOT ${text}`) }),
    answer: () => leaf(text ?? sql`CASE WHEN ${x} IS NOT NULL THEN ${within(area)} END`),
  }
}

const textOf = ({ x, y }: Place, shape: Shape): SQL | null => {
  if (shape.kind === 'bbox') {
    const [, south, , north] = shape.bounds
    const columns = longitudesOf(shape.bounds).map(([west, east]) => sql`${x} BETWEEN ${west} AND ${east}`)
    return sql`((${sql.join(columns, sql` OR `)}) AND ${y} BETWEEN ${south} AND ${north})`
  }
  if (shape.geometry.type !== 'Point' || shape.geometry.coordinates.length === 0) return null
  const [longitude, latitude] = shape.geometry.coordinates
  return sql`(${x} = ${longitude} AND ${y} = ${latitude})`
}

const refuse = (at: string) => () => {
  throw geometryAlone(at)
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
  const closedBox = box(shape.bounds)
  const isBetween = (x: number, [west, east]: readonly [number, number]) =>
    (west < x && x < east) ||
    (across && ((x === 180 && east === 180 && west < x) || (x === -180 && west === -180 && x < east)))
  const contains = (x: number, y: number) => south < y && y < north && parts.some((part) => isBetween(x, part))
  return itself({ ...closedBox, closed: false, rectangles: across ? null : closedBox.rectangles, contains })
}

const positionsOf = (geometry: Geometry): Position[] => {
  if (geometry.type === 'GeometryCollection') return geometry.geometries.flatMap(positionsOf)
  if (geometry.type === 'Point') return geometry.coordinates.length === 0 ? [] : [geometry.coordinates]
  const depth = { LineString: 0, MultiPoint: 0, Polygon: 1, MultiLineString: 1, MultiPolygon: 2 }[geometry.type]
  return geometry.coordinates.flat(depth as 0) as Position[]
}

const distinct = (positions: readonly Position[]): Position[] => {
  const [first] = positions
  const another = positions.find((each) => each[0] !== first?.[0] || each[1] !== first?.[1])
  return first === undefined ? [] : another === undefined ? [first] : [first, another]
}
