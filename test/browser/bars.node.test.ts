import { describe, expect, it } from 'vitest'
import { zone } from '../../src/web/state/format.ts'
import type { SummaryAnswer } from '../../src/web/state/known.ts'
import { language } from '../../src/web/state/text.ts'
import { barsOf, describeBars, isUneven, labelOf, rangeOf, ticksOf } from '../../src/web/time/bars.ts'
import { moved } from '../../src/web/time/brush.ts'
import { stackedOf } from '../../src/web/time/layers.ts'

const DAY = 86_400_000

const summaryOf = (bins: readonly (readonly [number, number])[], by: object = {}) =>
  ({ time: { start: 0, end: 0, step: DAY, bins }, by }) as unknown as SummaryAnswer

const countsOf = (...counts: number[]) => ({ starts: counts.map((_, i) => i * DAY), counts, step: DAY })

describe('the bars of the graph', () => {
  it('empty bins between others are bars of zero', () => {
    const { starts, counts } = barsOf(
      summaryOf([
        [0, 4],
        [3 * DAY, 2],
      ]).time,
    )
    expect(starts).toEqual([0, DAY, 2 * DAY, 3 * DAY])
    expect(counts).toEqual([4, 0, 0, 2])
  })

  it.each([
    [[100, 2, 2], false],
    [[101, 2, 2], true],
    [[101, 0, 0, 0, 2, 2], true],
    [[0, 5, 0], false],
    [[], false],
  ])('the counts %j need another scale than the linear one: %s', (counts, expected) =>
    expect(isUneven(countsOf(...counts))).toBe(expected),
  )

  it.each([
    [11, 'linear', [0, 5, 10]],
    [1.1, 'linear', [0, 1]],
    [289_000, 'linear', [0, 100_000, 200_000]],
    [6.3, 'linear', [0, 2, 5]],
    [Math.sqrt(11_000), 'root', [0, 2000, 10_000]],
    [Math.sqrt(1.1), 'root', [0, 1]],
  ] as const)('an axis that ends at the height %d on a %s scale has the ticks %j', (greatest, scale, ticks) =>
    expect(ticksOf(greatest, scale)).toEqual(ticks),
  )

  it.each([
    [60_000, '01-01 00:00'],
    [DAY, '1970-01-01'],
    [30 * DAY, '1970-01'],
    [400 * DAY, '1970'],
    [1000, '00:00:00'],
  ])('the axis with a step of %d milliseconds names an instant %s', (step, text) => expect(labelOf(step)(0)).toBe(text))

  it('local time moves the names of bars', () => {
    zone.value = 'local'
    expect(labelOf(60_000)(new Date(2020, 5, 1, 7, 30).getTime())).toBe('06-01 07:30')
    zone.value = 'utc'
  })

  it('bars are described by their period and their events, in both languages', () => {
    expect(describeBars(countsOf(1200, 0, 3), [0, 0])).toBe('1970-01-01: 1,200 events')
    language.value = 'nl'
    expect(describeBars(countsOf(1200, 0, 3), [0, 2])).toBe('1970-01-01 tot 1970-01-03: 1.203 gebeurtenissen')
    language.value = 'en'
  })

  it('a range is rounded to the largest unit that is at most a hundredth of it', () => {
    expect(rangeOf(0.4 * DAY, 200.4 * DAY)).toEqual(['1970-01-01', '1970-07-20'])
    expect(rangeOf(12.34, 12.35)).toEqual(['1970-01-01T00:00:00.012Z', '1970-01-01T00:00:00.013Z'])
  })
})

describe('the layers of bars', () => {
  it('six entries have layers, and all other events are in the last', () => {
    const entries = Array.from({ length: 8 }, (_, i) => ({
      value: `c${i}`,
      count: 2,
      bins: [
        [0, 1],
        [DAY, 1],
      ],
    }))
    const { layers } = stackedOf(
      summaryOf(
        [
          [0, 10],
          [DAY, 8],
        ],
        { category: { entries } },
      ),
      'category',
    )
    expect(layers.map(({ name, counts }) => [name, ...counts])).toEqual([
      ...['c0', 'c1', 'c2', 'c3', 'c4', 'c5'].map((name) => [name, 1, 1]),
      ['Others', 4, 2],
    ])
    expect(new Set(layers.map(({ color }) => color)).size).toBe(7)
  })

  it('series have their own colours, and no layer is without events', () => {
    const entries = [{ name: 'Storms', color: '#123456', count: 1, bins: [[0, 1]] }]
    const { layers } = stackedOf(summaryOf([[0, 1]], { event_series: { entries } }), 'event_series')
    expect(layers).toEqual([{ name: 'Storms', color: '#123456', count: 1, counts: [1] }])
  })
})

describe('the keys of the graph', () => {
  it.each([
    ['ArrowRight', false, [0, 9], [0, 0]],
    ['ArrowLeft', false, [0, 9], [9, 9]],
    ['ArrowRight', false, [2, 4], [3, 5]],
    ['ArrowRight', true, [2, 4], [2, 5]],
    ['ArrowLeft', true, [2, 2], [2, 2]],
    ['End', false, [2, 2], [9, 9]],
    ['a', false, [2, 2], null],
  ] as const)('%s with Shift %s moves the bars %j to %j', (key, shiftKey, from, to) =>
    expect(moved({ key, shiftKey }, from, 9)).toEqual(to),
  )
})
