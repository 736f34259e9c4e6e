import { describe, expect, it } from 'vitest'
import { barAt, barLengthOf, nextBar, zone } from '../../src/web/state/format.ts'
import type { SummaryAnswer } from '../../src/web/state/known.ts'
import { language } from '../../src/web/state/text.ts'
import { histogramOf, labelOf, marksOf, numberAxis, ticksBetween, ticksOf } from '../../src/web/time/axis.ts'
import {
  barIn,
  barsOf,
  besidePast,
  describeBars,
  isUneven,
  moved,
  nameOf,
  partsOf,
  rangeOf,
  statisticsIn,
  withParts,
} from '../../src/web/time/bars.ts'

const DAY = 86_400_000

const summaryOf = (bins: readonly (readonly [number, number])[], by: object = {}) =>
  ({ time: { start: 0, end: 0, step: DAY, bins }, by }) as unknown as SummaryAnswer

const DAYS = { unit: 'day', size: 1 } as const

const countsOf = (...counts: number[]) => ({
  edges: [...counts, 0].map((_, i) => i * DAY),
  counts,
  length: DAYS,
  layers: [{ name: '', count: 0, counts }],
})

const at = (text: string) => Date.parse(text)

describe('the bars of the graph', () => {
  it('empty bins between others are bars of zero', () => {
    const bins = [
      [0, 4],
      [3 * DAY, 2],
    ] as const
    const { edges, counts } = barsOf(summaryOf(bins), DAYS, null)
    expect(edges).toEqual([0, DAY, 2 * DAY, 3 * DAY, 4 * DAY])
    expect(counts).toEqual([4, 0, 0, 2])
  })

  it('months are put together in quarters and in groups of years', () => {
    const bins = ['2015-02-01', '2015-03-01', '2015-10-01', '2021-01-01'].map((start) => [at(start), 1] as const)
    const quarters = barsOf(summaryOf(bins.slice(0, 3)), { unit: 'month', size: 3 }, null)
    expect(quarters.edges.map((edge) => new Date(edge).toISOString().slice(0, 7))).toEqual([
      ...['2015-01', '2015-04', '2015-07', '2015-10', '2016-01'],
    ])
    expect(quarters.counts).toEqual([2, 0, 0, 1])
    expect(barsOf(summaryOf(bins), { unit: 'year', size: 5 }, null).counts).toEqual([3, 1])
  })

  it.each([
    [3_600_000, 'hour', 1],
    [4 * DAY, 'hour', 1],
    [5 * DAY, 'day', 1],
    [100 * DAY, 'week', 1],
    [365 * DAY, 'month', 1],
    [3000 * DAY, 'month', 3],
    [40 * 366 * DAY, 'year', 1],
    [200 * 366 * DAY, 'year', 5],
    [500 * 366 * DAY, 'year', 10],
    [2000 * 366 * DAY, 'year', 50],
  ])('a period of %d milliseconds has bars of a %s, times %d', (milliseconds, unit, size) =>
    expect(barLengthOf(milliseconds)).toEqual({ unit, size }),
  )

  it.each([
    ['2026-03-05T06:00Z', { unit: 'hour', size: 1 }, '5 March 2026 06:00', '5 maart 2026 06:00'],
    ['2026-03-05', DAYS, '5 March 2026', '5 maart 2026'],
    ['2026-01-12', { unit: 'week', size: 1 }, 'week 3 2026', 'week 3 2026'],
    ['2020-12-28', { unit: 'week', size: 1 }, 'week 53 2020', 'week 53 2020'],
    ['2024-12-30', { unit: 'week', size: 1 }, 'week 1 2025', 'week 1 2025'],
    ['2026-03-01', { unit: 'month', size: 1 }, 'March 2026', 'maart 2026'],
    ['2026-04-01', { unit: 'month', size: 3 }, 'quarter 2 2026', 'kwartaal 2 2026'],
    ['2026-01-01', { unit: 'year', size: 1 }, '2026', '2026'],
    ['2020-01-01', { unit: 'year', size: 5 }, '2020–2024', '2020–2024'],
  ] as const)('the bar that begins at %s, of %o, is %s', (start, length, english, dutch) => {
    expect(nameOf(at(start), length)).toBe(english)
    language.value = 'nl'
    expect(nameOf(at(start), length)).toBe(dutch)
    language.value = 'en'
  })

  it('a bar contains its start, but not its end', () =>
    expect([-1, 0, DAY - 1, DAY, 2 * DAY].map((instant) => barIn(countsOf(1, 1), instant))).toEqual([
      ...[null, 0, 0, 1, null],
    ]))

  it('days on a clock that changes have 23 or 25 hours', () => {
    zone.value = 'local'
    const midnights = Array.from({ length: 366 }, (_, i) => new Date(2026, 0, 1 + i).getTime())
    const bins = [midnights[0], midnights[364]].map((start) => [start ?? 0, 1] as const)
    expect(barsOf(summaryOf(bins), DAYS, null).edges).toEqual(midnights)
    zone.value = 'utc'
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
    [6.3, 'linear', [0, 5]],
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

  it.each([
    [2, { unit: 'hour', size: 1 }],
    [24, { unit: 'hour', size: 1 }],
    [97, { unit: 'hour', size: 1 }],
    [5, DAYS],
    [71, DAYS],
    [44, { unit: 'week', size: 1 }],
    [10, { unit: 'month', size: 1 }],
    [61, { unit: 'month', size: 1 }],
    [61, { unit: 'month', size: 3 }],
    [15, { unit: 'year', size: 1 }],
    [61, { unit: 'year', size: 1 }],
    [60, { unit: 'year', size: 5 }],
    [60, { unit: 'year', size: 50 }],
  ] as const)('the time axis of %d bars of %o has labels that do not touch', (count, length) => {
    const edges = [barAt(at('1901-01-07'), length)]
    for (let i = 0; i < count; i++) edges.push(nextBar(edges.at(-1) ?? 0, length))
    for (const width of [280, 380, 560]) {
      const marks = marksOf({ edges, counts: [], length, layers: [] }, width)
      expect(marks.length).toBeGreaterThan(0)
      for (const [i, mark] of marks.entries()) {
        // A digit is at most 7 pixels wide. The last label may use 14 pixels after the end.
        const next = marks[i + 1]?.at ?? 1 + 14 / width
        expect((next - mark.at) * width).toBeGreaterThan(7 * mark.text.length)
      }
    }
  })

  it.each([
    ['2026-02-28T22:00Z', 12, { unit: 'hour', size: 1 }, ['03-01 00:00', '03-01 06:00']],
    ['2026-02-27', 28, DAYS, ['2026-02-27', '2026-03-13']],
    ['2025-12-01', 20, { unit: 'week', size: 1 }, ['2026-01', '2026-04']],
    ['2015-11-01', 30, { unit: 'month', size: 1 }, ['2016', '2017', '2018']],
    ['1905-01-01', 20, { unit: 'year', size: 5 }, ['1920', '1940', '1960', '1980', '2000']],
  ] as const)('an axis from %s with %d bars of %o has the labels %j', (start, count, length, labels) => {
    const edges = [at(start)]
    for (let i = 0; i < count; i++) edges.push(nextBar(edges.at(-1) ?? 0, length))
    expect(marksOf({ edges, counts: [], length, layers: [] }, 280).map(({ text }) => text)).toEqual(labels)
  })

  it('local time moves the names of bars', () => {
    zone.value = 'local'
    expect(labelOf(60_000)(new Date(2020, 5, 1, 7, 30).getTime())).toBe('06-01 07:30')
    zone.value = 'utc'
  })

  it('bars are described by their period and their events, in both languages', () => {
    expect(describeBars(countsOf(1200, 0, 3), [0, 0])).toBe('1 January 1970: 1,200 events')
    language.value = 'nl'
    expect(describeBars(countsOf(1200, 0, 3), [0, 2])).toBe('1 januari 1970 – 3 januari 1970: 1.203 gebeurtenissen')
    language.value = 'en'
  })

  it('some bars are a range from their first instant until their end', () => {
    expect(rangeOf(countsOf(1, 1, 1), [1, 2])).toEqual(['1970-01-02', '1970-01-04'])
    const hours = { edges: [0, 3_600_000], counts: [1], length: { unit: 'hour', size: 1 }, layers: [] } as const
    expect(rangeOf(hours, [0, 0])).toEqual(['1970-01-01', '1970-01-01T01:00:00Z'])
  })
})

describe('the layers of bars', () => {
  it('six entries have layers, and all other events are in the last', () => {
    const twoDays = (first: number, second: number) => [0, DAY].map((day) => [day, day === 0 ? first : second] as const)
    const entries = Array.from({ length: 8 }, (_, i) => ({ value: `c${i}`, count: 2, bins: twoDays(1, 1) }))
    const { layers } = barsOf(summaryOf(twoDays(10, 8), { category: { entries } }), DAYS, 'category')
    expect(layers.map(({ name, counts }) => [name, ...counts])).toEqual([
      ...['c0', 'c1', 'c2', 'c3', 'c4', 'c5'].map((name) => [name, 1, 1]),
      ['Others', 4, 2],
    ])
    expect(new Set(layers.map(({ color }) => color)).size).toBe(7)
  })

  it('series have their own colours, and no layer is without events', () => {
    const entries = [{ name: 'Storms', color: '#123456', count: 1, bins: [[0, 1]] }]
    const { layers } = barsOf(summaryOf([[0, 1]], { event_series: { entries } }), DAYS, 'event_series')
    expect(layers).toEqual([{ name: 'Storms', color: '#123456', count: 1, counts: [1] }])
  })
})

describe('the parts of a bar', () => {
  const layerOf = (color: string, ...counts: number[]) => ({ name: color, color, count: 0, counts })

  it('a bar of one layer is one part, or none without events', () =>
    expect([partsOf(countsOf(4, 0), 0, 0.5), partsOf(countsOf(4, 0), 1, 0)]).toEqual([[{ bottom: 0, top: 0.5 }], []]))

  it('layers are on top of each other and divide the height of the bar by their events', () => {
    const bars = { ...countsOf(4, 2), layers: [layerOf('red', 1, 0), layerOf('blue', 3, 2)] }
    expect(partsOf(bars, 0, 0.8)).toEqual([
      { color: 'red', bottom: 0, top: 0.2 },
      { color: 'blue', bottom: 0.2, top: 0.8 },
    ])
    expect(partsOf(bars, 1, 0.5)).toEqual([{ color: 'blue', bottom: 0, top: 0.5 }])
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

describe('the numbers of the graph', () => {
  const bin = (start: number, count: number, sum: number, min: number, max: number) => ({
    ...{ start, count, sum, min, max, mean: count === 0 ? null : sum / count },
  })

  it('the bins of a bar become one, and a bar without numbers has none', () => {
    const bins = [bin(0, 2, 30, 10, 20), bin(DAY, 1, 60, 60, 60), bin(3 * DAY, 1, -5, -5, -5), bin(4 * DAY, 0, 0, 0, 0)]
    expect(statisticsIn([0, 2 * DAY, 3 * DAY, 4 * DAY, 5 * DAY], bins)).toEqual(
      [{ start: 0, count: 3, sum: 90, mean: 30, min: 10, max: 60 }, null, { ...bins[2] }, null].map(
        (each) =>
          each &&
          expect.objectContaining({ count: each.count, sum: each.sum, mean: each.mean, min: each.min, max: each.max }),
      ),
    )
  })

  it.each([
    [0, 10, [0, 5, 10]],
    [-1, 1, [-1, 0, 1]],
    [0.05, 0.35, [0.1, 0.2, 0.3]],
    [100, 160, [100, 120, 140, 160]],
    [1e6, 3e6, [1e6, 2e6, 3e6]],
  ])('an axis from %d to %d has round ticks', (least, greatest, ticks) => {
    expect(ticksBetween(least, greatest)).toEqual(ticks)
  })

  it.each([
    // A sum begins at zero, and so does a number that is not far from it. A level begins where it is.
    [[50, 100], true, [0, 100 / 110]],
    [[10, 100], false, [0, 100 / 110]],
    [[-50, 50], true, [60 / 120, 110 / 120]],
    [[140, 160], false, [null, 22 / 24]],
    [[7], false, [null, 0.5]],
  ] as const)('of %j, sums: %s, zero and the greatest stand at %j', (values, areSums, [zero, greatest]) => {
    const { placeOf } = numberAxis(values, areSums)
    if (zero === null) expect(placeOf(0)).toBeLessThan(0)
    else expect(placeOf(0)).toBeCloseTo(zero)
    expect(placeOf(Math.max(...values))).toBeCloseTo(greatest)
  })

  it.each([
    // Few different numbers have a bar each.
    ['few', [0, 0, 1, 3], [0, 1, 3], [0, 1, 3], [2, 1, 1]],
    ['even', Array.from({ length: 101 }, (_, i) => i), [0, 10, 20], [10, 20, 30], [10, 10, 10]],
    // Most numbers of a series of overflows are small.
    ['uneven', [...Array.from({ length: 50 }, (_, i) => i + 1), 4000], [1, 2, 5], [2, 5, 10], [1, 3, 5]],
    ['below zero', Array.from({ length: 41 }, (_, i) => i - 20), [-20, -15, -10], [-15, -10, -5], [5, 5, 5]],
  ])('a histogram of %s numbers has round ends, and counts each number once', (_, numbers, from, until, counts) => {
    const bars = histogramOf(numbers)
    expect([bars.map((bar) => bar.from), bars.map((bar) => bar.until), bars.map(({ count }) => count)]).toEqual(
      [from, until, counts].map((first) => expect.arrayContaining(first)),
    )
    expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(numbers.length)
    expect([bars[0]?.from, bars.at(-1)?.until]).toEqual([numbers[0], numbers.at(-1)])
    expect(bars.length).toBeLessThanOrEqual(16)
  })

  it.each([
    // A filter cuts the bars at its ends.
    ['2025-10-15', '2026-03-20', ['Oct 15 – 31, 2025', 'Mar 1 – 19, 2026']],
    ['2025-10-01', '2026-04-01', []],
    // Without one, the data begin after many days without an event, and end before others.
    ['', '', ['Oct 20 – 31, 2025', 'Mar 1 – 11, 2026']],
  ])('of the months from %s to %s, the graph marks as incomplete: %j', (from, before, incomplete) => {
    const [start, end] = [at('2025-10-20'), at('2026-03-11')]
    const bins = ['2025-10-01', '2026-01-01', '2026-03-01'].map((month) => [at(month), 48] as const)
    const summary = { count: 142, time: { start, end, bins } } as unknown as SummaryAnswer
    const bars = withParts(
      barsOf(summary, { unit: 'month', size: 1 }, null),
      { from: at(from), before: at(before) },
      summary,
    )
    const tips = bars.counts.map((_, bar) => describeBars(bars, [bar, bar]))
    const told = tips.flatMap((tip) => /\(incomplete: (.*)\)/.exec(tip)?.[1]?.replaceAll('\u2009', ' ') ?? [])
    expect(told).toEqual(incomplete)
  })

  it('the bars of an earlier period stand beside those at the same distance from its begin', () => {
    const months = { unit: 'month', size: 1 } as const
    const barsFrom = (...starts: string[]) =>
      barsOf(summaryOf(starts.map((start, i) => [at(start), i + 1] as const)), months, null)
    const now = barsFrom('2025-11-01', '2026-01-01', '2026-03-01')
    const past = barsFrom('2024-10-01', '2025-01-01', '2025-03-01')
    const beside = besidePast(now, past, [at('2025-10-01'), at('2024-10-01')], '2024/25')
    // October has no bar of its own.
    expect([now.counts, beside.past?.values]).toEqual([
      [1, 0, 2, 0, 3],
      [0, 0, 2, 0, 3],
    ])
    const before = besidePast(
      now,
      barsFrom('2025-04-01', '2025-05-01'),
      [at('2025-10-01'), at('2025-04-01')],
      'Earlier',
    )
    expect(before.past?.values).toEqual([2, null, null, null, null])
    expect(describeBars(beside, [2, 2])).toBe('January 2026: 2 events, 2024/25: 2')
  })
})
