import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toLonLat } from '../../src/geometry/crs.ts'
import { type Geometry, GeometryError } from '../../src/geometry/geometry.ts'
import { anyGeometry } from './write.ts'

const lonLat = (x: number, y: number, srid: number): number[] => {
  const geometry = toLonLat({ type: 'Point', coordinates: [x, y] }, srid)
  return geometry.type === 'Point' ? geometry.coordinates : []
}

// Degrees: some 0.3 m, the error of the seven parameters, and some 0.1 m of longitude.
const RD_TOLERANCE = 4e-6
const METRE = 1e-5
const EXACT = 1e-9

const places: [string, number, number, number, number, number, number][] = [
  ['the centre of RD, Amersfoort', 28992, 155_000, 463_000, 5.38720621, 52.1551744, RD_TOLERANCE],
  ['Westertoren, Amsterdam', 28992, 120_700.723, 487_525.502, 4.88352559, 52.37453253, RD_TOLERANCE],
  ['Martinitoren, Groningen', 28992, 233_883.131, 582_065.167, 6.56820053, 53.21938317, RD_TOLERANCE],
  ['the origin', 3857, 0, 0, 0, 0, EXACT],
  ['5 E 52 N', 3857, 556_597.4539663679, 6_800_125.454397307, 5, 52, EXACT],
  ['the corner of the web map', 3857, 20_037_508.342789244, 20_037_508.342789244, 180, 85.0511287798, EXACT],
  ['CN Tower, Toronto', 32617, 630_084, 4_833_438, -79.387139, 43.642567, METRE],
  ['on the equator, zone 31', 32631, 500_000, 0, 3, 0, EXACT],
  ['on the equator, zone 31 south', 32731, 500_000, 10_000_000, 3, 0, EXACT],
  ['on the equator, zone 1', 32601, 500_000, 0, -177, 0, EXACT],
  ['on the equator, zone 60', 32660, 500_000, 0, 177, 0, EXACT],
]

test.each(places)('%s, SRID %i: %d %d', (_, srid, x, y, lon, lat, tolerance) => {
  const [foundLon = Number.NaN, foundLat = Number.NaN] = lonLat(x, y, srid)
  expect(Math.abs(foundLon - lon)).toBeLessThan(tolerance)
  expect(Math.abs(foundLat - lat)).toBeLessThan(tolerance)
})

test('a southern zone mirrors the northern one', () => {
  const [lon = 0, lat = 0] = lonLat(334_000, 6_250_000, 32656)
  const [southLon = 0, southLat = 0] = lonLat(334_000, 10_000_000 - 6_250_000, 32756)
  expect(southLon).toBeCloseTo(lon, 9)
  expect(southLat).toBeCloseTo(-lat, 9)
})

test('ETRS89 / UTM is WGS 84 / UTM to a millimetre', () => {
  const [lon = 0, lat = 0] = lonLat(600_000, 5_800_000, 32631)
  const [etrsLon = 0, etrsLat = 0] = lonLat(600_000, 5_800_000, 25831)
  expect(etrsLon).toBeCloseTo(lon, 8)
  expect(etrsLat).toBeCloseTo(lat, 8)
})

test('beyond 180 degrees the longitude goes on', () => {
  expect(lonLat(22_000_000, 0, 3857)[0]).toBeCloseTo(197.63, 2)
  expect(lonLat(-22_000_000, 0, 3857)[0]).toBeCloseTo(-197.63, 2)
  expect(lonLat(900_000, 0, 32660)[0]).toBeCloseTo(180.59, 2)
  expect(lonLat(100_000, 0, 32601)[0]).toBeCloseTo(-180.59, 2)
})

test.each([0, 4326])('SRID %i is as it is', (srid) => {
  fc.assert(
    fc.property(anyGeometry, (geometry) => {
      expect(toLonLat(geometry, srid)).toEqual(geometry)
    }),
  )
})

test.each([1, 4258, 3856, 25827, 25839, 32600, 32661, 32700, 32761, 2154, 999_999, 4_294_967_295])(
  'SRID %i is refused',
  (srid) => {
    const point: Geometry = { type: 'Point', coordinates: [1, 2] }
    expect(() => toLonLat(point, srid)).toThrow(GeometryError)
    expect(() => toLonLat(point, srid)).toThrow(
      `SRID ${srid} is not known; enter one of 4326 (longitude, latitude), 3857 (web mercator), 28992 (Amersfoort / RD New), ` +
        '32601 to 32660 and 32701 to 32760 (UTM), 25828 to 25838 (ETRS89 / UTM)',
    )
  },
)

test.each([
  [32631, 1e8, 0],
  [25832, -5e7, 0],
  [32760, 1e308, 1e308],
])('SRID %i: %d %d is outside', (srid, x, y) => {
  const message = `the position ${x} ${y} is outside SRID ${srid}; enter coordinates of that system`
  expect(() => lonLat(x, y, srid)).toThrow(GeometryError)
  expect(() => lonLat(x, y, srid)).toThrow(message)
})

test.each([3857, 28992, 32631, 25832])('SRID %i: any doubles are finite degrees or outside', (srid) => {
  const ordinate = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(ordinate, ordinate, (x, y) => {
      try {
        expect(lonLat(x, y, srid).every(Number.isFinite)).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(GeometryError)
      }
    }),
  )
})

test('every type keeps its shape', () => {
  const shape = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'number' ? 0 : each))
  fc.assert(
    fc.property(anyGeometry, fc.constantFrom(3857, 28992, 32631, 25832), (geometry, srid) => {
      // The doubles of anyGeometry are mostly outside; an angle of each is a metre somewhere near the middle.
      const near = JSON.parse(JSON.stringify(geometry), (_, each) =>
        typeof each === 'number' ? 200_000 + 1000 * Math.atan(each) : each,
      )
      expect(shape(toLonLat(near, srid))).toEqual(shape(near))
    }),
  )
})
