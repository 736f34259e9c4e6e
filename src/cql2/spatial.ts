import { type Geometry, geometriesOf, type Position } from '../geometry/geometry.ts'
import type { Area, Condition } from '../question/condition.ts'
import { type Expression, fault } from './expression.ts'
import { propertyOf, type Queryables } from './values.ts'

type Shape = Extract<Expression, { kind: 'geometry' | 'bbox' }>

/** The converse of a function, if the property is its second argument. All other functions are symmetric. */
const CONVERSE: Readonly<Record<string, string>> = { s_within: 's_contains', s_contains: 's_within' }

/**
 * Returns the condition for a spatial function of a geometry and a row's place, which is a point. It is planar in
 * longitude and latitude, and exact at every double. A point on the boundary of a geometry intersects it and touches
 * it, but is not within it.
 */
export const spatial = (names: Queryables, op: string, [a, b]: readonly Expression[], at: string): Condition => {
  if (a?.kind === 'property' && isShape(b)) return ofPlace(names, a, op, b)
  if (b?.kind === 'property' && isShape(a)) return ofPlace(names, b, CONVERSE[op] ?? op, a)
  throw fault(
    at,
    `${op.toUpperCase()} takes a property and a geometry. Enter ${op.toUpperCase()}(geom, BBOX(4, 51, 6, 53))`,
  )
}

const isShape = (expression: Expression | undefined): expression is Shape =>
  expression?.kind === 'geometry' || expression?.kind === 'bbox'

type Named = Extract<Expression, { kind: 'property' }>

const ofPlace = (names: Queryables, { name, at }: Named, op: string, shape: Shape): Condition => {
  if (propertyOf(names, name, at).field !== 'place') throw fault(at, `${name} is not a geometry`)
  if (op === 's_disjoint') return { kind: 'not', of: inArea(areaOf(shape, true)) }
  return inArea(relation(op, shape))
}

const inArea = (area: Area): Condition => ({ kind: 'area', of: 'point', area })

/** Returns the area of the points that have a relation with a shape. */
const relation = (op: string, shape: Shape): Area => {
  const isPoint = shape.kind === 'geometry' && shape.geometry.type === 'Point'
  if (op === 's_intersects') return areaOf(shape, true)
  if (op === 's_within') return areaOf(shape, isPoint)
  if (op === 's_touches') return { all: [areaOf(shape, true), { outside: areaOf(shape, false) }] }
  // A point contains only itself. It cannot cross or overlap a geometry.
  const [only, ...others] = shape.kind === 'bbox' ? [] : positionsOf(shape.geometry)
  const isOther = ([x, y]: Position) => x !== only?.[0] || y !== only?.[1]
  if (op === 's_crosses' || op === 's_overlaps' || only === undefined || others.some(isOther)) return { nowhere: true }
  return { within: { type: 'Point', coordinates: only }, closed: true }
}

const areaOf = (shape: Shape, closed: boolean): Area =>
  shape.kind === 'bbox' ? { box: shape.bounds, closed } : { within: shape.geometry, closed }

const positionsOf = (geometry: Geometry): Position[] => {
  const { points, lines, polygons } = geometriesOf(geometry)
  return [...points, ...lines.flat(), ...polygons.flat(2)].filter(({ length }) => length > 0)
}
