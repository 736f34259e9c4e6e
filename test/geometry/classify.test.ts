import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CELL_LEVELS, cellIn, cellOf } from '../../src/geometry/cell.ts'
import { classifier, covering } from '../../src/geometry/covering.ts'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'
import { type Area, prepare } from '../../src/geometry/within.ts'
import { random } from '../bench/events.ts'
import { smooth, spiky } from '../bench/shapes.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { geometries, onGrid } from './shapes.ts'

const SIDE = 2 ** CELL_LEVELS
const [WIDTH, HEIGHT] = [360 / SIDE, 180 / SIDE]

/** Returns the column and the row of the finest cell at a point. */
const cellAround = (x: number, y: number): [column: number, row: number] =>
  [Math.floor(((x + 180) / 360) * SIDE), Math.floor(((y + 90) / 180) * SIDE)].map((at) =>
    Math.min(SIDE - 1, Math.max(0, at)),
  ) as [number, number]

/**
 * Returns points in a finest cell: its own corner, its centre, and random ones. Its other corners belong to its
 * neighbours.
 */
const pointsIn = (column: number, row: number, next: () => number): [number, number][] =>
  [0, 0.5, 0.999, next(), next()].flatMap((part) =>
    [0, 0.5, 0.999, next()].map((other): [number, number] => [
      (column + part) * WIDTH - 180,
      (row + other) * HEIGHT - 90,
    ]),
  )

/**
 * Expects the right side for the finest cell of each point that lies in a boundary cell. Returns the number of cells on
 * each side.
 */
const expectSides = (area: Area, maxCells: number, points: readonly (readonly [number, number])[], seed: number) => {
  const cover = covering(area, { maxCells })
  const sideOf = classifier(area, cover)
  const next = random(seed)
  const sides = { inside: 0, outside: 0, unknown: 0 }
  for (const [x, y] of points) {
    const [column, row] = cellAround(x, y)
    const finest = cellIn(column, row)
    const at = cover.boundaryCells.findIndex(({ range: [first, last] }) => first <= finest && finest <= last)
    if (at < 0) continue
    const side = sideOf(at, column, row)
    sides[side] += 1
    if (side === 'unknown') continue
    for (const point of [[x, y] as const, ...pointsIn(column, row, next)])
      if (cellOf(...point) === finest) expect([point, area.contains(...point)]).toEqual([point, side === 'inside'])
  }
  return sides
}

const polygon = (...rings: Position[][]): Geometry => ({ type: 'Polygon', coordinates: rings })
const ringOf = (west: number, south: number, east: number, north: number): Position[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]

describe('every point of a finest cell that is classified inside or outside is on that side', () => {
  it.each([1, 4, 60, 500])('random geometries with %i cells', EXHAUSTIVE, (maxCells) => {
    fc.assert(
      fc.property(onGrid(geometries), fc.boolean(), ({ shape, points }, closed) => {
        expectSides(prepare(shape, closed), maxCells, points, 1)
      }),
      { seed: 20_261_121, numRuns: 80 },
    )
  })

  const anywhere = (count: number, west: number, south: number, size: number) => {
    const next = random(7)
    return Array.from({ length: count }, () => [west + next() * size, south + next() * size] as const)
  }

  it.each<[string, Geometry, number]>([
    ['a spiky ring', polygon(spiky(random(3), [5, 52], 2, 400).map(([x, y]) => [x, y])), 200],
    ['a smooth ring', polygon(smooth(random(3), [5, 52], 2, 2000).map(([x, y]) => [x, y])), 50],
    ['a hole in a box', polygon(ringOf(3, 50, 7, 54), ringOf(4.5, 51.5, 5.5, 52.5)), 30],
    [
      'polygons that overlap and share edges',
      {
        type: 'MultiPolygon',
        coordinates: [
          [ringOf(3, 50, 5, 52)],
          [ringOf(5, 50, 7, 54)],
          [ringOf(4, 51, 6, 53)],
          [ringOf(3.5, 50.5, 6.5, 53.5)],
        ],
      },
      20,
    ],
    [
      // The cell of level 6 at this place has its centre at 2.8125, 52.03125.
      'edges through the centres of cells',
      polygon(ringOf(2.8125, 52.03125, 6, 53), ringOf(1, 51, 2.8125, 52.03125)),
      8,
    ],
    ['beyond 180', polygon(ringOf(-357, 51, -353, 53)), 40],
    [
      'a line and points in a polygon',
      {
        type: 'GeometryCollection',
        geometries: [
          polygon(ringOf(4, 51, 6, 53)),
          {
            type: 'LineString',
            coordinates: [
              [3, 50],
              [7, 54],
            ],
          },
          {
            type: 'MultiPoint',
            coordinates: [
              [5, 52],
              [3.5, 53.5],
            ],
          },
        ],
      },
      20,
    ],
  ])('%s', (_, geometry, maxCells) => {
    const points = anywhere(1500, 2.5, 49.5, 5)
    const sides = expectSides(prepare(geometry), maxCells, points, 5)
    // Only cells at edges may be unknown.
    expect(sides.inside + sides.outside).toBeGreaterThan(50)
    expect(sides.unknown).toBeLessThanOrEqual(5)
  })

  it('a cell that an edge crosses is unknown', () => {
    const area = prepare(polygon(ringOf(3, 50, 7, 54)))
    expect(
      expectSides(
        area,
        10,
        [
          [3, 52],
          [5, 54],
          [7, 50],
        ],
        1,
      ),
    ).toEqual({ inside: 0, outside: 0, unknown: 3 })
  })
})
