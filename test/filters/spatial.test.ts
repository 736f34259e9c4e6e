import { describe, expect, it } from 'vitest'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'
import { toBase64, toHex, toWkb, toWkt } from '../geometry/write.ts'
import { beginWithSeed, get, post, seedEvents } from '../service.ts'
import { splitRows } from '../tags.ts'
import { eventIds, refusal } from './records.ts'

const all = { vars: { ANONYMOUS_LEVEL: 'Hidden' } }

beginWithSeed()

const byId = (ids: number[]) => ids.toSorted((a, b) => a - b)

/** Even-odd ray casting, for points that are not on an edge. */
const inRings = (rings: Position[][], x: number, y: number): boolean => {
  let inside = false
  for (const ring of rings)
    for (const [i, [ax = 0, ay = 0]] of ring.entries()) {
      const [bx = 0, by = 0] = ring[(i + 1) % ring.length] ?? []
      if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside
    }
  return inside
}

/** Returns the ids of the events with a place that passes a test. */
const idsWhere = (passes: (x: number, y: number) => boolean): number[] =>
  byId(seedEvents.filter(({ coordinates: at }) => at !== null && passes(at[0], at[1])).map(({ id }) => id))

const within = (geometry: string, more = '') => eventIds(`geom_within=${geometry}${more}`, all)

const percent = (bytes: Uint8Array) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const box = (west: number, south: number, east: number, north: number) =>
  `POLYGON((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`

describe('every format of one polygon with a hole finds the same events', () => {
  const rings: Position[][] = [
    [
      [-97.123, 12.345],
      [-50.055, 8.765],
      [-61.513, 44.321],
      [-99.777, 38.111],
      [-97.123, 12.345],
    ],
    [
      [-80.501, 20.333],
      [-70.009, 21.777],
      [-75.303, 33.131],
      [-80.501, 20.333],
    ],
  ]
  const polygon: Geometry = { type: 'Polygon', coordinates: rings }
  const feature = { type: 'Feature', properties: { name: 'Ω & ?' }, geometry: polygon }
  const wkb = toWkb(polygon)
  const base64 = toBase64(wkb)
  const forms: Record<string, string> = {
    WKT: encodeURIComponent(toWkt(polygon)),
    'WKT, blanks as plus': toWkt(polygon).replaceAll(' ', '+'),
    'WKT in lower case, no blanks': encodeURIComponent(toWkt(polygon, { lower: true, blank: '' })),
    'WKT with Z': encodeURIComponent(toWkt(polygon, { flag: ' Z' })),
    'WKT with ZM': encodeURIComponent(toWkt(polygon, { flag: 'ZM' })),
    'WKT among blanks': `%20%0A${encodeURIComponent(toWkt(polygon))}%09+`,
    EWKT: encodeURIComponent(`SRID=4326;${toWkt(polygon)}`),
    'EWKT, nothing encoded but the blanks': `SRID=4326;${toWkt(polygon).replaceAll(' ', '%20')}`,
    'WKT of a multipolygon': encodeURIComponent(toWkt({ type: 'MultiPolygon', coordinates: [rings] })),
    'WKT of a collection': encodeURIComponent(toWkt({ type: 'GeometryCollection', geometries: [polygon] })),
    HEXWKB: toHex(wkb),
    'HEXWKB in upper case': toHex(wkb).toUpperCase(),
    'HEXWKB, big-endian': toHex(toWkb(polygon, { order: 'big' })),
    'HEXWKB with Z': toHex(toWkb(polygon, { z: true })),
    HEXEWKB: toHex(toWkb(polygon, { ewkb: true, srid: 4326 })),
    'HEXEWKB, big-endian, with Z and M': toHex(
      toWkb(polygon, { ewkb: true, srid: 4326, z: true, m: true, order: 'big' }),
    ),
    'WKB bytes': percent(wkb),
    'WKB bytes, big-endian': percent(toWkb(polygon, { order: 'big' })),
    'EWKB bytes': percent(toWkb(polygon, { ewkb: true, srid: 4326 })),
    base64: encodeURIComponent(base64),
    'base64, its plus not encoded': base64,
    'base64 without padding': encodeURIComponent(base64.replace(/=+$/, '')),
    base64url: base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    GeoJSON: encodeURIComponent(JSON.stringify(polygon)),
    'GeoJSON, indented': encodeURIComponent(JSON.stringify(polygon, null, 2)),
    Feature: encodeURIComponent(JSON.stringify(feature)),
    FeatureCollection: encodeURIComponent(JSON.stringify({ type: 'FeatureCollection', features: [feature] })),
  }
  const expected = idsWhere((x, y) => inRings(rings, x, y))

  it('the sample has events inside the hole, bytes that are not UTF-8, and base64 with a plus sign', () => {
    expect(expected.length).toBeGreaterThan(100)
    expect(expected.length).toBeLessThan(idsWhere((x, y) => inRings(rings.slice(0, 1), x, y)).length)
    expect(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(wkb)).toThrow()
    expect(base64).toContain('+')
  })

  for (const [options, names] of splitRows(3, Object.keys(forms)))
    it.each(names)('%s', options, async (name) => {
      const value = forms[name] ?? ''
      expect(await within(value)).toEqual(expected)
      expect(await eventIds('', { ...all, ...post(`geom_within=${value}`) })).toEqual(expected)
    })
})

describe('areas in other coordinate reference systems', () => {
  const RADIUS = 6_378_137
  const [x, y] = [
    (lon: number) => (lon * RADIUS * Math.PI) / 180,
    (lat: number) => RADIUS * Math.asinh(Math.tan((lat * Math.PI) / 180)),
  ]
  const caribbean = idsWhere((x, y) => x > -80.003 && x < -60.003 && y > 10.003 && y < 30.003)
  const amsterdam = idsWhere((x, y) => x > 4.6 && x < 5.2 && y > 52.2 && y < 52.5)

  it.each([
    [`SRID=3857;${box(x(-80.003), y(10.003), x(-60.003), y(30.003))}`, caribbean],
    [`SRID=28992;${box(105_000, 475_000, 140_000, 500_000)}`, amsterdam],
    [`SRID=28992;${box(200_000, 560_000, 220_000, 570_000)}`, []],
    [`SRID=7415;${box(105_000, 475_000, 140_000, 500_000)}`, amsterdam],
    [`SRID=4979;${box(4.6, 52.2, 5.2, 52.5)}`, amsterdam],
    [`SRID=4258;${box(4.6, 52.2, 5.2, 52.5)}`, amsterdam],
    [`SRID=32631;${box(610_000, 5_790_000, 645_000, 5_815_000)}`, amsterdam],
    [`SRID=0;${box(4.6, 52.2, 5.2, 52.5)}`, amsterdam],
  ])('%s', async (area, expected) => {
    expect(await within(encodeURIComponent(area))).toEqual(expected)
    const [, srid = '', wkt = ''] = /^SRID=(\d+);(.*)$/.exec(area) ?? []
    const ring = (wkt.match(/-?[\d.]+ -?[\d.]+/g) ?? []).map((each) => each.split(' ').map(Number))
    const polygon: Geometry = { type: 'Polygon', coordinates: [ring] }
    expect(await within(toHex(toWkb(polygon, { ewkb: true, srid: Number(srid) })))).toEqual(expected)
  })

  it('the sample has events in both areas', () => {
    expect(caribbean.length).toBeGreaterThan(100)
    expect(amsterdam.length).toBeGreaterThan(10)
  })
})

describe('an unreadable geometry is a 400', () => {
  it.each([
    ['nonsense', /^at character 1: expected a geometry type .*such as POINT/],
    ['7', /^this is not a geometry; enter GeoJSON such as/],
    ['%ff%fe', /^this is not a geometry; enter/],
    ['POLYGON((0 0,1 0,1 1))', /^ring 1 of the polygon is not closed: it starts at 0 0 and ends at 1 1/],
    ['POINT(1)', /^at character 8: expected a number/],
    ['POINT(1 2);DROP TABLE event', /^at character 11: expected nothing more/],
    ['SRID=2154;POINT(1 2)', /^SRID 2154 is not known; enter coordinates in one of 4326/],
    ['010100000000000000000014400000000000004A', /^at byte 5: expected a position of 16 bytes, there are 15/],
    ['0108000000', /^at byte 1: expected a geometry type, 1 to 7, found 8/],
    ['0101x', /^at character 5: expected a hexadecimal digit, found 'x'/],
    ['%01%01%00', /^at byte 0: expected a byte order and a geometry type/],
    ['AQEAAAA', /^at byte 5: expected a position/],
    ['{"type":"Point","coordinates":[1,"2"]}', /^at coordinates\[1\]: expected a finite number/],
    ['{"type":', /JSON/],
    [`${'GEOMETRYCOLLECTION('.repeat(40)}POINT(1 2)${')'.repeat(40)}`, /collections are nested more than 32 deep/],
  ])('%s', async (value, message) => {
    const query = `geom_within=${value.replaceAll(' ', '+').replaceAll('"', '%22')}`
    const expected = { geom_within: [expect.stringMatching(message)] }
    expect(await refusal(query)).toEqual(expected)
    expect(await refusal('', post(query))).toEqual(expected)
  })
})

describe('an area of 100,000 positions is read in every format', () => {
  const angle = (i: number) => (2 * Math.PI * i) / 99_999
  const ring = Array.from(
    { length: 99_999 },
    (_, i): Position => [-75 + 9 * Math.cos(angle(i)), 25 + 9 * Math.sin(angle(i))],
  )
  const circle: Geometry = { type: 'Polygon', coordinates: [[...ring, ring[0] ?? [0, 0]]] }
  const inCircle = ([x = 0, y = 0]: readonly number[]) => (x + 75) ** 2 + (y - 25) ** 2 < 80.99
  const bytes = toWkb(circle)
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')

  for (const [options, rows] of splitRows<[string, string]>(2, [
    ['WKT', encodeURIComponent(toWkt(circle))],
    ['hex', toHex(bytes)],
    ['bytes', Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')],
    ['hex with z', toHex(toWkb(circle, { z: true }))],
    ['GeoJSON', encodeURIComponent(JSON.stringify(circle))],
    ['base64', encodeURIComponent(btoa(binary))],
  ]))
    it.each(rows)('%s', options, async (_, text) => {
      const expected = seedEvents.filter(({ coordinates }) => coordinates !== null && inCircle(coordinates))
      const { count } = await get('/api/v3/events/', { ...all, ...post(`geom_within=${text}`) })
      expect(count).toBe(expected.length)
    })
})
