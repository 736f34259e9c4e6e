import { beforeAll, describe, expect, it } from 'vitest'
import { SUMMARY } from '../bench/workloads.ts'
import { eventOf } from '../filters/records.ts'
import { load } from '../service.ts'
import { ask, freezeClock } from './cost.ts'
import { EVENTS, foundation, makeEvents } from './world.ts'

const HIDDEN_SERIES = 6
const NUMBER = 5000
const DAY = 86_400_000
/** This day and this town have only hidden events. ELSEWHERE has no events. */
const FIRST = Date.UTC(2031, 4, 7)
const [WEST, SOUTH] = [-70.4, -40.2]
const hidden = Array.from({ length: NUMBER }, (_, i) => {
  const start = FIRST + ((i * 7919) % DAY)
  const place = [WEST + ((i * 31) % 1000) / 2000, SOUTH + ((i * 17) % 1000) / 2000, 0] as const
  return eventOf(900_000 + i, {
    series: HIDDEN_SERIES,
    category: 'flood',
    start,
    end: start + 1000,
    coordinates: place,
  })
})

freezeClock()

beforeAll(async () => {
  await load([...foundation, ...makeEvents(1, 2000), ...hidden])
})

const day = (at: number) => new Date(at).toISOString()
const during = (at: number) => ({ timestamp_start__gte: day(at), timestamp_start__lt: day(at + DAY) })
const ending = (at: number) => ({ timestamp_end__range: `${day(at)},${day(at + DAY)}` })
const overlapping = (at: number) => ({ timestamp_start__lt: day(at + DAY), timestamp_end__gte: day(at) })
const around = (x: number, y: number) => ({ bbox: [x, y, x + 0.5, y + 0.5].join() })
const triangle = (x: number, y: number) => ({
  geom_within: `POLYGON((${x} ${y},${x + 0.5} ${y},${x} ${y + 0.5},${x} ${y}))`,
})
/** A query may read this many rows of nodes at both ends of a time. Hidden events do not raise this number. */
const LEFT = 500
const [HERE, ELSEWHERE] = [FIRST, FIRST + 400 * DAY]

describe('a request over hidden events is as cheap as one over an empty region', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['events that start on a day', during(HERE), during(ELSEWHERE)],
    ['events that end on a day', ending(HERE), ending(ELSEWHERE)],
    ['events that overlap a day', overlapping(HERE), overlapping(ELSEWHERE)],
    ['a category on a day', { category: 'flood', ...during(HERE) }, { category: 'flood', ...during(ELSEWHERE) }],
    ['a box', around(WEST, SOUTH), around(WEST - 10, SOUTH)],
    ['a triangle', triangle(WEST, SOUTH), triangle(WEST - 10, SOUTH)],
    [
      'a box on a day',
      { ...around(WEST, SOUTH), ...during(HERE) },
      { ...around(WEST - 10, SOUTH), ...during(ELSEWHERE) },
    ],
  ])('%s', async (_, here, elsewhere) => {
    for (const list of [EVENTS, SUMMARY]) {
      await ask({ query: elsewhere }, list)
      const [there, nowhere] = [await ask({ query: here }, list), await ask({ query: elsewhere }, list)]
      expect([there.body.count, nowhere.body.count]).toEqual([0, 0])
      expect(there.trips).toBe(nowhere.trips)
      expect(Math.abs(there.rows - nowhere.rows)).toBeLessThanOrEqual(LEFT)
    }
  })
})
