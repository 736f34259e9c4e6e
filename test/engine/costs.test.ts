import { beforeAll, describe, expect, it } from 'vitest'
import { columnsOf } from '../bench/columns.ts'
import { combinations } from '../bench/combinations.ts'
import { skewed, skewedEvents } from '../bench/skewed.ts'
import type { Workload } from '../bench/workloads.ts'
import { load } from '../service.ts'
import { EXHAUSTIVE, splitRows } from '../tags.ts'
import { ask, costOf, freezeClock } from './cost.ts'

const [EVENTS, SEED] = [20_000, 1]
/** The number of requests of each kind. */
const ASKED = 4

freezeClock()

beforeAll(async () => {
  await load([...skewed(EVENTS, SEED)])
  // The statistics are read once, as in an isolate that has served requests before.
  await ask({ query: { timestamp_start__gte: '2018-01-01', duration__gte: '0' } }, '/api/v3/events/')
})

const answerOf = async ({ to, item, query, turns }: Workload) => {
  if (item !== undefined) return ask({ query }, item, {})
  if (!(await hasPage(to, query))) return null
  let answer = await ask({ query }, to)
  for (let turn = 0; turn < turns; turn++) answer = await ask({ query }, answer.body.next, {})
  return answer
}

const hasPage = async (to: string, { page = '1', ...query }: Workload['query']): Promise<boolean> =>
  !(Number(page) > 1) || Number(page) <= Math.ceil((await ask({ query }, to)).body.count / 10)

describe('with crowded events, each kind of request reads as many rows as recorded', () => {
  const all = combinations(columnsOf(skewedEvents(EVENTS, SEED), EVENTS), SEED)
  const isHuge = ({ name }: { readonly name: string }) => name.includes('99,990')
  const huge: ReturnType<typeof splitRows<(typeof all)[number]>>[number] = [EXHAUSTIVE, all.filter(isHuge)]
  for (const [options, kinds] of [
    ...splitRows(
      3,
      all.filter((kind) => !isHuge(kind)),
    ),
    huge,
  ])
    it.each(kinds)('$name', options, async ({ requests }) => {
      const costs: string[] = []
      for (const workload of requests.slice(0, ASKED)) {
        const answer = await answerOf(workload)
        if (answer !== null) costs.push(costOf(answer))
      }
      expect(costs.join('; ')).toMatchSnapshot()
    })
})
