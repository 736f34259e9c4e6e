import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { answer, get, load } from '../service.ts'
import { splitRows } from '../tags.ts'
import { freezeClock } from './cost.ts'
import { EVENTS, foundation, idsOf, makeEvents, pour, write } from './world.ts'

freezeClock()

const COUNT = 100_040

beforeAll(async () => {
  await load(foundation)
  // The first event makes a category. Its series is public.
  await write(makeEvents(1, 1, 2000).map((event) => ({ ...event, series: 1 })))
  await pour(Array.from({ length: COUNT }, (_, i) => ({ id: 10_001 + i, start: i, coordinates: [i / 1e6, 0, 0] })))
}, 60_000)

const HINT = 'or add a filter such as category or timestamp_start__gte.'
const sorted = `More than 100,000 items match, too many to sort in this order. Choose another order, ${HINT}`
const far = `In this order, a page after 100,000 others cannot be found by its number. Follow next, ${HINT}`

describe('too many events for an order are a 400 that names filters', () => {
  it.each([
    ['ordering=value', sorted],
    ['ordering=-category&page=last', sorted],
    ['ordering=object_id&timestamp_start__gte=1900-01-01', sorted],
    ['ordering=event_series__name&geom_within=POLYGON((-1 -1,2 -1,3 1,-1 1,-1 -1))', sorted],
    ['ordering=distance&near=0,0&radius=1000000&page=10006', far],
    ['ordering=-duration&page=10006', far],
    ['ordering=last_modified&page=10006', far],
    ['ordering=-value_number&page=10006', far],
  ])('%s', async (query, message) => {
    expect(await answer(`${EVENTS}?${query}&format=json`)).toEqual({ status: 400, body: { ordering: [message] } })
  })

  it('names sortby under /ogc, and start in version 4', async () => {
    expect(await answer('/ogc/collections/events/items?sortby=value')).toMatchObject({
      ...{ status: 400, body: { detail: expect.stringContaining(`sortby: ${sorted}`) } },
    })
    const v4 = await answer('/api/v4/events/?ordering=value')
    expect(v4.body).toEqual({ ordering: [sorted.replace('timestamp_start', 'start')] })
  })
})

describe('what remains possible', () => {
  it.each([
    ['ordering=value&timestamp_start__lt=1970-01-01T00:01:39', 99_001],
    ['ordering=-value&id__gt=60040', 50_000],
    ['ordering=distance&near=0,0&radius=10000', null],
    ['ordering=distance&near=0,0&radius=1000000', 100_040],
    ['ordering=-distance&near=0,0&radius=1000000&page=5000', 100_040],
    ['ordering=distance&near=0,0&radius=1000000&page=last', 100_040],
    ['ordering=-duration', null],
    ['ordering=duration&page=last', null],
    ['ordering=-last_modified&page=10000', null],
    ['ordering=-value_number&page=last', null],
  ])('%s', async (query, count) => {
    const page = await get(`${EVENTS}?${query}`)
    expect([page.count, idsOf(page).length > 0]).toEqual([count ?? page.count, true])
  })
})

describe('the order of the distance, with more matches than the Worker holds', () => {
  const near = 'id__gte=10001&near=0,0&radius=1000000'
  const [first, last] = [10_001, 10_000 + COUNT]

  for (const [options, rows] of splitRows(2, [
    ['ordering=distance', [first, first + 1, first + 2]],
    ['ordering=distance&page=2', [first + 3, first + 4, first + 5]],
    ['ordering=distance&page=30000', [first + 89_997, first + 89_998, first + 89_999]],
    ['ordering=distance&page=last', [last - 1, last]],
    ['ordering=-distance', [last, last - 1, last - 2]],
    ['ordering=-distance&page=2', [last - 3, last - 4, last - 5]],
  ] as const))
    it.each(rows)('%s', options, async (query, ids) => {
      expect(idsOf(await get(`${EVENTS}?${near}&page_size=3&${query}`))).toEqual(ids)
    })

  it('next begins after the last match of the page', async () => {
    const { next } = await get(`${EVENTS}?${near}&page_size=3&ordering=distance`)
    expect(idsOf(await get(next))).toEqual([first + 3, first + 4, first + 5])
  })

  for (const [options, orders] of splitRows(2, ['-distance', 'distance']))
    it.each(orders)('previous of %s returns to the page before', options, async (ordering) => {
      const address = `${EVENTS}?${near}&page_size=3&ordering=${ordering}`
      const second = await get((await get(address)).next)
      const { previous } = await get(second.next)
      expect(idsOf(await get(previous))).toEqual(idsOf(second))
    })

  it('matches at one distance are in the order of ids', async () => {
    await env.DB.prepare(
      'UPDATE event SET x = 0, cell = (SELECT cell FROM event WHERE id = 10001) WHERE id < 12001',
    ).run()
    const first = await get(`${EVENTS}?${near}&page_size=500&ordering=distance`)
    const second = await get(first.next)
    expect(idsOf(first)).toEqual(Array.from({ length: 500 }, (_, i) => 10_001 + i))
    expect(idsOf(second)).toEqual(Array.from({ length: 500 }, (_, i) => 10_501 + i))
    expect(idsOf(await get(second.previous))).toEqual(idsOf(first))
  })

  it('a download is a 400', async () => {
    expect(await answer(`${EVENTS}?${near}&ordering=distance&page_size=all&format=ndjson`)).toMatchObject({
      ...{ status: 400, body: { page_size: [expect.stringContaining('all can send at most 100,000')] } },
    })
  })
})
