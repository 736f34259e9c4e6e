import { expect, it } from 'vitest'
import { ORIGIN } from '../service.ts'
import { fetchFrom, type Row, testRows } from './oracle.ts'
import { WORLD } from './world.ts'

// Rows without a value, and texts that no row has.

const items = (filter: string) => `/ogc/collections/events/items?limit=1000&filter=${filter}`

const MISSING: readonly Row[] = [
  { asks: items("NOT (object_type LIKE 'zz%')"), finds: [4, 20] },
  { asks: items("NOT (object_type LIKE 'pu%')"), finds: [] },
  { asks: items("CASEI(object_type) <> CASEI('x')"), finds: [4, 20] },
  { asks: items("CASEI(object_type) NOT IN (CASEI('x'))"), finds: [4, 20] },
  { asks: items("NOT (external_id LIKE 'zz%')"), finds: [4, 20] },
  { asks: 'object_type__model__icontains=zz', finds: [] },
  { asks: 'object_type__model__in=', finds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20] },
]

const engines = testRows(WORLD, { 'without a value': MISSING })

it.each([0, 1, 6])(
  'an event without a place is in no cell of level %i, beside one in the first cell',
  async (level) => {
    for (const [name, engine] of engines) {
      if (name === 'arrays') continue
      const response = await fetchFrom(engine, `${ORIGIN}/api/v3/events/summary/?id__in=3,5&level=${level}`)
      const { density, without_geometry } = await response.json<{
        density: { cells: number[][] }
        without_geometry: number
      }>()
      expect([density.cells.map((cell) => cell.at(-1)), without_geometry], name).toEqual([[1], 1])
    }
  },
)
