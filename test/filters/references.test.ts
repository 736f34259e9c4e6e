import { beforeAll, expect, it } from 'vitest'
import { ask, freezeClock } from '../engine/cost.ts'
import { load } from '../service.ts'
import { eventOf, observationType, seriesOf } from './records.ts'

const LEVEL = 'event_series__access_modifier'

freezeClock()
beforeAll(() =>
  load([
    observationType,
    ...[0, 100, 300].map((access_modifier, i) => seriesOf(i + 1, { access_modifier })),
    ...Array.from({ length: 120 }, (_, i) => eventOf(i + 1, { series: i < 100 ? 3 : 1 + (i % 2), start: i })),
  ]),
)

it('a level that the caller does not see reads as many rows, however many events it has', async () => {
  const costOf = async (value: string) => {
    const { body, rows, trips } = await ask({ query: { [LEVEL]: value } }, '/api/v3/events/')
    return { count: body.count, rows, trips }
  }
  await costOf('Public') // reads the statistics
  const common = await costOf('Common')
  expect(common.count).toBe(0)
  expect(await costOf('Hidden')).toEqual(common)
})
