import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { EventRecord } from '../records.ts'
import { answer, get, load } from '../service.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { ask, freezeClock } from './cost.ts'
import { filterOf } from './filters.ts'
import { DAY, EVENTS, foundation, idsOf, isVisible, LEVELS, type Level, makeEvents, ORDERS, seenBy } from './world.ts'

const SEED = 20_261_122
const events = makeEvents(12_000, 5)
const iso = (time: number) => new Date(time).toISOString()

freezeClock()

beforeAll(() => load([...foundation, ...events]))

const FIELDS = {
  timestamp_start: { of: ({ start }: EventRecord) => start, text: iso, beside: [0, 1, DAY, -DAY] },
  timestamp_end: { of: ({ end }: EventRecord) => end, text: iso, beside: [0, 1, DAY, -DAY] },
  id: { of: ({ id }: EventRecord) => id, text: String, beside: [0, 1, 5000, -5000] },
} as const
type Field = keyof typeof FIELDS

/** A bound at an event, next to an event, or beyond all events. */
const bounds = fc
  .record({
    field: fc.constantFrom(...(Object.keys(FIELDS) as Field[])),
    lookup: fc.constantFrom('gt', 'gte', 'lt', 'lte'),
    event: fc.constantFrom(...events),
    beside: fc.nat(3),
    beyond: fc.constantFrom(false, false, true),
  })
  .map(({ field, lookup, event, beside, beyond }) => {
    const { of, text, beside: distances } = FIELDS[field]
    const far = lookup.startsWith('g') ? (field === 'id' ? -7 : 0 - 80_000 * DAY) : field === 'id' ? 1e9 : 40_000 * DAY
    const value = beyond ? far : of(event) + (distances[beside] ?? 0)
    const name = `${field}__${lookup}`
    return { name, ...filterOf(`${name}=${text(value)}`) }
  })

describe('a page far from the start', () => {
  it('equals the same part of a full sort, for random filters and orderings', EXHAUSTIVE, async () => {
    let far = 0
    const asked = fc.record({
      asked: fc.uniqueArray(bounds, { minLength: 1, maxLength: 2, selector: ({ name }) => name }),
      ordering: fc.constantFrom(...Object.keys(ORDERS)),
      level: fc.constantFrom(...(Object.keys(LEVELS) as Level[])),
      size: fc.constantFrom(1, 7, 50),
      at: fc.double({ min: 0, max: 1.05, noNaN: true }),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ asked, ordering, level, size, at }) => {
        const found = events
          .filter((event) => isVisible(event, level) && asked.every(({ matches }) => matches(event)))
          .sort(ORDERS[ordering])
          .map(({ id }) => id)
        const page = 2 + Math.floor((at * found.length) / size)
        const order = ordering === '' ? '' : `&ordering=${ordering}`
        const path = `${EVENTS}?${asked.map(({ query }) => query).join('&')}&page_size=${size}&page=${page}${order}`
        const expected = found.slice((page - 1) * size, page * size)
        if (expected.length === 0) {
          expect((await answer(path, seenBy(level))).status, path).toBe(404)
          return
        }
        far += 1
        const answered = await get(path, seenBy(level))
        expect([answered.count, idsOf(answered)], path).toEqual([found.length, expected])
        expect([answered.previous !== null, answered.next !== null], path).toEqual([true, page * size < found.length])
      }),
      { seed: SEED, numRuns: 150 },
    )
    expect(far).toBeGreaterThan(60)
  })

  it.each([
    { timestamp_start__gte: '1969-09-01', ordering: 'timestamp_start' },
    { timestamp_start__gte: '1969-09-01', ordering: '-timestamp_start' },
    { timestamp_end__lt: '1970-03-01', ordering: '-timestamp_end' },
    { id__gt: '500' },
    { id__gt: '500', ordering: '-id' },
  ])('reads at most 900 rows if its rows are consecutive: %j', async ({ ...query }) => {
    // The first request reads the statistics of the isolate.
    await ask({ query: {} }, EVENTS)
    const { rows, trips } = await ask({ query: { ...query, page: '300' } }, EVENTS)
    expect([rows, trips]).toEqual([
      expect.toSatisfy((rows: number) => rows <= 900),
      expect.toSatisfy((trips: number) => trips <= 3),
    ])
  })
})
