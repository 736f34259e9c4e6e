import fc from 'fast-check'
import proj4 from 'proj4'
import { describe, expect, test } from 'vitest'
import { ValueError } from '../../src/base/errors.ts'
import { fromLonLat, isKnownSrid, toLonLat } from '../../src/geometry/crs.ts'
import type { Geometry } from '../../src/geometry/geometry.ts'
import { anyGeometry, onTheMap } from './write.ts'

const lonLat = (x: number, y: number, srid: number): number[] => {
  const geometry = toLonLat({ type: 'Point', coordinates: [x, y] }, srid)
  return geometry.type === 'Point' ? geometry.coordinates : []
}

// The tolerance in degrees. The seven parameters have an error of about 0.3 m. 0.1 m of longitude is added.
const RD_TOLERANCE = 4e-6
const METRE = 1e-5
const EXACT = 1e-9

const places: [string, number, number, number, number, number, number][] = [
  ['the centre of RD, Amersfoort', 28992, 155_000, 463_000, 5.38720621, 52.1551744, RD_TOLERANCE],
  ['the centre of RD, with a height', 7415, 155_000, 463_000, 5.38720621, 52.1551744, RD_TOLERANCE],
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

test('a southern UTM zone mirrors the northern one', () => {
  const [lon = 0, lat = 0] = lonLat(334_000, 6_250_000, 32656)
  const [southLon = 0, southLat = 0] = lonLat(334_000, 10_000_000 - 6_250_000, 32756)
  expect(southLon).toBeCloseTo(lon, 9)
  expect(southLat).toBeCloseTo(-lat, 9)
})

test('ETRS89 / UTM equals WGS 84 / UTM to one millimetre', () => {
  const [lon = 0, lat = 0] = lonLat(600_000, 5_800_000, 32631)
  const [etrsLon = 0, etrsLat = 0] = lonLat(600_000, 5_800_000, 25831)
  expect(etrsLon).toBeCloseTo(lon, 8)
  expect(etrsLat).toBeCloseTo(lat, 8)
})

describe('proj4 with its definition strings gives the same coordinates', () => {
  const seven = '565.417,50.3319,465.552,-0.398957,0.343988,-1.8774,4.0725'
  const rd = '+proj=sterea +lat_0=52.15616055555555 +lon_0=5.38763888888889 +k=0.9999079 +x_0=155000 +y_0=463000'
  test.each([
    [3857, '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +nadgrids=@null'],
    [28992, `${rd} +ellps=bessel +towgs84=${seven}`],
    [32601, '+proj=utm +zone=1 +datum=WGS84'],
    [32631, '+proj=utm +zone=31 +datum=WGS84'],
    [32660, '+proj=utm +zone=60 +datum=WGS84'],
    [32701, '+proj=utm +zone=1 +south +datum=WGS84'],
    [32756, '+proj=utm +zone=56 +south +datum=WGS84'],
    [25828, '+proj=utm +zone=28 +ellps=GRS80 +towgs84=0,0,0'],
    [25838, '+proj=utm +zone=38 +ellps=GRS80 +towgs84=0,0,0'],
  ])('SRID %i', (srid, definition) => {
    const { inverse } = proj4(`${definition} +units=m +over +no_defs`)
    const upTo = (metres: number) => fc.integer({ min: -1000 * metres, max: 1000 * metres }).map((each) => each / 1000)
    const [far, near] = [upTo(3e7), upTo(1e6)]
    fc.assert(
      fc.property(fc.oneof(fc.tuple(far, far), fc.tuple(near, near)), ([x, y]) => {
        const expected = inverse([x, y])
        if (expected.every(Number.isFinite)) {
          lonLat(x, y, srid).forEach((v, i) => {
            expect(Math.abs(v - (expected[i] ?? Number.NaN))).toBeLessThanOrEqual(EXACT)
          })
        } else expect(() => lonLat(x, y, srid)).toThrow(ValueError)
      }),
      { numRuns: 1000 },
    )
  })
})

test('longitudes continue beyond 180 degrees', () => {
  expect(lonLat(22_000_000, 0, 3857)[0]).toBeCloseTo(197.63, 2)
  expect(lonLat(-22_000_000, 0, 3857)[0]).toBeCloseTo(-197.63, 2)
  expect(lonLat(900_000, 0, 32660)[0]).toBeCloseTo(180.59, 2)
  expect(lonLat(100_000, 0, 32601)[0]).toBeCloseTo(-180.59, 2)
})

test.each([0, 4326, 4979, 4258, 4937])('SRID %i leaves coordinates unchanged', (srid) => {
  fc.assert(
    fc.property(anyGeometry.map(onTheMap), (geometry) => {
      expect(toLonLat(geometry, srid)).toEqual(geometry)
    }),
  )
})

test.each([1, 4257, 3856, 25827, 25839, 32600, 32661, 32700, 32761, 2154, 999_999, 4_294_967_295])(
  'SRID %i is refused',
  (srid) => {
    const point: Geometry = { type: 'Point', coordinates: [1, 2] }
    expect(() => toLonLat(point, srid)).toThrow(ValueError)
    expect(() => toLonLat(point, srid)).toThrow(
      `SRID ${srid} is not known; enter coordinates in one of 4326, 4979, 4258 or 4937 (longitude, latitude), ` +
        '3857 (web mercator), 28992 or 7415 (Amersfoort / RD New), ' +
        '32601 to 32660 and 32701 to 32760 (UTM), 25828 to 25838 (ETRS89 / UTM)',
    )
  },
)

test.each([
  [32631, 1e8, 0],
  [25832, -5e7, 0],
  [32760, 1e308, 1e308],
  [3857, 1e308, 0],
  [3857, 12_000_000_000, 0],
  [28992, Number.NaN, 0],
  [32631, Number.POSITIVE_INFINITY, 0],
])('SRID %i: %d %d is outside', (srid, x, y) => {
  const message = `the position ${x} ${y} is outside SRID ${srid}; enter coordinates of that system`
  expect(() => lonLat(x, y, srid)).toThrow(ValueError)
  expect(() => lonLat(x, y, srid)).toThrow(message)
})

test.each([
  [155_000, 463_000],
  [100_001, 0],
  [0, -100_001],
  [1e308, -1e308],
  [1, Number.NaN],
])('%d %d is refused, because it is not a longitude and a latitude', (x, y) => {
  const message = `the position ${x} ${y} is not longitude and latitude; enter degrees, or an SRID, such as SRID=28992;POINT (155000 463000)`
  for (const srid of [0, 4326]) {
    expect(() => lonLat(x, y, srid)).toThrow(ValueError)
    expect(() => lonLat(x, y, srid)).toThrow(message)
  }
})

test.each([
  [1e-101, 0],
  [5, -5e-324],
  [3e-300, 3e-300],
  [-0, 0],
])('%d %d has a coordinate that is read as 0', (x, y) => {
  for (const srid of [0, 4326]) expect(lonLat(x, y, srid)).toEqual([x === 5 ? 5 : 0, 0])
})

test('a transformed coordinate near 0 becomes 0', () => {
  expect(lonLat(1e-95, 0, 3857)).toEqual([0, 0])
})

test.each([
  [100_000, -100_000],
  [-1000, 1000],
  [1e-100, -1e-100],
  [0, 0],
])('%d %d is accepted', (x, y) => {
  expect(lonLat(x, y, 0)).toEqual([x, y])
})

test.each([3857, 28992, 32631, 25832])('SRID %i: random doubles become finite degrees or are refused', (srid) => {
  const ordinate = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(ordinate, ordinate, (x, y) => {
      try {
        expect(lonLat(x, y, srid).every(Number.isFinite)).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(ValueError)
      }
    }),
  )
})

test('every type of geometry keeps its structure', () => {
  const shape = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'number' ? 0 : each))
  fc.assert(
    fc.property(anyGeometry, fc.constantFrom(3857, 28992, 32631, 25832), (geometry, srid) => {
      // Most doubles of anyGeometry are outside the systems. Here each becomes a number near 200,000 metres, which is
      // inside all of them.
      const near = JSON.parse(JSON.stringify(geometry), (_, each) =>
        typeof each === 'number' ? 200_000 + 1000 * Math.atan(each) : each,
      )
      expect(shape(toLonLat(near, srid))).toEqual(shape(near))
    }),
  )
})

describe('a conversion from longitude and latitude and back', () => {
  test.each([3857, 28992, 25831, 32631, 32731])('%d', (srid) => {
    fc.assert(
      fc.property(
        fc.double({ min: 3.4, max: 7.2, noNaN: true }),
        fc.double({ min: 50.7, max: 53.6, noNaN: true }),
        (x, y) => {
          const there = fromLonLat([x, y, 7], srid) ?? []
          expect(there[2]).toBe(7)
          const [lon = 0, lat = 0] = lonLat(there[0] ?? 0, there[1] ?? 0, srid)
          expect(Math.hypot(lon - x, lat - y)).toBeLessThan(1e-7)
        },
      ),
      { seed: 6, numRuns: 200 },
    )
  })

  test.each(places)('%s', (_, srid, x, y, lon, lat) => {
    const [east = 0, north = 0] = fromLonLat([lon, lat], srid) ?? []
    expect(Math.hypot(east - x, north - y)).toBeLessThan(1.5)
  })

  test('a pole has no position in web mercator', () => {
    expect(fromLonLat([0, 90], 3857)).toBeNull()
  })

  test('isKnownSrid knows the supported systems', () => {
    expect([0, 4326, 3857, 28992, 32660, 25838, 32661, 4257].map(isKnownSrid)).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })
})
