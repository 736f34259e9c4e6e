import type { GeoJSON, Polygon, Position } from 'geojson'

/** Returns west, south, east and north of positions. Null without positions. */
export type Box = readonly [west: number, south: number, east: number, north: number]

export const boxOf = (positions: Iterable<Position>): Box | null => {
  let box: [number, number, number, number] | null = null
  for (const [x = 0, y = 0] of positions)
    box =
      box === null ? [x, y, x, y] : [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)]
  return box
}

/** Yields every position of any GeoJSON. */
export function* positionsOf(value: GeoJSON | null): Generator<Position> {
  if (value === null) return
  if (value.type === 'FeatureCollection') for (const feature of value.features) yield* positionsOf(feature)
  else if (value.type === 'Feature') yield* positionsOf(value.geometry)
  else if (value.type === 'GeometryCollection') for (const each of value.geometries) yield* positionsOf(each)
  else yield* flatten(value.coordinates)
}

type Nested = Position | readonly Nested[]

function* flatten(nested: Nested): Generator<Position> {
  if (nested.length === 0) return
  if (typeof nested[0] === 'number') yield nested as Position
  else for (const each of nested as readonly Nested[]) yield* flatten(each)
}

/** Rounds the positions of a polygon to 0.00001 degrees, about a metre. No coordinate is -0. */
export const rounded = ({ coordinates }: Polygon): Polygon => ({
  type: 'Polygon',
  coordinates: coordinates.map((ring) => ring.map((position) => position.map((value) => Number(value.toFixed(5)) + 0))),
})
