import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ValueRange } from '../../src/base/collections.ts'
import { cellOf } from '../../src/geometry/cell.ts'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'
import { prepare } from '../../src/geometry/within.ts'
import { covering } from './cover.ts'
import { geometries, onGrid } from './shapes.ts'
import { slowWithin } from './slow.ts'

const QUARTER = 2 ** 50
const LAST = 2 ** 52 - 1

const box = (west: number, south: number, east: number, north: number): Geometry => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ],
})

const cover = (geometry: Geometry, maxCells?: number) =>
  covering(prepare(geometry), maxCells === undefined ? {} : { maxCells })

const has = (ranges: ValueRange[], cell: number): boolean =>
  ranges.some(([first, last]) => first <= cell && cell <= last)

const size = (ranges: ValueRange[]): number => ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)

describe('covering', () => {
  const nothing = { interior: [], boundary: [] }
  test.each<[title: string, geometry: Geometry, maxCells: number, expected: ReturnType<typeof covering>]>([
    ['empty', { type: 'Polygon', coordinates: [] }, 100, nothing],
    ['no split allowed', box(1, 1, 2, 2), 1, { interior: [], boundary: [[0, LAST]] }],
    ['in one quarter', box(1, 1, 179, 89), 4, { interior: [], boundary: [[3 * QUARTER, LAST]] }],
    ['all by far', box(-1e5, -1e5, 1e5, 1e5), 1, { interior: [[0, LAST]], boundary: [] }],
    ['outside the world', box(10, 91, 20, 99), 100, nothing],
  ])('%s', (_, geometry, maxCells, expected) => {
    const { interior, boundary } = cover(geometry, maxCells)
    expect({ interior, boundary }).toEqual(expected)
  })

  test('gives ranges on both sides for a box beyond 180 degrees', () => {
    const { interior, boundary } = cover(box(170, -10, 190, 10))
    expect(has(interior, cellOf(175, 1))).toBe(true)
    expect(has(interior, cellOf(-175, 1))).toBe(true)
    expect(has(boundary, cellOf(-170, 1))).toBe(true)
    expect(has([...interior, ...boundary], cellOf(165, 1))).toBe(false)
    expect(has([...interior, ...boundary], cellOf(-165, 1))).toBe(false)
  })

  test('gives no interior for a line and a point', () => {
    const { interior, boundary } = cover({
      type: 'LineString',
      coordinates: [
        [0, 0],
        [50, 40],
      ],
    })
    expect(interior).toEqual([])
    expect(size(boundary) / 2 ** 52).toBeLessThan(1e-3)
    expect(size(cover({ type: 'Point', coordinates: [5, 52] }).boundary)).toBeLessThanOrEqual(9) // its cell and the neighbours
  })

  test('gives mostly interior ranges for a circle', () => {
    const ring = Array.from({ length: 361 }, (_, i) => [
      20 * Math.cos((i * Math.PI) / 180),
      20 * Math.sin((i * Math.PI) / 180),
    ])
    ring[360] = ring[0] as Position
    const { interior, boundary } = cover({ type: 'Polygon', coordinates: [ring] })
    const part = (Math.PI * 400) / (360 * 180)
    expect(size(interior) / 2 ** 52 / part).toBeGreaterThan(0.97)
    expect(size(boundary) / 2 ** 52 / part).toBeLessThan(0.03)
    expect(interior.length + boundary.length).toBeLessThanOrEqual(2000)
  })

  test('uses the smallest cells for the densest region', () => {
    const inEast = 3 * QUARTER
    const weight = (level: number, first: number) => (first >= inEast || level === 0 ? 4 ** -level : 0)
    const { boundary } = covering(prepare(box(-50, 10, 50, 20)), { weight })
    const west = boundary.filter(([first]) => first < inEast)
    expect(west).toEqual([[2 * QUARTER, 3 * QUARTER - 1]])
    expect(boundary.length).toBeGreaterThan(100)
  })

  test('splits no cell with few expected events', () => {
    const weight = (_: number, first: number, last: number) => (1_000_000 * (last - first + 1)) / 2 ** 52
    const { boundary } = covering(prepare(box(1, 1, 60, 60)), { weight, worth: 5000 })
    expect(new Set(boundary.map(([first, last]) => (last - first + 1) % 4 ** 22))).toEqual(new Set([0]))
    expect(size(boundary)).toBeGreaterThan(0)
  })

  test('has equally small cells for 100,000 edges in one spot and for few edges', () => {
    const turn = (i: number) => (2 * Math.PI * i) / 100_000
    const ring = Array.from({ length: 100_001 }, (_, i) => [
      5 + 0.01 * Math.cos(turn(i % 100_000)),
      52 + 0.01 * Math.sin(turn(i % 100_000)),
    ])
    const { interior, boundary } = cover({ type: 'Polygon', coordinates: [ring] })
    expect(size(boundary)).toBeLessThan(0.05 * size(interior))
  })

  test('takes no cell between 100,000 edges across the world for one inside', () => {
    const zigzag = Array.from({ length: 100_000 }, (_, i) => [-180 + i * 0.0036, i % 2 === 0 ? -90 : 90])
    const { interior, boundary } = cover({ type: 'Polygon', coordinates: [[...zigzag, zigzag[0] as Position]] })
    expect(interior).toEqual([])
    expect(boundary).toEqual([[0, LAST]])
  })
})

describe('interior ranges contain only points of the area, and every point of the area is in a range', () => {
  const keepsFor = (cells: number, numRuns: number) =>
    fc.assert(
      fc.property(onGrid(geometries), ({ shape, points }) => {
        const { interior, boundary } = cover(shape, cells)
        const ranges = [...interior, ...boundary].sort((a, b) => a[0] - b[0])
        expect(ranges.length).toBeLessThanOrEqual(cells)
        for (let i = 1; i < ranges.length; i++) {
          expect((ranges[i] as ValueRange)[0]).toBeGreaterThan((ranges[i - 1] as ValueRange)[1])
        }
        for (const p of points) {
          const cell = cellOf(...p)
          if (has(interior, cell)) expect([p, slowWithin(shape, p)]).toEqual([p, true])
          else if (!has(boundary, cell)) expect([p, slowWithin(shape, p)]).toEqual([p, false])
        }
      }),
      { seed: 26, numRuns },
    )
  test.each([
    [1, 50],
    [4, 100],
    [20, 100],
    [200, 150],
    [1000, 40],
  ])('%d cells', keepsFor)
})
