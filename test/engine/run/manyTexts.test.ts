import { beforeAll, expect, it, vi } from 'vitest'
import { MAX_TESTED } from '../../../src/engine/limits.ts'

import { skewed, skewedEvents } from '../../bench/skewed.ts'
import type { EventRecord } from '../../records.ts'
import { load } from '../../service.ts'
import { EXHAUSTIVE } from '../../tags.ts'
import { ask, freezeClock } from '../cost.ts'

// The Worker caches statistics. Statistics of another test file would lead to other plans.
vi.hoisted(() => vi.resetModules())

const [EVENTS, SEED] = [2 * MAX_TESTED + 5_000, 3]

freezeClock()
beforeAll(() => load([...skewed(EVENTS, SEED)]))

/** Returns the latest event of each series. */
const latestOf = (events: readonly EventRecord[]): readonly EventRecord[] => {
  const sorted = events.toSorted((a, b) => a.start - b.start || a.id - b.id)
  return [...new Map(sorted.map((event) => [event.series, event])).values()]
}

it.each([
  ['q="at gauge 7"', ({ value }: EventRecord) => value.endsWith(' at gauge 7')],
  ['value__regex=[13]$', ({ value }: EventRecord) => /[13]$/.test(value)],
  ['value__icontains=1', ({ value }: EventRecord) => value.includes('1')],
] as const)('the texts of more rows than one query reads are tested: %s', EXHAUSTIVE, async (filter, matches) => {
  const found = [...skewedEvents(EVENTS, SEED)].filter(matches)
  expect(found.length).toBeGreaterThan(10)
  for (const [query, events] of [
    [filter, found],
    [`${filter}&latest=event_series`, latestOf(found)],
  ] as const) {
    const { body } = await ask({ query: Object.fromEntries(new URLSearchParams(query)) }, '/api/v3/events/')
    expect([query, body.count]).toEqual([query, events.length])
    const first = events
      .map(({ id }) => id)
      .toSorted((a, b) => a - b)
      .slice(0, 10)
    expect(body.results.map(({ id }: EventRecord) => id)).toEqual(first)
  }
})
