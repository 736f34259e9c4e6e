import { beforeAll, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { arraysOf } from '../question/arrays.ts'
import { ORIGIN } from '../service.ts'
import { databasesWith, fetchFrom } from './oracle.ts'
import { event, WORLD } from './world.ts'

// Summaries and tiles of each database.

const RECORDS = [...WORLD, event(21, '0000-01-01T00:00:00Z', { coordinates: null })]
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
])('a summary is that of the arrays: %s', async (query) => {
  const path = `${ORIGIN}/api/v3/events/summary/?${encodeURI(query)}`
  const wanted = await (await fetchFrom(plain, path)).json()
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
