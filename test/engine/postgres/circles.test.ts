import { Geodesic } from 'geographiclib-geodesic'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/engine/engine.ts'
import type { LonLat } from '../../../src/geometry/bbox.ts'
import { distanceBetween } from '../../../src/geometry/circle.ts'
import type { Condition } from '../../../src/question/condition.ts'
import { BY_ID, type Order, type Slice } from '../../../src/question/question.ts'
import { eventOf } from '../../filters/records.ts'
import { engineOn, hasPostgres } from '../../postgres/database.ts'
import { loadedPostgres } from '../../postgres/loaded.ts'
import { foundation, LEVELS } from '../world.ts'

const CENTRES: LonLat[] = [
  [5.1, 52.3],
  [0, 0],
  [180, -17.8],
  [-179.9999, 66.5],
  [30, 89.99],
  [-60, -90],
]

/** Metres. */
const RADII = [0, 0.005, 8, 10_000, 900_000, 19_000_000]

/** Metres. Distances from a circle: close to the margins of the tests, and far from them. */
const OFFSETS = [0, 1e-9, 0.009_99, 0.010_01, 12].flatMap((metres) => [metres, -metres])

const placeAt = ([x, y]: LonLat, azimuth: number, metres: number): LonLat => {
  const { lon2 = Number.NaN, lat2 = Number.NaN } = Geodesic.WGS84.Direct(y, x, azimuth, metres)
  return [lon2, lat2]
}

/** Returns places at a circle, and within it in all directions. */
const placesAt = (centre: LonLat, radius: number): LonLat[] =>
  [0, 31, 45, 90, 200, 292.5].flatMap((azimuth) => [
    ...OFFSETS.map((offset) => placeAt(centre, azimuth, Math.max(0, radius + offset))),
    ...[0.3, 0.97].map((part) => placeAt(centre, azimuth, radius * part)),
  ])

const circles = CENTRES.flatMap((centre) => RADII.map((radius) => [centre, radius] as const))
const places = [
  ...circles.flatMap(([centre, radius]) => placesAt(centre, radius)),
  [180, 0] as const,
  [-180, 0] as const,
]

describe.runIf(hasPostgres)('a circle', () => {
  let engine: Engine
  beforeAll(async () => {
    const events = places.map(([x, y], i) => eventOf(i + 1, { coordinates: [x, y, 0] }))
    const nowhere = eventOf(places.length + 1, { coordinates: null })
    engine = engineOn(await loadedPostgres([...foundation, ...events, nowhere]))
  })

  const idsOf = async (where: Condition): Promise<readonly number[]> => {
    const question = { where, latest: null, order: BY_ID, slice: { from: { offset: 0 }, limit: 20_000 } }
    const { rows, count } = await engine.open({ level: LEVELS.Hidden }).page('events', question, { fields: ['id'] })
    expect(count).toBe(rows.length)
    return rows.map(({ id }) => Number(id))
  }

  it.each(circles)(
    'around %s of %d m has the events that are near enough, and others are outside',
    async (centre, metres) => {
      const isNear = places.map((place) => distanceBetween(centre, place) <= metres)
      const where: Condition = { kind: 'area', of: 'point', area: { circle: centre, metres } }
      expect(await idsOf(where)).toEqual(isNear.flatMap((is, i) => (is ? [i + 1] : [])))
      expect(await idsOf({ kind: 'not', of: where })).toEqual(isNear.flatMap((is, i) => (is ? [] : [i + 1])))
    },
  )
  it.each<[LonLat, metres: number, descending: boolean, limit: number]>([
    [[5.1, 52.3], 20_000_000, false, 300],
    [[5.1, 52.3], 20_000_000, true, 400],
    [[180, -17.8], 10_000, false, 7],
    [[180, -17.8], 10_000, true, 7],
    [[30, 89.99], 0.02, false, 3],
  ])('around %s of %d m has pages in the order of distances: descending %s, %d a page', async (...row) => {
    const [centre, metres, descending, limit] = row
    const sign = descending ? -1 : 1
    const expected = places
      .map((place, i) => ({ id: i + 1, value: distanceBetween(centre, place) }))
      .filter(({ value }) => value <= metres)
      .sort((a, b) => (a.value - b.value || a.id - b.id) * sign)
    const where: Condition = { kind: 'area', of: 'point', area: { circle: centre, metres } }
    const order: Order = { by: 'distance', from: centre, descending, nulls: 'last' }
    const read = async (from: Slice['from']) => {
      const question = { where, latest: null, order, slice: { from, limit } }
      const page = await engine.open({ level: LEVELS.Hidden }).page('events', question, { fields: ['id'] })
      expect(page.count).toBe(expected.length)
      return page.rows.map(({ id }) => Number(id))
    }
    for (let offset = 0; offset < expected.length; offset += limit) {
      const ids = expected.slice(offset, offset + limit).map(({ id }) => id)
      expect(await read({ offset })).toEqual(ids)
      const before = expected[offset - 1]
      if (before !== undefined) expect(await read({ after: before })).toEqual(ids)
    }
    const rest = expected.length % limit || limit
    expect(await read('end')).toEqual(expected.slice(-rest).map(({ id }) => id))
  })
})
