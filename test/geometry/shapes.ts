import fc from 'fast-check'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'

/** A coarse grid of vertices. Many points fall exactly on edges, vertices and the borders of cells. */
export interface Grid {
  x: number
  y: number
  step: number
}

/** 360 / 64 degrees. Neighbours at this distance are on the borders of cells. */
export const CELL_STEP = 5.625

export const GRIDS: readonly Grid[] = [
  { x: 0, y: 0, step: 1 },
  { x: 0, y: 0, step: CELL_STEP },
  { x: 180, y: 0, step: CELL_STEP },
  { x: -180, y: 45, step: CELL_STEP / 4 },
  { x: 180, y: 90, step: 1 },
  { x: -180, y: -90, step: 0.5 },
  { x: 0, y: 0, step: 60 },
  { x: 4.9, y: 52.37, step: 1e-3 },
]

export const grids: fc.Arbitrary<Grid> = fc.constantFrom(...GRIDS)

const HALF = 4

const vertex = (grid: Grid): fc.Arbitrary<Position> => {
  const n = fc.integer({ min: -HALF, max: HALF })
  return fc.tuple(n, n).map(([i, j]) => [grid.x + i * grid.step, grid.y + j * grid.step])
}

/** Returns closed rings of any form on the grid: concave, thin, with crossings, without area. */
export const rings = (grid: Grid): fc.Arbitrary<Position[]> =>
  fc.array(vertex(grid), { minLength: 3, maxLength: 8 }).map((open) => [...open, open[0] as Position])

export const polygons = (grid: Grid): fc.Arbitrary<Position[][]> =>
  fc.array(rings(grid), { minLength: 1, maxLength: 3 })

/** Returns several polygons that share vertices, edges and area. */
export const multiPolygons = (grid: Grid): fc.Arbitrary<Geometry> =>
  fc.array(polygons(grid), { minLength: 2, maxLength: 4 }).map((coordinates) => ({ type: 'MultiPolygon', coordinates }))

/**
 * Returns triangles between a point of the grid and its neighbours. Some triangles are left out, and the others share
 * vertices and edges.
 */
export const fans = (grid: Grid): fc.Arbitrary<Geometry> => {
  const around = [-1, 0, 1]
    .flatMap((i) => [-1, 0, 1].map((j) => [i, j] as const))
    .filter(([i, j]) => i !== 0 || j !== 0)
  const turn = (v: readonly [number, number]) => Math.atan2(v[1], v[0])
  const rim = around.sort((a, b) => turn(a) - turn(b)).map(([i, j]) => [grid.x + i * grid.step, grid.y + j * grid.step])
  const centre = [grid.x, grid.y]
  const triangles = rim.map((at, i) => [[centre, at, rim[(i + 1) % rim.length] as Position, centre]])
  return fc
    .subarray(triangles, { minLength: 5 })
    .map((coordinates) => ({ type: 'MultiPolygon', coordinates: coordinates as Position[][][] }))
}

const lines = (grid: Grid): fc.Arbitrary<Position[]> => fc.array(vertex(grid), { minLength: 2, maxLength: 4 })

/** Returns geometries of every type, and collections of them. */
export const geometries = (grid: Grid): fc.Arbitrary<Geometry> => {
  const single: fc.Arbitrary<Geometry> = fc.oneof(
    vertex(grid).map((coordinates): Geometry => ({ type: 'Point', coordinates })),
    fc.array(vertex(grid), { maxLength: 3 }).map((coordinates): Geometry => ({ type: 'MultiPoint', coordinates })),
    lines(grid).map((coordinates): Geometry => ({ type: 'LineString', coordinates })),
    fc.array(lines(grid), { maxLength: 4 }).map((coordinates): Geometry => ({ type: 'MultiLineString', coordinates })),
    polygons(grid).map((coordinates): Geometry => ({ type: 'Polygon', coordinates })),
    multiPolygons(grid),
    fans(grid),
  )
  const collection = fc
    .array(single, { maxLength: 4 })
    .map((geometries): Geometry => ({ type: 'GeometryCollection', geometries }))
  return fc.oneof(single, collection)
}

/** Returns points on the grid, halfway between its points, and 2^-44 degrees beside both. */
export const points = (grid: Grid): fc.Arbitrary<[number, number]> => {
  const n = fc.integer({ min: -2 * HALF - 1, max: 2 * HALF + 1 })
  const hair = fc.constantFrom(0, 0, 0, 2 ** -44, -(2 ** -44))
  return fc.tuple(n, n, hair, hair).map(([i, j, dx, dy]) => {
    const x = grid.x + (i * grid.step) / 2 + dx
    const y = grid.y + (j * grid.step) / 2 + dy
    const turned = x > 180 ? x - 360 : x < -180 ? x + 360 : x
    return [Math.min(Math.max(turned, -180), 180), Math.min(Math.max(y, -90), 90)]
  })
}

/** Returns a grid, a shape on it, and points. */
export const onGrid = <T>(
  shape: (grid: Grid) => fc.Arbitrary<T>,
): fc.Arbitrary<{ shape: T; points: [number, number][] }> =>
  grids.chain((grid) =>
    fc.record({ shape: shape(grid), points: fc.array(points(grid), { minLength: 30, maxLength: 60 }) }),
  )
