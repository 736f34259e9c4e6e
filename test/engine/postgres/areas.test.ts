import { describe, expect, it } from 'vitest'
import type { LonLat } from '../../../src/geometry/bbox.ts'
import type { Geometry } from '../../../src/geometry/geometry.ts'
import { prepare } from '../../../src/geometry/within.ts'
import { random } from '../../bench/events.ts'
import { engineOn, hasPostgres } from '../../postgres/database.ts'
import { loadedPostgres } from '../../postgres/loaded.ts'
import type { EventRecord } from '../../records.ts'
import { splitRows } from '../../tags.ts'
import { idsIn } from '../inArea.ts'
import { foundation } from '../world.ts'

const eventAt = (id: number, category: string, [x, y]: LonLat): EventRecord =>
  ({ kind: 'event', id, category, value: '', start: 0, end: 0, series: 1, coordinates: [x, y, 0] }) as never // the rest is optional

/** Returns the ids of the points that the service's own test finds, for comparison. */
const expectedIn = (points: readonly LonLat[], first: number, geometry: Geometry, closed: boolean): number[] => {
  const area = prepare(geometry, closed)
  return points.flatMap((point, i) => (area.contains(...point) ? [first + i] : []))
}

const BYTES = new DataView(new ArrayBuffer(8))

/** Returns the double so many steps away from 0, or towards it. */
const stepped = (value: number, steps: number): number => {
  BYTES.setFloat64(0, value)
  BYTES.setBigInt64(0, BYTES.getBigInt64(0) + BigInt(value < 0 ? -steps : steps))
  return BYTES.getFloat64(0)
}

const star = (corners: number): LonLat[] =>
  Array.from({ length: corners }, (_, i) => {
    const [angle, radius] = [(2 * Math.PI * i) / corners, 20 * (1 + 0.3 * Math.sin(i * 7.3))]
    return [8 + 1.6 * radius * Math.cos(angle), 45 + radius * Math.sin(angle)]
  })

const TRIANGLE: LonLat[] = [
  [3.1, 50.2],
  [7.9, 51.3],
  [5.05, 53.7],
]

/** Polygons whose edges lie badly for arithmetic with doubles. */
const SHAPES: Readonly<Record<string, readonly (readonly LonLat[])[]>> = {
  triangle: [TRIANGLE],
  sliver: [
    [
      [-170.1, -80.3],
      [179.9, 81.7],
      [179.8, 81.9],
    ],
  ],
  'near zero': [
    [
      [-1e-7, -3e-8],
      [2.3e-7, 1.1e-8],
      [1e-9, 2.2e-7],
    ],
  ],
  'large and small': [
    [
      [-1e-9, -80.3],
      [179.9, 1e-8],
      [1e-3, 81.9],
    ],
  ],
  star: [star(500)],
  'two polygons': [
    TRIANGLE,
    [
      [7.9, 51.3],
      [12, 52],
      [9, 55],
    ],
  ],
}

const shapeOf = (rings: readonly (readonly LonLat[])[]): Geometry => ({
  type: 'MultiPolygon',
  coordinates: rings.map((ring) => [[...ring, ring[0] as LonLat].map((point) => [...point])]),
})

/** Returns points at most two doubles away from the edges of rings, and on corners. */
const beside = (rings: readonly (readonly LonLat[])[], count: number, next: () => number): LonLat[] =>
  Array.from({ length: count }, (_, i) => {
    const ring = rings[i % rings.length] ?? []
    const [a, b] = [ring[i % ring.length] as LonLat, ring[(i + 1) % ring.length] as LonLat]
    const along = i % 97 === 0 ? 0 : next()
    const reach = i % 50 === 0 ? 0 : 4
    const near = (k: 0 | 1) => stepped(a[k] + along * (b[k] - a[k]), Math.round((next() - 0.5) * reach))
    return [near(0), near(1)]
  })

describe.runIf(hasPostgres)('points at the edges of a polygon', () => {
  for (const [options, [points = 0]] of splitRows(2, [2_000, 20_000]))
    it('are in it exactly as the service tests them', { ...options, timeout: 600_000 }, async () => {
      const next = random(20_261_128)
      const placed = Object.entries(SHAPES).map(([name, rings], k) => ({
        name,
        first: 1 + k * points,
        points: beside(rings, points, next),
        geometry: shapeOf(rings),
      }))
      const events = placed.flatMap(({ name, first, points }) =>
        points.map((each, i) => eventAt(first + i, name, each)),
      )
      const engine = engineOn(await loadedPostgres([...foundation, ...events]))
      for (const { name, first, points, geometry } of placed)
        for (const closed of [false, true])
          expect(await idsIn(engine, name, geometry, closed), `${name}, closed ${closed}`).toEqual(
            expectedIn(points, first, geometry, closed),
          )
    })
})
