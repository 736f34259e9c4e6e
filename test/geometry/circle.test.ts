import fc from 'fast-check'
import LatLon from 'geodesy/latlon-ellipsoidal-vincenty.js'
import { Geodesic } from 'geographiclib-geodesic'
import { describe, expect, it } from 'vitest'
import { inBbox, type LonLat } from '../../src/geometry/bbox.ts'
import { CELL_LEVELS, cellAt, cellBounds, cellOf } from '../../src/geometry/cell.ts'
import { boxesWithin, circle, distanceBetween, MAX_RADIUS } from '../../src/geometry/circle.ts'
import { covering } from './cover.ts'

const MILLIMETRE = 0.001

describe('the distance of two places', () => {
  it.each<[string, LonLat, LonLat, number]>([
    // From the documentation of GeographicLib.
    ['Wellington to Salamanca, nearly antipodes', [174.81, -41.32], [-5.5, 40.96], 19_959_679.267],
    ['New York to London', [-73.8, 40.6], [-0.5, 51.6], 5_551_759.4],
    // From the documentation of PostGIS.
    ['Los Angeles to Paris', [-118.4079, 33.9434], [2.5559, 49.0083], 9_124_665.273],
    ['pole to pole', [0, -90], [77, 90], 20_003_931.459],
    ['a quarter of the equator', [100, 0], [-170, 0], 10_018_754.171],
    ['across 180 degrees', [179.5, 0], [-179.5, 0], 111_319.491],
    ['one place, at both ends of the longitudes', [180, 10], [-180, 10], 0],
    ['one pole, with two longitudes', [0, 90], [123, 90], 0],
  ])('%s', (_, from, to, metres) => {
    expect(Math.abs(distanceBetween(from, to) - metres)).toBeLessThan(MILLIMETRE)
    expect(distanceBetween(to, from)).toBeCloseTo(distanceBetween(from, to), 8)
  })

  it('is within a millimetre of the formulae of Vincenty', () => {
    const place = fc.tuple(longitude, latitude)
    fc.assert(
      fc.property(place, place, (from, to) => {
        const metres = new LatLon(from[1], from[0]).distanceTo(new LatLon(to[1], to[0]))
        // They are less exact between near antipodes, or do not converge.
        fc.pre(metres < 19_000_000)
        expect(Math.abs(distanceBetween(from, to) - metres)).toBeLessThan(MILLIMETRE)
      }),
      { numRuns: 500 },
    )
  })
})

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const longitude = fc.oneof(number(-180, 180), number(179.99, 180), fc.constantFrom(-180, 0, 90, 180))
const latitude = fc.oneof(number(-90, 90), number(89.999, 90), number(-90, -89.999), fc.constantFrom(-90, 0, 90))

const { WGS84 } = Geodesic

/** Returns the place at a distance in metres. */
const placeAt = ([x, y]: LonLat, azimuth: number, metres: number): LonLat => {
  const { lon2, lat2 } = WGS84.Direct(y, x, azimuth, metres)
  return [lon2 ?? Number.NaN, lat2 ?? Number.NaN]
}

/** Decides a place as a request does: by the cells, and at the circle by the distance. */
const decider = (centre: LonLat, radius: number, maxCells: number) => {
  const area = circle(centre, radius)
  const cells = covering(area, { maxCells })
  return ([x, y]: LonLat): string => {
    const cell = cellOf(x, y)
    if (cells.interior.some(([first, last]) => first <= cell && cell <= last)) return 'inside'
    if (!cells.boundary.some(([first, last]) => first <= cell && cell <= last)) return 'outside'
    const [west, south, east, north] = cellBounds(cellAt(CELL_LEVELS, cell))
    const [width, height] = [east - west, north - south]
    if (area.meets([west - width, south - height, east + width, north + height])) return 'unknown'
    return area.contains((west + east) / 2, (south + north) / 2) ? 'inside' : 'outside'
  }
}

describe('a circle', () => {
  const radii = fc.oneof(number(0.001, 1000), number(1000, 1_000_000), number(1_000_000, MAX_RADIUS))

  it('decides each place as the distance does', () => {
    // Distances from the circle in metres.
    const offsets = [0, 1e-9, 1e-3, 0.1, 0.3, 0.5, 1, 3, 100].flatMap((metres) => [metres, -metres])
    fc.assert(
      fc.property(
        longitude,
        latitude,
        radii,
        fc.nat(300),
        fc.array(number(0, 360), { maxLength: 6 }),
        (x, y, radius, maxCells, azimuths) => {
          const centre: LonLat = [x, y]
          const decide = decider(centre, radius, maxCells + 4)
          const area = circle(centre, radius)
          for (const azimuth of [...azimuths, 0, 90, 180])
            for (const offset of offsets) {
              const place = placeAt(centre, azimuth, Math.max(0, radius + offset))
              const side = decide(place)
              const isIn = distanceBetween(centre, place) <= radius
              expect(area.contains(...place)).toBe(isIn)
              if (side !== 'unknown') expect(side, `${centre} ${radius} ${place}`).toBe(isIn ? 'inside' : 'outside')
            }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('contains the boxes in it, which are large', () => {
    fc.assert(
      fc.property(longitude, latitude, radii, (x, y, radius) => {
        for (const [west, south, east, north] of boxesWithin([x, y], radius))
          for (const part of [0, 0.3, 0.5, 0.9, 1])
            for (const place of [
              [west + part * (east - west), south],
              [west + part * (east - west), north],
              [east, south + part * (north - south)],
            ].map(([lon = 0, lat = 0]): LonLat => [lon, Math.max(-90, Math.min(90, lat))]))
              expect(distanceBetween([x, y], place)).toBeLessThanOrEqual(radius)
      }),
      { numRuns: 300 },
    )
    const [, square] = boxesWithin([5, 52], 10_000)
    expect(distanceBetween([5, 52], [square?.[2] ?? 0, square?.[3] ?? 0])).toBeGreaterThan(9_900)
  })

  it.each<[string, LonLat, number]>([
    ['that ends at a pole', [30, -80], distanceBetween([30, -80], [0, -90])],
    ['that passes a pole within a metre', [30, -80], distanceBetween([30, -80], [0, -90]) + 0.5],
    ['around a pole', [0, 90], 10_000],
    ['around the antipode of a place on the equator', [0, 0], 20_010_000],
    ['with nearly all places', [0, 0], 20_037_500],
    ['with all places', [5, 52], 20_030_000],
    ['that ends at 180 degrees', [179, 0], distanceBetween([179, 0], [180, 0])],
    ['of a tenth of a millimetre', [5, 52], 0.0001],
  ])('%s decides all places of the world', (_, centre, radius) => {
    const decide = decider(centre, radius, 400)
    const at = (from: number, step: number, steps: number) =>
      Array.from({ length: steps + 1 }, (_, i) => from + i * step)
    const places = at(-180, 7.5, 48).flatMap((x) => at(-90, 7.5, 24).map((y): LonLat => [x, y]))
    const near = [-1e-6, 0, 1e-6].flatMap((shift) =>
      at(0, 1, 360).map((azimuth) => placeAt(centre, azimuth, radius + shift * 6_371_000)),
    )
    for (const place of [...places, ...near]) {
      const side = decide(place)
      if (side !== 'unknown')
        expect(side, `${place}`).toBe(distanceBetween(centre, place) <= radius ? 'inside' : 'outside')
    }
  })

  it('lies within its bbox', () => {
    fc.assert(
      fc.property(longitude, latitude, radii, fc.array(number(0, 360), { minLength: 20 }), (x, y, radius, azimuths) => {
        const bbox = circle([x, y], radius).bounds[0]?.bbox ?? null
        for (const azimuth of [...azimuths, 0, 90, 180, 270]) {
          const place = placeAt([x, y], azimuth, radius)
          if (bbox === null || !inBbox(bbox, ...place)) expect([x, y, radius, place]).toEqual(bbox)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('needs few points for a test', () => {
    const decide = decider([5, 52], 10_000, 400)
    const sides = Array.from({ length: 720 }, (_, i) => decide(placeAt([5, 52], i / 2, 10_002)))
    expect(new Set(sides)).toEqual(new Set(['outside']))
  })
})
