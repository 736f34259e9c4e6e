import { beforeAll, describe, expect, it, vi } from 'vitest'
import { random } from '../../bench/events.ts'
import type { EventRecord } from '../../records.ts'
import { get, load } from '../../service.ts'
import { ask, freezeClock } from '../cost.ts'
import { DAY, EVENTS, foundation, idsOf, isVisible, makeEvents, ORDERS, seenBy, write } from '../world.ts'

// At its first request the Worker caches statistics of an empty database. They only affect plans.
vi.hoisted(() => vi.resetModules())

freezeClock()

const REACH = 8_640_000_000_000_000
const next = random(20_261_123)
const among = (most: number) => Math.floor(next() * most)

/** Most events are short. Some last years, two have the greatest duration, and many have the end of another. */
const lastingOf = (i: number): number => {
  if (i % 3000 === 5) return 2 * REACH
  if (next() < 0.3) return 0
  return next() < 0.8 ? among(2 * DAY) : among(800 * DAY)
}

/** Series 3 has a few weeks, and the others have twenty years. */
const SPANS: Readonly<Record<number, number>> = { 3: 40 * DAY }
const made = makeEvents(15_000, 4).map((event, i): EventRecord => {
  const lasting = lastingOf(i)
  const start = lasting === 2 * REACH ? -REACH : 3000 * DAY + among(SPANS[event.series] ?? 7000 * DAY)
  const end = Math.min(REACH, start + lasting)
  return { ...event, start, end: end - start < DAY && i % 4 === 0 ? Math.ceil(end / 1000) * 1000 : end }
})

beforeAll(async () => {
  await load(foundation)
  await write(made)
  await ask({ query: { duration__gte: '1', event_series: '2100' } }, EVENTS) // reads statistics
})

const PARTS: readonly [string, (event: EventRecord) => boolean][] = [
  ['event_series=1000', ({ series }) => series === 1],
  ['event_series=2100', ({ series }) => series === 3],
  ['event_series=5000', ({ series }) => series === 6],
  ['category=flood', ({ category }) => category === 'flood'],
  ['category=flash+flood', ({ category }) => category === 'flash flood'],
]

const cases = PARTS.flatMap(([query, fits]) =>
  ['timestamp_end', '-timestamp_end'].flatMap((ordering) =>
    // A series that the caller cannot see is a 400.
    (query === 'event_series=5000' ? (['Hidden'] as const) : (['Public', 'Hidden'] as const)).map((level) => ({
      ...{ query, fits, ordering, level },
    })),
  ),
)

describe('one entry in the order of the end', () => {
  it.each(cases)('$query by $ordering for $level has the pages of a slow sort', async (each) => {
    const { query, fits, ordering, level } = each
    const expected = made
      .filter((event) => fits(event) && isVisible(event, level))
      .sort(ORDERS[ordering])
      .map(({ id }) => id)
    const last = Math.max(1, Math.ceil(expected.length / 10))
    const options = seenBy(level)
    const expectPage = async (path: string, number: number) => {
      const page = await get(path, options)
      expect([page.count, idsOf(page)], `${path}, page ${number}`).toEqual([
        expected.length,
        expected.slice(10 * number - 10, 10 * number),
      ])
      return page
    }
    const path = `${EVENTS}?${query}&ordering=${ordering}`
    for (const number of [1, 2, Math.ceil(last / 5), Math.ceil(last / 2), last - 1, last].filter((each) => each > 0)) {
      const page = await expectPage(`${path}&page=${number === last ? 'last' : number}`, number)
      if (page.next !== null && number < last) {
        const following = await expectPage(page.next, number + 1)
        if (following.next !== null) await expectPage(following.next, number + 2)
      }
      if (page.previous !== null) await expectPage(page.previous, number - 1)
    }
  })

  it.each([
    ['event_series=1000', 6000, 800],
    ['category=flood', 1000, 500],
  ])('%s with more than %s rows reads at most %s', async (query, least, most) => {
    const [name = '', value = ''] = query.split('=')
    for (const ordering of ['timestamp_end', '-timestamp_end'])
      for (const page of ['1', 'last']) {
        const asked = { [name]: value, ordering, page }
        const { rows, body } = await ask({ query: asked }, EVENTS)
        expect(body.count).toBeGreaterThan(least)
        expect(rows, `${ordering}, page ${page}`).toBeLessThanOrEqual(most)
      }
  })

  it('the plan says that it sorts the rows near the page', async () => {
    const { plan } = await get(`${EVENTS}?category=flood&ordering=-timestamp_end&explain=true`, {
      vars: { SHOW_COST: 'true' },
    })
    expect(plan.page).toMatch(/the rows that end near the page/)
  })
})
