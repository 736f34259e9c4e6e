import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { EventRecord } from '../../records.ts'
import { load } from '../../service.ts'
import { ask, freezeClock } from '../cost.ts'
import { DAY, EVENTS, foundation, makeEvents, ORDERS, write } from '../world.ts'

// At its first request the Worker caches statistics of an empty database. They only affect plans.
vi.hoisted(() => vi.resetModules())

freezeClock()

/** The series 3 has every third event of 6,000 days in the middle. */
const [BEFORE, WITHIN] = [4000, 6000]
const made = makeEvents(BEFORE * 2 + WITHIN, 3).map((event, i): EventRecord => {
  const start = i * DAY
  const isWithin = i >= BEFORE && i < BEFORE + WITHIN
  return { ...event, series: isWithin && i % 3 === 0 ? 3 : 1, start, end: start + (i % 7) * DAY }
})
const expected = made.filter(({ series }) => series === 3)

beforeAll(async () => {
  await load(foundation)
  await write(made)
  await ask({ query: { duration__gte: '1', event_series: '2100' } }, EVENTS) // reads statistics
})

describe('a series in the order of the end is read from its kept period on', () => {
  it.each(['timestamp_end', '-timestamp_end'])('%s', async (ordering) => {
    const sorted = [...expected].sort(ORDERS[ordering]).map(({ id }) => id)
    const query = { event_series: '2100', ordering }
    const first = await ask({ query }, EVENTS)
    const next = await ask({ query }, first.body.next)
    const last = await ask({ query: { ...query, page: 'last' } }, EVENTS)
    const ids = [first, next, last].map(({ body }) => body.results.map(({ id }: { id: number }) => id))
    expect(ids).toEqual([sorted.slice(0, 10), sorted.slice(10, 20), sorted.slice(-(sorted.length % 10 || 10))])
    expect([first, next, last].map(({ rows }) => rows < 250)).toEqual([true, true, true])
  })
})
