import { beforeAll, describe, expect, test } from 'vitest'
import type { Bbox } from '../../src/geometry/bbox.ts'
import { fromLonLat } from '../../src/geometry/crs.ts'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { CRS84, SYSTEMS, sridOf, systemsOf } from '../../src/ogc/crs.ts'
import { eventOf, seriesOf } from '../filters/records.ts'
import { NAMES } from '../geometry/names.ts'
import { answer, eventIds, get, load, send } from '../service.ts'

// Repeats the checks of the official suite for Part 2, and tests boxes in other reference systems.

const ITEMS = '/ogc/collections/events/items'
const EPSG = 'http://www.opengis.net/def/crs/EPSG/0/'

beforeAll(() => load())

test.each(['events', 'eventseries'])('%s lists its coordinate reference systems, CRS84 first', async (id) => {
  const { crs, storageCrs } = await get(`/ogc/collections/${id}`)
  expect([crs, crs[0], crs.includes(storageCrs)]).toEqual([SYSTEMS, CRS84, true])
})

test('the extent of each collection, rounded to 0.1 micrometres, has the features of the extent in degrees', async () => {
  const { collections } = await get('/ogc/collections')
  expect(collections.length).toBeGreaterThan(10)
  for (const { id, extent } of collections) {
    const [west, south, east, north] = extent.spatial.bbox[0]
    const corners = [west, south, east, north].join()
    const metres = [fromLonLat([west, south], 3857), fromLonLat([east, north], 3857)].flat()
    const rounded = metres.map((each) => each?.toFixed(7)).join()
    const items = `/ogc/collections/${id}/items?limit=1`
    const { numberMatched } = await get(`${items}&bbox=${corners}`)
    expect((await get(`${items}&bbox=${rounded}&bbox-crs=${EPSG}3857`)).numberMatched, id).toBe(numberMatched)
  }
})

test.each<[Bbox | null, string]>([
  [null, ''],
  [[4.8, 52, 5.3, 52.6], '28992 25831 25832 32631 32632'],
  [[3.4, 50.8, 7.2, 53.5], '28992 25831 25832 32631 32632'],
  [[-150, 60, -149, 61], '32605 32606'],
  [[151, -34, 151.3, -33.8], '32755 32756'],
  [[3.4, 50.8, 30, 53.5], ''],
  [[-180, -89.9, 180, 89.9], ''],
])('a collection with the extent %j also lists these systems: %s', (extent, srids) => {
  expect(systemsOf(extent)).toEqual([...SYSTEMS, ...(srids.match(/\d+/g) ?? []).map((srid) => `${EPSG}${srid}`)])
})

test.each<[Bbox]>([[[-180, -90, 180, 80]], [[0, 89, 10, 90]]])('at a pole %j does not list EPSG:3857', (extent) => {
  expect(systemsOf(extent)).toEqual([CRS84])
})

describe.each([...SYSTEMS, ...[28992, 25831, 32632, 32731].map((srid) => `${EPSG}${srid}`)])('%s', (uri) => {
  test.each([ITEMS, '/ogc/collections/eventseries/items', `${ITEMS}/1`])('%s answers in this system', async (path) => {
    const response = await send(`${path}?crs=${encodeURIComponent(uri)}`)
    expect([response.status, response.headers.get('Content-Crs')]).toEqual([200, `<${uri}>`])
  })

  test('moves a feature to the same place in other coordinates', async () => {
    const plain = await get(`${ITEMS}/1`)
    const moved = await get(`${ITEMS}/1?crs=${uri}`)
    expect(moved.geometry.coordinates).toEqual(
      uri === CRS84 ? plain.geometry.coordinates : fromLonLat(plain.geometry.coordinates, sridOf(uri)),
    )
    expect(moved.properties).toEqual(plain.properties)
  })

  test('is accepted in bbox-crs and filter-crs', async () => {
    const query = `bbox=1,2,3,4&bbox-crs=${uri}&filter=S_INTERSECTS(geom,POINT(1%202))&filter-crs=${uri}`
    expect((await send(`${ITEMS}?${query}`)).status).toBe(200)
  })
})

test.each([...NAMES.CRS84, ...NAMES.RD])('crs, bbox-crs and filter-crs read the name %s', async (name) => {
  const crs = encodeURIComponent(name)
  const response = await send(`${ITEMS}?crs=${crs}&bbox=1,2,3,4&bbox-crs=${crs}&filter=id=1&filter-crs=${crs}`)
  const [, code = 'CRS84'] = /(\d+)$/.exec(name.replace(/84h?$/, '')) ?? []
  expect([response.status, response.headers.get('Content-Crs')]).toEqual([200, expect.stringContaining(`/${code}>`)])
})

test('without crs the coordinates are in CRS84', async () => {
  for (const path of [ITEMS, `${ITEMS}/1`]) expect((await send(path)).headers.get('Content-Crs')).toBe(`<${CRS84}>`)
})

describe('a bbox in another system is a polygon with straight sides in that system', () => {
  test.each<[srid: number, bbox: readonly [number, number, number, number]]>([
    [28992, [100_000, 400_000, 250_000, 600_000]],
    [3857, [-9_000_000, 2_000_000, -7_000_000, 4_000_000]],
    [25831, [400_000, 5_600_000, 800_000, 6_000_000]],
  ])('EPSG %d %j', async (srid, bbox) => {
    const [west, south, east, north] = bbox
    const ring = `${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}`
    const found = await get(`${ITEMS}?limit=${MAX_PAGE_SIZE}&bbox=${bbox}&bbox-crs=${EPSG}${srid}`)
    expect(found.numberMatched).toBeGreaterThan(0)
    const ids = found.features.map(({ id }: { id: number }) => id)
    expect(ids).toEqual(await eventIds(`geom_within=SRID%3D${srid}%3BPOLYGON((${ring}))`))
  })
})

test('any two opposite corners give the same bbox', async () => {
  const [one, other] = ['100000,400000,250000,600000', '250000,600000,100000,400000']
  const matched = async (bbox: string) =>
    (await get(`${ITEMS}?limit=1&bbox=${bbox}&bbox-crs=${EPSG}28992`)).numberMatched
  expect(await matched(other)).toBe(await matched(one))
})

describe('an unknown system is a 400', () => {
  const hint = expect.stringMatching(/^Enter http:\/\/www\.opengis\.net\/def\/crs\/OGC\/1\.3\/CRS84, /)
  // The degrees of EPSG have the latitude first.
  const others = ['http://www.opengis.net/def/crs/0/unsupported', `${EPSG}32661`, '28992']
  test.each([...others, ...NAMES.DEGREES])('%s', async (name) => {
    const uri = encodeURIComponent(name)
    const all = { crs: [hint], 'bbox-crs': [hint], 'filter-crs': [hint] }
    const refused = (errors: object) => ({ status: 400, body: expect.objectContaining({ errors }) })
    expect(await answer(`${ITEMS}?crs=${uri}&bbox-crs=${uri}&filter-crs=${uri}`)).toEqual(refused(all))
    expect(await answer(`${ITEMS}/1?crs=${uri}`)).toEqual(refused({ crs: [hint] }))
  })

  test('a bbox outside its system is a 400', async () => {
    const { status, body } = await answer(`${ITEMS}?bbox=1e300,1e9,2e300,2e9&bbox-crs=${EPSG}3857`)
    expect([status, body]).toEqual([400, expect.objectContaining({ errors: { bbox: [expect.any(String)] } })])
  })
})

test('a collection lists the systems for the events that the caller sees', async () => {
  const dutch = '/ogc/collections/events-23d4f1a8-0000-4000-8000-000000000001'
  await load([
    seriesOf(901, { uuid: '23d4f1a8-0000-4000-8000-000000000001' }),
    eventOf(90_001, { series: 901, coordinates: [5.1, 52.1, 0] }),
  ])
  expect((await get(dutch)).crs).toContain(`${EPSG}28992`)
  expect((await get('/ogc/collections/events')).crs).toEqual(SYSTEMS)
})
