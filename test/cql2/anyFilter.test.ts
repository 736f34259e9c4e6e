/** @module-tag exhaustive */
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { EventRecord } from '../records.ts'
import { load, seedEvents, seedRecords, seedSeries, send } from '../service.ts'
import { truthOf } from './evaluate.ts'
import { filters, type Json } from './filters.ts'

/** The environment variables FUZZ and FUZZ_SEED. */
const { count, seed } = env.TEST_FUZZ

const [first] = seedEvents
const names = new Map(seedSeries.map(({ id, name }) => [id, name]))
const DAY = 86_400_000
const pick = <T>(i: number, values: readonly T[]): T => values[i % values.length] as T // values is not empty

/** Events with many combinations of texts, times, places and nulls. */
const EVENTS = Array.from({ length: 60 }, (_, i): EventRecord => {
  const start = pick(i, [-DAY, -1, 0, 1, DAY / 2, DAY, 2 * DAY])
  return {
    ...(first as EventRecord), // the default data has events
    id: i + 1,
    series: pick(i, seedSeries).id,
    category: pick(i, ['', 'ab', 'AB', 'a%b', '50%_of', 'straße', 'STRASSE', '\\', 'pump']),
    value: pick(i, ['ab', 'aAb', 'x_y', '', 'bab', '50', 'Straße', 'é😀', 'ß%', 'abab\\', "O'Hare"]),
    external_id: i % 4 === 0 ? null : `ab${i % 10}%${i}`,
    start,
    end: start + pick(i, [0, 1, DAY]),
    coordinates: i % 3 === 0 ? null : [(i % 5) - 1, (i % 4) - 1, 0],
    object: i % 2 === 0 ? null : { model: pick(i, ['pump', 'ab', 'storm']), id: i % 8 },
  }
})

beforeAll(async () => {
  await load(seedRecords.filter(({ kind }) => kind !== 'event'))
  await load(EVENTS)
})

const ITEMS = '/ogc/collections/events/items'
/** An address has at most 16,384 characters. */
const fitsAddress = (filter: Json) => encodeURIComponent(JSON.stringify(filter)).length < 15_000

const answer = async (filter: Json): Promise<{ status: number; ids: unknown; detail: unknown }> => {
  const query = new URLSearchParams({ limit: '1000', 'filter-lang': 'cql2-json', filter: JSON.stringify(filter) })
  const response = await send(`${ITEMS}?${query}`, { vars: { ANONYMOUS_LEVEL: 'Hidden' } })
  const { features, detail } = await response.json<{ features?: { id: number }[]; detail?: unknown }>()
  return { status: response.status, ids: features?.map(({ id }) => id), detail }
}

const expected = (filter: Json): number[] =>
  EVENTS.filter((event) => truthOf(filter, event, String(names.get(event.series))) === true).map(({ id }) => id)

describe('a random filter', () => {
  const runs = Math.ceil(count / 5)
  it(`that is small matches exactly the events that a plain evaluation matches: ${runs} from seed ${seed}`, {
    timeout: 60_000 + runs * 300,
  }, async () => {
    const property = fc.asyncProperty(filters({ depth: 3, width: 4, most: 6 }), async (filter) => {
      const { status, ids, detail } = await answer(filter)
      if (status === 200) expect(ids).toEqual(expected(filter))
      else expect(detail).toContain('more than 20 texts between their % signs')
    })
    await fc.assert(property, { seed, numRuns: runs, endOnFailure: true })
  })

  const large = Math.ceil(count / 20)
  it(`that is large matches exactly the same events or is refused: ${large} from seed ${seed}`, {
    timeout: 60_000 + large * 1_000,
  }, async () => {
    const statuses = new Set<number>()
    const property = fc.asyncProperty(filters({ depth: 6, width: 5, most: 40 }).filter(fitsAddress), async (filter) => {
      const { status, ids, detail } = await answer(filter)
      statuses.add(status)
      if (status === 200) expect(ids).toEqual(expected(filter))
      else expect([status, detail]).toEqual([400, expect.stringMatching(/Enter|Join/)])
    })
    await fc.assert(property, { seed, numRuns: large, endOnFailure: true })
    expect(statuses).toContain(200)
  })
})
