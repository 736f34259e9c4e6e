import { beforeAll, expect, it } from 'vitest'
import { load } from '../../service.ts'
import { splitRows } from '../../tags.ts'
import { FILTERS } from '../filters.ts'
import { EVENTS, expectPages, foundation, isVisible, makeEvents, ORDERS, seenBy } from '../world.ts'

const events = makeEvents(6000, 11).map((event) =>
  event.id % 4 === 0 ? { ...event, external_id: `n${event.id}` } : event,
)

beforeAll(() => load([...foundation, ...events]))

for (const [options, filters] of splitRows(8, FILTERS))
  it.each(filters)('$query finds the same events as a plain test', options, async ({ query, matches }) => {
    for (const [level, ordering] of [['Public', 'id'] as const, ['Hidden', '-timestamp_start'] as const]) {
      const expected = events
        .filter((event) => isVisible(event, level) && matches(event))
        .sort(ORDERS[ordering])
        .map(({ id }) => id)
      const size = Math.max(1, Math.ceil(expected.length / 2))
      const path = `${EVENTS}?${query}&ordering=${ordering}&page_size=${size}`
      await expectPages(path, expected, size, [], seenBy(level))
    }
  })

it('most of the filters find events', () => {
  const finding = FILTERS.filter(({ matches }) => events.some(matches))
  expect(finding.length).toBeGreaterThan(0.85 * FILTERS.length)
})
