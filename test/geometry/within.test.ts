import fc from 'fast-check'
import { orient2d } from 'robust-predicates'
import { describe, expect, test } from 'vitest'
import { at } from '../../src/base/collections.ts'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'
import { edgesOf, prepare } from '../../src/geometry/within.ts'
import { fans, geometries, multiPolygons, onGrid } from './shapes.ts'
import { slowWithin } from './slow.ts'

const box = (west: number, south: number, east: number, north: number): Position[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]
/** Reads positions, written as in WKT. */
const path = (text: string): Position[] => text.split(',').map((position) => position.split(' ').map(Number))
const polygon = (...coordinates: Position[][]): Geometry => ({ type: 'Polygon', coordinates })
const multi = (...coordinates: Position[][][]): Geometry => ({ type: 'MultiPolygon', coordinates })
const line = (...coordinates: Position[]): Geometry => ({ type: 'LineString', coordinates })
const lines = (...coordinates: Position[][]): Geometry => ({ type: 'MultiLineString', coordinates })
const point = (...coordinates: Position): Geometry => ({ type: 'Point', coordinates })
const all = (...geometries: Geometry[]): Geometry => ({ type: 'GeometryCollection', geometries })

const square = box(0, 0, 4, 4)
const bowtie = path('0 0,4 4,4 0,0 4,0 0')
const twice = [...square, ...square.slice(1)]
// The largest and the smallest coordinates that are read.
const HUGE = 1e5
const TINY = 1e-100
const steep = polygon([
  [-180, -HUGE],
  [180, HUGE],
  [-180, HUGE],
  [-180, -HUGE],
])

type Row = [title: string, geometry: Geometry, x: number, y: number, within: boolean]

const check = (rows: Row[]) =>
  test.each(rows)('%s', (_, geometry, x, y, within) => {
    expect(prepare(geometry).contains(x, y)).toBe(within)
  })

describe('a polygon contains its interior, but not its boundary', () => {
  check([
    ['inside', polygon(square), 2, 2, true],
    ['outside', polygon(square), 5, 2, false],
    ['on a vertical edge', polygon(square), 4, 2, false],
    ['on a horizontal edge', polygon(square), 2, 0, false],
    ['on a vertex', polygon(square), 4, 4, false],
    ['the next double inside an edge', polygon(square), 4 - 2 ** -51, 2, true],
    ['the next double outside an edge', polygon(square), 4 + 2 ** -50, 2, false],
    ['on a hole edge', polygon(square, box(1, 1, 2, 2)), 1, 1.5, false],
    ['in a hole', polygon(square, box(1, 1, 2, 2)), 1.5, 1.5, false],
    ['beside a hole', polygon(square, box(1, 1, 2, 2)), 3, 1.5, true],
    ['on a hole vertex that touches the outer ring', polygon(square, box(0, 1, 2, 2)), 0, 1, false],
    ['an island: a ring in a hole, even-odd', polygon(box(0, 0, 9, 9), box(1, 1, 8, 8), box(2, 2, 7, 7)), 4, 4, true],
    ['level with a vertex on the right', polygon(path('0 0,4 2,0 4,0 0')), 1, 2, true],
    ['level with a vertex, outside', polygon(path('0 0,4 2,0 4,0 0')), -1, 2, false],
    ['a bowtie: in a wing', polygon(bowtie), 0.5, 2, true],
    ['a bowtie: at the crossing of its edges', polygon(bowtie), 2, 2, false],
    ['a bowtie: between the wings', polygon(bowtie), 2, 3, false],
    ['a ring that goes round twice, even-odd', polygon(twice), 2, 2, false],
    ['a ring without area', polygon(path('0 0,4 0,2 0,0 0')), 1, 0, false],
    ['a ring of one position', polygon(path('1 1,1 1,1 1,1 1')), 1, 1, false],
    ['z is ignored', polygon(square.map(([x, y]) => [x as number, y as number, 7])), 2, 2, true],
  ])
})

describe('several polygons contain the interior of their union', () => {
  const [left, right] = [box(0, 0, 2, 2), box(2, 0, 4, 2)]
  const rim = path('1 1,0 1,-1 1,-1 0,-1 -1,0 -1,1 -1,1 0')
  const wedges = rim.slice(1).map((to, i) => [[[0, 0], at(rim, i), to, [0, 0]]])
  const quarters = [box(0, 0, 1, 1), box(1, 0, 2, 1), box(0, 1, 1, 2), box(1, 1, 2, 2)]
  const half = path('0 0,2 2,0 2,0 0')
  check([
    ['on a shared edge', multi([left], [right]), 2, 1, true],
    ['on the end of a shared edge', multi([left], [right]), 2, 0, false],
    ['on an edge of one, inside another', multi([left], [box(1, 0.5, 3, 1)]), 2, 0.75, true],
    ['on an edge of one, outside the other', multi([left], [box(5, 5, 6, 6)]), 2, 1, false],
    ['on an edge of both, on the same side', multi([left], [box(0, 0, 2, 1)]), 0, 0.5, false],
    ['on the corner of four quarters', multi(...quarters.map((ring) => [ring])), 1, 1, true],
    ['on the corner of three quarters', multi(...quarters.slice(1).map((ring) => [ring])), 1, 1, false],
    ['on the vertex where two polygons touch', multi([box(0, 0, 1, 1)], [box(1, 1, 2, 2)]), 1, 1, false],
    ['a vertex in the middle of an edge', multi([left], [path('2 1,3 0,3 2,2 1')]), 2, 1, false],
    ['a hole filled by another', multi([square, box(1, 1, 2, 2)], [box(1, 1, 2, 2)]), 1, 1.5, true],
    ['the corner of a hole filled by another', multi([square, box(1, 1, 2, 2)], [box(1, 1, 2, 2)]), 2, 2, true],
    ['halves along a slope', multi([half], [path('0 0,2 0,2 2,0 0')]), 1, 1, true],
    ['the same polygon twice: inside', multi([square], [square]), 2, 2, true],
    ['the same polygon twice: boundary', multi([square], [square]), 4, 2, false],
    ['in a collection', all(polygon(left), all(polygon(right))), 2, 1, true],
    [
      'all wedges around a point, one with repeated positions',
      multi(...wedges, [path('0 0,0 0,1 0,1 1,0 0,0 0')]),
      0,
      0,
      true,
    ],
    ['all wedges but one', multi(...wedges), 0, 0, false],
    [
      'a slit in one polygon, filled',
      multi([box(-1, -1, 1, 1), path('0 0,1 0,0 0,0 0')], [path('0 0,1 0,1 1,0 0')]),
      0,
      0,
      true,
    ],
  ])
})

describe('lines contain their points, but not their ends', () => {
  const bend: Position[] = path('0 0,2 2,4 0')
  check([
    ['on an edge', line(...bend), 1, 1, true],
    ['on a vertex between', line(...bend), 2, 2, true],
    ['on an end', line(...bend), 4, 0, false],
    ['beside', line(...bend), 1, 1 + 2 ** -52, false],
    ['on the extension', line(...bend), 3, 3, false],
    ['a closed line has no ends', line([0, 0], [2, 0], [2, 2], [0, 0]), 0, 0, true],
    ['on the common end of two lines', lines(path('0 0,1 0'), path('1 0,2 0')), 1, 0, true],
    ['on the common end of three lines', lines(path('0 0,1 0'), path('1 0,2 0'), path('1 0,1 1')), 1, 0, false],
    ['an end in the middle of another', lines(path('0 0,2 0'), path('1 0,1 1')), 1, 0, false],
    ['an end on a closed line', lines(path('0 0,2 0,2 2,0 0'), path('0 0,-1 0')), 0, 0, false],
    ['a line without length', line([1, 1], [1, 1]), 1, 1, true],
    ['an end at -0', line([0, 0], [2, 0]), -0, -0, false],
  ])
})

describe('points and collections: polygons decide before lines, lines before points', () => {
  check([
    ['a point', point(1, 2), 1, 2, true],
    ['a point with z', point(1, 2, 3), 1, 2, true],
    ['-0 is 0', point(0, 0), -0, -0, true],
    ['another point', point(1, 2), 1, 2 + 2 ** -51, false],
    [
      'one of several points',
      {
        type: 'MultiPoint',
        coordinates: path('1 2,3 4'),
      },
      3,
      4,
      true,
    ],
    ['on a polygon boundary and a line', all(line([3, 2], [5, 2]), polygon(square)), 4, 2, false],
    ['on a polygon boundary and a point', all(point(4, 2), polygon(square)), 4, 2, false],
    ['on a line end and a point', all(point(5, 2), line([5, 2], [6, 2])), 5, 2, false],
    ['on a line end inside a polygon', all(line([2, 2], [6, 2]), polygon(square)), 2, 2, true],
    ['on a line outside the polygon', all(line([2, 2], [6, 2]), polygon(square)), 5, 2, true],
  ])
})

describe('an empty geometry contains nothing', () => {
  test.each<Geometry>([
    { type: 'Point', coordinates: [] },
    { type: 'LineString', coordinates: [] },
    { type: 'Polygon', coordinates: [] },
    { type: 'Polygon', coordinates: [[]] },
    { type: 'MultiPolygon', coordinates: [[]] },
    { type: 'GeometryCollection', geometries: [{ type: 'MultiLineString', coordinates: [[]] }] },
  ])('%j', (geometry) => {
    const area = prepare(geometry)
    expect(area.bounds[0]?.bbox).toBeNull()
    expect(area.contains(0, 0)).toBe(false)
  })
})

describe('a geometry beyond 180 or -180 wraps around', () => {
  const fiji = polygon(box(170, -10, 190, 10))
  check([
    ['east of 180', fiji, -175, 0, true],
    ['west of 180', fiji, 175, 0, true],
    ['at 180', fiji, 180, 0, true],
    ['at -180', fiji, -180, 0, true],
    ['on the wrapped edge', fiji, -170, 0, false],
    ['the same from the west', polygon(box(-190, -10, -170, 10)), 175, 0, true],
    ['a box that ends at 180 does not wrap', polygon(box(170, -10, 180, 10)), -180, 0, false],
    ['latitudes do not wrap', polygon(box(170, 80, 190, 100)), 175, -85, false],
    ['a line', line([170, 0], [190, 0]), -175, 0, true],
    ['a point', point(181, 1), -179, 1, true],
    ['a whole turn and more', polygon(box(-540, -10, 540, 10)), 0, 0, true],
  ])
})

describe('the largest and the smallest coordinates', () => {
  check([
    ['a huge box', polygon(box(-HUGE, -HUGE, HUGE, HUGE)), 12.5, -7, true],
    ['a huge box, a corner of the world', polygon(box(-HUGE, -HUGE, HUGE, HUGE)), 180, 90, true],
    ['a huge triangle: on its diagonal', steep, 0, 0, false],
    ['a huge triangle: left of its diagonal', steep, 0.0125, 7, true],
    ['a huge triangle: right of its diagonal', steep, 0.0127, 7, false],
    [
      'a huge triangle, a turn of longitude away',
      polygon([
        [-HUGE, -HUGE],
        [HUGE, HUGE],
        [-HUGE, HUGE],
        [-HUGE, -HUGE],
      ]),
      7,
      0,
      true,
    ],
    ['a huge line', line([-HUGE, -HUGE], [HUGE, HUGE]), 7, 7, true],
    [
      'the smallest triangle',
      polygon([
        [0, 0],
        [2 * TINY, 0],
        [0, 2 * TINY],
        [0, 0],
      ]),
      TINY,
      TINY,
      false,
    ],
    ['in a tiny box', polygon(box(0, 0, 2 * TINY, 2 * TINY)), TINY, TINY, true],
    ['a stripe without height', line([0, TINY], [1, TINY]), 0.5, TINY, true],
    ['above the world', polygon(box(0, 95, 1, 99)), 0.5, 90, false],
  ])
})

// 0.02 is a little more than a third of 0.06. The point is inside, by less than the rounding of 0.06 + 3.
test('a point inside by less than one rounding', () => {
  expect(prepare(polygon(path('-3 -1,3 1,-3 21,-3 -1'))).contains(0.06, 0.02)).toBe(true)
})

test('the bbox does not wrap', () => {
  expect(prepare(polygon(box(170, -10, 190, 10))).bounds[0]?.bbox).toEqual([170, -10, 190, 10])
})

describe('contains agrees with the slowest test', () => {
  const agrees = (shape: Parameters<typeof onGrid<Geometry>>[0], numRuns: number) =>
    fc.assert(
      fc.property(onGrid(shape), ({ shape, points }) => {
        const area = prepare(shape)
        for (const p of points) expect([p, area.contains(...p)]).toEqual([p, slowWithin(shape, p)])
      }),
      { seed: 26, numRuns },
    )
  test('for random geometries', () => agrees(geometries, 120))
  test('for polygons that share edges and area', () => agrees(multiPolygons, 120))
  test('for triangles around a point', () => agrees(fans, 200))

  test('for long rings with many stripes', () => {
    const angle = (i: number, n: number) => (2 * Math.PI * i) / n
    const radii = fc.array(fc.double({ min: 1, max: 80, noNaN: true }), { minLength: 200, maxLength: 400 })
    const places = fc.array(
      fc.tuple(fc.double({ min: -90, max: 90, noNaN: true }), fc.double({ min: -90, max: 90, noNaN: true })),
    )
    fc.assert(
      fc.property(radii, places, (radii, places) => {
        const open = radii.map((r, i) => [r * Math.cos(angle(i, radii.length)), r * Math.sin(angle(i, radii.length))])
        const star = polygon([...open, open[0] as Position])
        const area = prepare(star)
        for (const p of [...places, ...(open as [number, number][])]) {
          expect([p, area.contains(...p)]).toEqual([p, slowWithin(star, p)])
        }
      }),
      { seed: 26, numRuns: 15 },
    )
  })
})

describe('a closed area also contains its boundary', () => {
  const closed = (geometry: Geometry, x: number, y: number) => prepare(geometry, true).contains(x, y)
  test.each<Row>([
    ['inside', polygon(square), 2, 2, true],
    ['on an edge', polygon(square), 4, 2, true],
    ['on a vertex', polygon(square), 4, 4, true],
    ['the next double outside an edge', polygon(square), 4 + 2 ** -50, 2, false],
    ['on a hole edge', polygon(square, box(1, 1, 2, 2)), 1, 1.5, true],
    ['in a hole', polygon(square, box(1, 1, 2, 2)), 1.5, 1.5, false],
    ['on the end of a line', line([0, 0], [2, 2]), 2, 2, true],
    ['on a closed line', line([0, 0], [2, 2], [0, 2], [0, 0]), 0, 0, true],
    ['beyond a line', line([0, 0], [2, 2]), 3, 3, false],
    ['a point', point(1, 2), 1, 2, true],
    ['on the boundary of one of two', all(polygon(square), line([4, 4], [9, 9])), 4, 4, true],
    ['beyond 180', polygon(box(170, 0, 190, 4)), -170, 2, true],
    ['empty', multi(), 0, 0, false],
  ])('%s', (_, geometry, x, y, within) => {
    expect(closed(geometry, x, y)).toBe(within)
  })

  test('contains the open area and all points on its edges', () => {
    fc.assert(
      fc.property(onGrid(geometries), ({ shape, points }) => {
        const [open, whole, { edges }] = [prepare(shape), prepare(shape, true), edgesOf(shape)]
        for (const [x, y] of points) {
          const onEdge = at(open.bounds, 0).turns.some((turn) => {
            for (let e = 0; e < edges.length; e += 4) {
              const [ax = 0, ay = 0, bx = 0, by = 0] = edges.subarray(e, e + 4)
              const between = (a: number, v: number, b: number) => Math.min(a, b) <= v && v <= Math.max(a, b)
              const px = x + turn
              if (between(ax, px, bx) && between(ay, y, by) && orient2d(ax, ay, bx, by, px, y) === 0) return true
            }
            return false
          })
          expect([x, y, whole.contains(x, y)]).toEqual([x, y, open.contains(x, y) || onEdge])
        }
      }),
      { seed: 28, numRuns: 100 },
    )
  })
})
