import { beforeAll, describe, expect, it, vi } from 'vitest'
import { columnsOf } from '../bench/columns.ts'
import { combinations } from '../bench/combinations.ts'
import { skewed, skewedEvents } from '../bench/skewed.ts'
import type { Workload } from '../bench/workloads.ts'
import { load } from '../service.ts'
import { splitRows } from '../tags.ts'
import { ask, freezeClock } from './cost.ts'

// The Worker caches statistics. Statistics of another test file would lead to other plans.
vi.hoisted(() => vi.resetModules())

const [EVENTS, SEED] = [20_000, 1]
/** The number of requests of each kind. */
const ASKED = 4

freezeClock()

beforeAll(async () => {
  await load([...skewed(EVENTS, SEED)])
  // The statistics are read once, as in an isolate that has served requests before.
  await ask({ query: { timestamp_start__gte: '2018-01-01', duration__gte: '0' } }, '/api/v3/events/')
})

/**
 * Some kinds of requests read more rows than their budget: at most this factor, plus BESIDE rows for nodes of counts. A
 * filter is counted in one scan and sorted in another, or its matches are stored once and read three times.
 */
const MORE: readonly [RegExp, number][] = [
  [/^(series|category|month|model)|(and|in a) month$/, 4],
  [/^(period|overlap)/, 4],
  [/^box|^cold page|page in the middle by/, 2.5],
  [/^(comb|zigzag)/, 1.6],
]
const BESIDE = 1700

const mostOf = (name: string, most: number): number => {
  const times = MORE.find(([kinds]) => kinds.test(name))?.[1]
  return times === undefined ? most : times * most + BESIDE
}

const answerOf = async ({ to, item, query, turns }: Workload) => {
  if (item !== undefined) return ask({ query }, item, {})
  if (!(await hasPage(to, query))) return null
  let answer = await ask({ query }, to)
  for (let turn = 0; turn < turns; turn++) answer = await ask({ query }, answer.body.next, {})
  return answer
}

const hasPage = async (to: string, { page = '1', ...query }: Workload['query']): Promise<boolean> =>
  !(Number(page) > 1) || Number(page) <= Math.ceil((await ask({ query }, to)).body.count / 10)

describe('with crowded events, no request reads more rows than its kind may read', () => {
  for (const [options, kinds] of splitRows(3, combinations(columnsOf(skewedEvents(EVENTS, SEED), EVENTS), SEED)))
    it.each(kinds)('$name', options, async ({ requests }) => {
      for (const workload of requests.slice(0, ASKED)) {
        const answer = await answerOf(workload)
        if (answer === null) continue
        const most = mostOf(workload.name, workload.most(answer.body.count))
        expect([workload.query, answer.rows]).toEqual([
          workload.query,
          expect.toSatisfy((rows: number) => rows <= most),
        ])
      }
    })
})
