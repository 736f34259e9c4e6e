import { beforeAll, expect, it } from 'vitest'
import { answerOf } from '../oracle/oracle.ts'
import { arraysOf } from '../question/arrays.ts'
import { load } from '../service.ts'
import { splitRows } from '../tags.ts'
import { ask, freezeClock } from './cost.ts'
import { EVENTS, foundation, idsOf, makeEvents } from './world.ts'

const records = [...foundation, ...makeEvents(12_000, 5)]
const plain = arraysOf(records)

freezeClock()
beforeAll(async () => {
  await load(records)
  // The first request reads the statistics of the isolate.
  await ask({ query: {} }, EVENTS)
})

const queries = ['timestamp_start__gte=1969-09-01', 'timestamp_end__lt=1970-03-01', 'id__gt=500', 'id__range=300,11900']
const orders = ['id', '-id', 'timestamp_start', '-timestamp_start', 'timestamp_end', '-timestamp_end']
const cases = queries.flatMap((query) => orders.map((ordering) => [query, ordering] as const))
/** The rows of these lists are consecutive in an index. */
const isConsecutive = (query: string, ordering: string) => query.startsWith(ordering.replace('-', ''))

for (const [options, rows] of splitRows(5, cases))
  it.each(rows)('a page far from the start is that of a full sort: %s, %s', options, async (query, ordering) => {
    const { finds } = await answerOf('arrays', plain, {
      asks: `${EVENTS}?page_size=10000&${query}&ordering=${ordering}`,
    })
    const ids = finds as readonly number[]
    for (const page of [2, 57, 300, Math.ceil(ids.length / 10)]) {
      const parameters = Object.fromEntries(new URLSearchParams(`${query}&ordering=${ordering}&page=${page}`))
      const { body, rows, trips } = await ask({ query: parameters }, EVENTS)
      expect([body.count, idsOf(body)]).toEqual([ids.length, ids.slice((page - 1) * 10, page * 10)])
      if (isConsecutive(query, ordering)) expect(rows).toBeLessThanOrEqual(900)
      expect(trips).toBeLessThanOrEqual(3)
    }
  })
