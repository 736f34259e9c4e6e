import { type SQL, sql } from 'drizzle-orm'
import { type Bbox, bboxOf, type LonLat } from '../../geometry/bbox.ts'
import { longitudesOf } from '../../geometry/box.ts'
import { boxAround, boxesWithin } from '../../geometry/circle.ts'
import { type Geometry, geometriesOf } from '../../geometry/geometry.ts'
import { edgesOf, turnsOf } from '../../geometry/within.ts'
import type { Area } from '../../question/condition.ts'
import { partsOf } from '../shared/area.ts'
import type { Decided } from './context.ts'
import { all, double, either, ifPresent, integers } from './sql.ts'

const POINT = sql`e.geometry`

/**
 * Writes SQL that the point of an event is in an area. PostGIS decides polygons exactly in these forms, and boxes by their
 * coordinates. The Worker has decided the others.
 */
export const areaSql = (decided: Decided, area: Area): SQL => {
  const write = (each: Area) => areaSql(decided, each)
  const ids = decided.rows.get(area)
  if ('circle' in area) return sql`(${inCircle(area)} OR e.id = ANY(${integers(ids ?? [])}))`
  if (ids !== undefined) return ifPresent(POINT, sql`e.id = ANY(${integers(ids)})`)
  if ('within' in area) return inGeometry(area.within, area.closed)
  if ('box' in area) return inBox(area.box, area.closed)
  if ('all' in area) return all(area.all.map(write))
  if ('any' in area) return area.any.length === 0 ? ifPresent(POINT, sql`false`) : either(area.any.map(write))
  if ('outside' in area) return sql`NOT (${write(area.outside)})`
  return ifPresent(POINT, sql`false`)
}

/** Writes a box. */
export const envelope = ([west, south, east, north]: Bbox): SQL =>
  sql`ST_MakeEnvelope(${double(west)}, ${double(south)}, ${double(east)}, ${double(north)}, 4326)`

/**
 * Tests a point and the polygons of a geometry. `ST_ContainsProperly` excludes the boundary, and a point in a collection is
 * compared with it exactly. `ST_Within` and a plain `ST_Intersects` are wrong for some points close to an edge.
 */
const inGeometry = (geometry: Geometry, closed: boolean): SQL => {
  const bbox = bboxOf(edgesOf(geometry).edges)
  if (bbox === null) return ifPresent(POINT, sql`false`)
  const polygons = geometryOf(geometry)
  const inTurn = (turn: number): SQL => {
    const point = turn === 0 ? POINT : sql`ST_Translate(${POINT}, ${double(turn)}, 0)`
    return closed
      ? sql`ST_Intersects(ST_ForceCollection(${point}), ${polygons})`
      : sql`ST_ContainsProperly(${polygons}, ${point}) IS NOT FALSE`
  }
  // Only the bbox enters the index of places. PostgreSQL takes an index condition of its own from ST_ContainsProperly
  // for one row in a thousand, and `IS NOT FALSE` prevents that. A row without a point is null by its bbox.
  return either(turnsOf(bbox).map((turn) => sql`(${inTurned(bbox, turn)} AND ${inTurn(turn)})`))
}

/** Tests if a point may be in a bbox after its longitude was moved by some degrees. */
const inTurned = ([west, south, east, north]: Bbox, turn: number): SQL =>
  sql`${POINT} && ${envelope([west - turn, south, east - turn, north])}`

type Circle = Extract<Area, { circle: unknown }>

/** Metres. The Worker decides the distances that differ by less from a radius. PostGIS is exact to a micrometre. */
export const MARGIN = 0.01

/** Tests if a point is in a circle, as far as PostGIS decides it. Boxes in the circle hold most points, at 6 % of the time. */
const inCircle = (area: Circle): SQL => {
  const within = area.metres - MARGIN
  if (within < 0) return ifPresent(POINT, sql`false`)
  return all([
    aroundCircle(area),
    either([...boxesIn(area), sql`ST_DWithin(${ON_EARTH}, ${onEarth(area.circle)}, ${double(within)})`]),
  ])
}

/** Selects the places whose distance the Worker decides. */
export const ringOf = (area: Circle): SQL =>
  all([
    aroundCircle(area),
    ...boxesIn(area).map((inBox) => sql`NOT ${inBox}`),
    sql`abs(${distanceTo(area.circle)} - ${double(area.metres)}) <= ${double(MARGIN)}`,
  ])

const ON_EARTH = sql`ST_Force2D(${POINT})::geography`

const onEarth = ([x, y]: LonLat): SQL => sql`ST_SetSRID(ST_MakePoint(${double(x)}, ${double(y)}), 4326)::geography`

/** Writes the distance of the point of an event from a place, in metres. */
export const distanceTo = (place: LonLat): SQL => sql`ST_Distance(${ON_EARTH}, ${onEarth(place)})`

const aroundCircle = (area: Circle): SQL => sql`${POINT} && ${envelope(boxAround(area.circle, area.metres + 1))}`

/** Degrees. The operator `@` has 32 bits, so it takes some points that are outside by less. */
const MARGIN_OF_BOX = 0.0001

const boxesIn = (area: Circle): readonly SQL[] =>
  boxesWithin(area.circle, area.metres)
    .map(([west, south, east, north]): Bbox => {
      return [west + MARGIN_OF_BOX, south + MARGIN_OF_BOX, east - MARGIN_OF_BOX, north - MARGIN_OF_BOX]
    })
    .filter(([west, south, east, north]) => west < east && south < north)
    .map((box) => sql`${POINT} @ ${envelope(box)}`)

/** Selects the places in the bbox of a geometry. */
export const around = (geometry: Geometry): SQL => {
  const bbox = bboxOf(edgesOf(geometry).edges)
  if (bbox === null) return sql`false`
  return either(turnsOf(bbox).map((turn) => inTurned(bbox, turn)))
}

/** Writes the polygons of a geometry that are not empty. */
export const geometryOf = (geometry: Geometry): SQL => {
  const coordinates = geometriesOf(geometry).polygons.filter((rings) => rings.length > 0)
  const document = { type: 'MultiPolygon', coordinates }
  return sql`ST_SetSRID(ST_Force2D(ST_GeomFromGeoJSON(${JSON.stringify(document)}::text)), 4326)`
}

/**
 * Tests the coordinates of a point. The operator `&&` enters the index, and has 32 bits, so it may take too many. PostgreSQL
 * takes each range of coordinates for one row in 200, and CASE for every second row: the first page of half of the world then
 * takes 1 ms instead of 1 s.
 */
const inBox = (box: Bbox, closed: boolean): SQL => {
  const [, south, , north] = box
  const [more, less] = closed ? [sql`>=`, sql`<=`] : [sql`>`, sql`<`]
  const x = sql`ST_X(${POINT})`
  const y = sql`ST_Y(${POINT})`
  return either(
    partsOf(box).map(({ west, east, hasWest, hasEast }) =>
      all([
        sql`${POINT} && ${envelope([west, south, east, north])}`,
        ifPresent(
          POINT,
          all([
            sql`${x} ${hasWest ? sql`>=` : more} ${double(west)}`,
            sql`${x} ${hasEast ? sql`<=` : less} ${double(east)}`,
            sql`${y} ${more} ${double(south)}`,
            sql`${y} ${less} ${double(north)}`,
          ]),
        ),
      ]),
    ),
  )
}

/** Tests if the rectangle of a series shares a point with a box. It is null for a series without a rectangle. */
export const meetsRectangle = (west: SQL, south: SQL, east: SQL, north: SQL, area: Area): SQL => {
  if ('nowhere' in area) return sql`false`
  if (!('box' in area)) throw new RangeError('Only boxes are compared with the rectangles of series.')
  const [, least, , greatest] = area.box
  const across = longitudesOf(area.box).map(
    ([from, to]) => sql`(${west} <= ${double(to)} AND ${east} >= ${double(from)})`,
  )
  return sql`(${south} <= ${double(greatest)} AND ${north} >= ${double(least)} AND ${either(across)})`
}

/**
 * Writes the column and the row of the cell of a point at a level, as src/geometry/cell.ts does. They are null without a
 * point: GREATEST and LEAST leave nulls out.
 */
export const columnAndRow = (
  level: number,
  x = sql`ST_X(e.geometry)`,
  y = sql`ST_Y(e.geometry)`,
): { readonly column: SQL; readonly row: SQL } => {
  const side = sql`${String(2 ** level)}::float8`
  const part = (value: SQL) => ifPresent(value, sql`least(floor(greatest(${value}, 0) * ${side}), ${side} - 1)`)
  return {
    column: part(sql`((${x} + 180) / 360)`),
    row: part(sql`((${y} + 90) / 180)`),
  }
}
