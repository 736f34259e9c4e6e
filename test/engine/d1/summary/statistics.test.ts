import { beforeAll, describe, expect, it } from 'vitest'
import { doubleOfKey, keyOfDouble } from '../../../../src/question/range.ts'
import { naiveNumber } from '../../../filters/numbers.ts'
import type { EventRecord } from '../../../records.ts'
import { get, load } from '../../../service.ts'
import { splitRows } from '../../../tags.ts'
import { FILTERS } from '../../filters.ts'
import { slowStartOf, type Unit } from '../../slow.ts'
import { EVENTS, foundation, isVisible, LEVELS, type Level, makeEvents, SERIES, seenBy } from '../../world.ts'

const LARGE = ['1e308', '1.5e308 Pa', '-1e308', '1e-300', '0.1 m', '0.2', '0.3', '9007199254740993', '-.7']
/** The numbers of one series are as different as doubles can be. */
const made = makeEvents(1200, 77, 1400).map((event, i) =>
  event.series === 3 ? { ...event, value: LARGE[i % LARGE.length] ?? '' } : event,
)
const levels = Object.keys(LEVELS) as Level[] // the keys of the constant

beforeAll(() => load([...foundation, ...made]))

const view = new DataView(new ArrayBuffer(8))
/** Returns a double as a multiple of 2^-1074, from its sign, exponent and mantissa. */
const unitsOf = (number: number): bigint => {
  view.setFloat64(0, Math.abs(number))
  const bits = view.getBigUint64(0)
  const [exponent, mantissa] = [bits >> 52n, bits & (2n ** 52n - 1n)]
  const units = exponent === 0n ? mantissa : (mantissa | (2n ** 52n)) << (exponent - 1n)
  return number < 0 ? -units : units
}

const isOdd = (number: number): boolean => {
  view.setFloat64(0, number)
  return view.getBigUint64(0) % 2n === 1n
}

/** Walks from a sum with rounding errors to the double next to the exact quotient. Null: it is beyond a double. */
const quotientOf = (numbers: readonly number[], by: number): number | null => {
  const exact = numbers.reduce((sum, number) => sum + unitsOf(number), 0n)
  if ((exact < 0n ? -exact : exact) / BigInt(by) > unitsOf(Number.MAX_VALUE)) return null
  const distance = (number: number) => {
    const difference = unitsOf(number) * BigInt(by) - exact
    return difference < 0n ? -difference : difference
  }
  const rough = numbers.reduce((sum, number) => sum + number / by, 0)
  let best = Number.isFinite(rough) ? rough : 0
  // Good steps get longer, and bad ones shorter, down to neighbouring doubles.
  for (let step = 1n; step > 0n; ) {
    const others = [-step, step].map((way) => doubleOfKey(keyOfDouble(best) + way)).filter(Number.isFinite)
    const better = others.find((other) => distance(other) < distance(best))
    step = better === undefined ? step / 2n : step * 2n
    best = better ?? best
  }
  // Of two doubles at one distance, the even one is next.
  const tied = [-1n, 1n]
    .map((way) => doubleOfKey(keyOfDouble(best) + way))
    .find((each) => distance(each) === distance(best))
  return tied !== undefined && isOdd(best) ? tied : best
}

const statisticsOf = (events: readonly EventRecord[]) => {
  const numbers = events.flatMap(({ value }) => naiveNumber(value) ?? [])
  const [count, without] = [numbers.length, events.length - numbers.length]
  if (count === 0) return { count, min: null, max: null, mean: null, sum: null, without }
  const [min, max] = [Math.min(...numbers), Math.max(...numbers)]
  return { count, min, max, mean: quotientOf(numbers, count), sum: quotientOf(numbers, 1), without }
}

const FACETS: Readonly<Record<string, (event: EventRecord) => unknown>> = {
  category: ({ category }) => category,
  event_series: ({ series }) => SERIES[series - 1]?.name,
  object_type__model: ({ object }) => object?.model,
}

/** Compares the statistics of an answer with those of each of its groups. */
const expectStatistics = async (query: string, unit: Unit, matches: (event: EventRecord) => boolean, level: Level) => {
  const path = `${EVENTS}summary/?statistics=value&bins=${unit}&facets=${Object.keys(FACETS)}&${query}`
  const answer = await get(path, seenBy(level))
  const found = made.filter((event) => isVisible(event, level) && matches(event))
  const { bins, ...whole } = answer.statistics.value
  expect(whole, path).toEqual(statisticsOf(found))
  const starts = [...Map.groupBy(found, ({ start }) => slowStartOf(unit, start))].sort(([a], [b]) => a - b)
  expect(bins, path).toEqual(
    starts.map(([start, group]) => ({ start, ...statisticsOf(group) })).filter(({ count }) => count > 0),
  )
  for (const [name, keyOfDouble] of Object.entries(FACETS))
    for (const { value, name: series, statistics } of answer.facets[name].entries)
      expect(statistics.value, path).toEqual(
        statisticsOf(found.filter((event) => keyOfDouble(event) === (value ?? series))),
      )
}

describe('the statistics of values', () => {
  for (const [options, some] of splitRows(4, levels))
    it.each(some)('equal those of plain numbers, at the level %s', options, async (level) => {
      await expectStatistics('', 'month', () => true, level)
      for (const { query, matches } of FILTERS.filter((_, i) => i % 9 === 4 + levels.indexOf(level)))
        await expectStatistics(query, 'year', matches, level)
    })

  it('have the bins of the answer', async () => {
    for (const query of [
      'bins=1',
      'bins=5',
      'bins=200&category=flood',
      'bins=1&value__gt=2',
      'bins=day&timezone=Europe/Amsterdam',
    ]) {
      const { time, statistics } = await get(`${EVENTS}summary/?statistics=value&${query}`, seenBy('Hidden'))
      const starts = time.bins.map(([start]: [number]) => start)
      for (const { start } of statistics.value.bins) expect(starts).toContain(start)
      const sum = statistics.value.bins.reduce((count: number, bin: { count: number }) => count + bin.count, 0)
      expect(sum).toBe(statistics.value.count)
    }
  })

  it('are the same for rows of an area and of a path', async () => {
    const world = 'geom_within=POLYGON((-181+-91,181+-91,181+91,0+92,-181+91,-181+-91))'
    const placed = made.filter(({ coordinates }) => coordinates !== null)
    const { count, statistics } = await get(`${EVENTS}summary/?statistics=value&${world}`, seenBy('Hidden'))
    expect([count, statistics.value]).toEqual([placed.length, { ...statisticsOf(placed), bins: expect.any(Array) }])
  })

  it('are absent if the request names none, and null without a number', async () => {
    expect(Object.keys(await get(`${EVENTS}summary/`))).toEqual([
      'count',
      'time',
      'spatial_bounds',
      'density',
      'without_geometry',
    ])
    const { count, statistics } = await get(`${EVENTS}summary/?statistics=value&value=D%C3%BCrre`)
    expect(count).toBeGreaterThan(0)
    const none = { count: 0, min: null, max: null, mean: null, sum: null, without: count }
    expect(statistics).toEqual({ value: { ...none, bins: [] } })
  })
})
