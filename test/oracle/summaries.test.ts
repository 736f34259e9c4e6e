import { beforeAll, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { arraysOf } from '../question/arrays.ts'
import { ORIGIN } from '../service.ts'
import { databasesWith, fetchFrom } from './oracle.ts'
import { event, WORLD } from './world.ts'

// Summaries and tiles of each database.

/** Volumes of three towns and of none. Some are texts, null, missing or nested. */
const VOLUMES = [12.5, 3, '<10', -4, null, { text: 5 }, 0, '7', true, 250_000, undefined]
const TOWNS = ['Delft', 'Ede', 'Delft', 3, null, '3', { code: 1 }, 'Gouda']
const HALF_HOUR = 1_800_000 // milliseconds
const overflows = Array.from({ length: 90 }, (_, i) => {
  const first = Date.parse(i % 2 === 0 ? '2025-03-29T20:10:00Z' : '2025-10-25T20:10:00Z')
  return event(100 + i, new Date(first + Math.floor(i / 2) * HALF_HOUR).toISOString(), {
    series: 1 + (i % 2),
    category: i % 7 === 0 ? 'storm' : 'overflow',
    value: i % 3 === 0 ? `${i / 2} m3` : 'none',
    attributes: { volume: VOLUMES[i % VOLUMES.length] ?? null, town: TOWNS[i % 8] ?? null, outfall: `o${i % 13}` },
  })
})
const old = event(21, '0000-01-01T00:00:00Z', { coordinates: null })
const RECORDS = [...WORLD, old, ...overflows]
const plain = arraysOf(RECORDS)
const engines = new Map<string, Engine>()
beforeAll(async () => {
  for (const [name, engine] of await databasesWith(RECORDS)) engines.set(name, engine)
})

it.each([
  'bins=month&level=3&category=flood',
  'bins=20&level=6&facets=category,object_type__model',
  'bins=day&by=category&id__lt=20',
  'bins=year&latest=event_series&by=object_type__model',
  'datetime=2025-01-01/..&bins=hour&level=12',
  'bins=1&level=0&facets=category&facet_size=1&facet_offset=1',
  'bins=week&geom_within=POLYGON((-170 -85,10 -85,10 60,-170 60,-170 -85))',
  'category=none',
  // Stored counts tell these.
  'bins=month&level=4&by=event_series&facets=category,object_type__model,timestamp_start__year',
  'bins=year&level=0&by=category&by_size=2&event_series__name=series 1',
  'bins=1&level=3&facets=event_series,category&by=timestamp_start__month',
  // Sums for each pair of a group and a period, and different values.
  'bins=year&by=attributes__town&statistics=value,attributes__volume',
  'bins=month&by=attributes__town&by_size=2&statistics=value,attributes__volume&distinct=category,attributes__outfall',
  'bins=20&by=event_series&by_size=1&by_ordering=text&statistics=value&distinct=object_type__model',
  'bins=1&by=category&statistics=attributes__volume&distinct=event_series',
  'bins=week&by=attributes__town&by_size=3&by_ordering=-attributes__volume__sum&statistics=attributes__volume',
  'bins=year&by=attributes__town&by_ordering=value__mean&statistics=attributes__volume,value',
  'bins=day&facets=attributes__town,category&statistics=attributes__volume&distinct=attributes__outfall,attributes__town',
  'bins=year&facets=attributes__volume&facet_ordering=-text&distinct=attributes__volume,event_series',
  'datetime=2025-03-01/..&bins=hour&by=attributes__town&statistics=attributes__volume&distinct=category',
  'by=attributes__outfall&by_size=100&bins=512&statistics=attributes__volume,value&id__gte=100',
  'category=none&by=attributes__town&statistics=value&distinct=category&facets=category',
  // The clock changes on March 30 and on October 26.
  'timezone=Europe/Amsterdam&bins=hour&by=attributes__town&statistics=attributes__volume&timestamp_start__gte=1960-01-01',
  'timezone=Europe/Amsterdam&bins=day&by=attributes__town&by_size=1&statistics=attributes__volume,value&timestamp_start__gte=1960-01-01',
  'timezone=Europe/Amsterdam&bins=month&by=timestamp_start__hour&by_ordering=text&statistics=value&timestamp_start__gte=1960-01-01',
  'timezone=Europe/Amsterdam&facets=timestamp_start__month&statistics=attributes__volume&distinct=attributes__town&id__lt=20',
  'timezone=Africa/Cairo&bins=day&by=category&statistics=attributes__volume&distinct=attributes__outfall&timestamp_start__gte=1960-01-01',
])('a summary is that of the arrays: %s', async (query) => {
  const path = `${ORIGIN}/api/v3/events/summary/?${encodeURI(query)}`
  const response = await fetchFrom(plain, path)
  expect(response.status).toBe(200)
  const wanted = await response.json()
  for (const [name, engine] of engines) expect(await (await fetchFrom(engine, path)).json(), name).toEqual(wanted)
})

interface Told {
  readonly density: { readonly level: number; readonly cells: readonly (readonly number[])[] }
  readonly without_geometry: number
  readonly facets?: object
}

const summaries = async (query: string): Promise<(readonly [name: string, told: Told])[]> => {
  const path = `${ORIGIN}/api/v3/events/summary/?${query}`
  const each = [...engines].map(
    async ([name, engine]) => [name, await (await fetchFrom(engine, path)).json<Told>()] as const,
  )
  return Promise.all(each)
}

it.each([0, 1, 6])(
  'an event without a place is in no cell of level %i, beside one in the first cell',
  async (level) => {
    for (const [name, { density, without_geometry }] of await summaries(`id__in=3,5&level=${level}`))
      expect([density.cells.map((cell) => cell.at(-1)), without_geometry], name).toEqual([[1], 1])
  },
)

it.each([
  ['level=12', 8],
  ['level=12&by=category', 8],
  ['level=12&bins=hour', 8],
  ['level=5', 5],
  ['level=12&id__gte=1', 12],
  ['level=12&latest=event_series', 12],
])('the finest level of %s is %i', async (query, level) => {
  for (const [name, { density }] of await summaries(query)) expect(density.level, name).toBe(level)
})

it('an event of year 0 is in the year before it, west of Greenwich', async () => {
  const query = 'timezone=America/New_York&facets=timestamp_start__year&id__in=1,21'
  const entries = [-1, 2024].map((value) => ({ value, count: 1 }))
  for (const [name, { facets }] of await summaries(query))
    expect(facets, name).toEqual({ timestamp_start__year: { entries, more: 0 } })
})

it('a tile of the latest events is the same, with an area and an attribute', async () => {
  const filters =
    'latest=event_series&geom_within=POLYGON((-170 -85,10 -85,10 60,-170 60,-170 -85))&attributes__depth__gte=3'
  const path = `${ORIGIN}/ogc/collections/events/tiles/WebMercatorQuad/0/0/0?${encodeURI(filters)}`
  const tiles = await Promise.all([...engines.values()].map(async (engine) => (await fetchFrom(engine, path)).bytes()))
  expect(tiles[0]?.length).toBeGreaterThan(0)
  for (const tile of tiles) expect(tile).toEqual(tiles[0])
})
