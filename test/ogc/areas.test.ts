import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { beforeAll, expect, it } from 'vitest'
import { MAX_LOOK_UPS, MAX_LOOKED_UP } from '../../src/engine/limits.ts'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import type { EventRecord } from '../records.ts'
import { answer, get, load, seedEvents, send } from '../service.ts'

// SQL cannot test an area under OR or NOT, so the Worker first reads the events in it.

/** Two events without a place. */
const NOWHERE = [1, 2].map(
  (i): EventRecord => ({
    ...(seedEvents[0] as EventRecord),
    id: 900_000 + i,
    external_id: null,
    category: 'nowhere',
    coordinates: null,
  }),
)

beforeAll(async () => {
  await load()
  await load(NOWHERE)
})

const TRIANGLE = 'POLYGON((-80 20, -50 20, -60 40, -80 20))'
const RING = 'POLYGON((-170 50, -140 50, -130 70, -150 75, -170 50), (-155 60, -150 60, -152 65, -155 60))'
const INTERSECTS = `S_INTERSECTS(geom, ${TRIANGLE})`
const WITHIN = `S_WITHIN(geom, ${RING})`

const address = (filter: string, more = '') =>
  `/ogc/collections/events/items?limit=${MAX_PAGE_SIZE}${more}&filter=${encodeURIComponent(filter)}`

it('tiles of a filter with areas add up to numberMatched', async () => {
  const filter = `${INTERSECTS} OR category = 'hurricane' OR NOT (${WITHIN} OR id > 300)`
  const { numberMatched } = await get(address(filter, '&resultType=hits'))
  let sum = 0
  for (const row of [0, 1, 2, 3])
    for (let column = 0; column < 8; column++) {
      const path = `/ogc/collections/events/tiles/WorldCRS84Quad/2/${row}/${column}?filter=${encodeURIComponent(filter)}`
      const response = await send(path)
      expect(response.status).toBe(200)
      const { layers } = new VectorTile(new PbfReader(await response.arrayBuffer()))
      for (let i = 0; i < (layers.cells?.length ?? 0); i++) sum += Number(layers.cells?.feature(i).properties.count)
    }
  expect(sum).toBe(numberMatched)
})

it('areas side by side are looked up together', async () => {
  const shapes = Array.from({ length: 38 }, (_, i) => TRIANGLE.replace('-60 40', `-60 ${40 - i / 2}`))
  const filter = (shapes: readonly string[]) =>
    `${shapes.map((shape) => `S_INTERSECTS(geom, ${shape})`).join(' OR ')} OR object_type = 'zzz'`
  const trips = async (filter: string) => {
    const { headers } = await send(address(filter, '&resultType=hits'), { vars: { SHOW_COST: 'true' } })
    const [, trips] = /round_trips;desc="(\d+)"/.exec(headers.get('Server-Timing') ?? '') ?? []
    return trips
  }
  await trips(filter(shapes)) // reads the statistics and the cells of the areas
  expect(await trips(filter(shapes))).toBe('3')
  await trips(filter(shapes.slice(0, 1)))
  expect(await trips(filter(shapes.slice(0, 1)))).toBe('3')
  expect((await get(address(filter(shapes)))).numberMatched).toBe((await get(address(INTERSECTS))).numberMatched)
})

it('more than 50 different areas in a filter are a 400', async () => {
  const { status, body } = await answer(
    address(
      Array.from(
        { length: MAX_LOOK_UPS + 1 },
        (_, i) => `(id = ${i} AND ${INTERSECTS.replace('-60 40', `-60 ${30 + i}`)})`,
      ).join(' OR '),
    ),
  )
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({
      detail: expect.stringMatching(/^With OR or NOT a filter may have at most 50 separate geometries/),
    }),
  ])
})

it('more than 100,000 events in the areas of a filter are a 400', async () => {
  expect(MAX_LOOKED_UP).toBe(100_000)
  const WORLD = 'POLYGON((-180 -90, 0 -90, 180 -90, 180 90, 0 89.5, -180 90, -180 -90))'
  const many = Array.from(
    { length: 8 },
    (_, i) => `(id <> ${i} AND S_INTERSECTS(geom, ${WORLD.replace('89.5', `89.${i}`)}))`,
  )
  const { status, body } = await answer(address(`id = 0 OR ${many.join(' OR ')}`))
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({
      detail: expect.stringMatching(/^With OR or NOT the geometries may contain at most 100,000 events\./),
    }),
  ])
})
