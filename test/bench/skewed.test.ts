import { describe, expect, it } from 'vitest'
import { parseRecord } from '../../src/store/records.ts'
import { records } from './events.ts'
import { BIG_TOWNS, skewed, skewedEvents, townsOf } from './skewed.ts'

const EVENTS = 20_000
const DAY = 86_400_000
const events = [...skewedEvents(EVENTS)]

/** Returns the size of the largest group. */
const most = (groupOf: (event: (typeof events)[number]) => unknown): number =>
  Math.max(...[...Map.groupBy(events, groupOf).values()].map((alike) => alike.length))

const share = (is: (event: (typeof events)[number]) => boolean): number => events.filter(is).length / EVENTS

describe('records of skewed events', () => {
  it('can be loaded', () => {
    for (const record of [...skewed(1000), ...records(1000)].filter(({ kind }) => kind === 'event')) {
      expect(parseRecord(JSON.stringify(record))).toMatchObject(record)
    }
  })

  it('are the same for the same seed at any length, and differ for another seed', () => {
    expect([...skewedEvents(1000)]).toEqual(events.slice(0, 1000))
    expect([...skewedEvents(1000, 2)]).not.toEqual(events.slice(0, 1000))
  })

  it.each([
    ['have no duration', ({ start, end }) => start === end, 0.28, 0.32],
    ['last up to two days', ({ start, end }) => end > start && end - start <= 2 * DAY, 0.6, 0.65],
    ['last longer than a month', ({ start, end }) => end - start > 30 * DAY, 0.04, 0.06],
    ['have an object', ({ object }) => object !== null, 0.18, 0.22],
    ['start at a whole hour', ({ start }) => start % 3_600_000 === 0, 0.24, 0.27],
    ['have one of the 16 common categories', ({ category }) => / report$/.test(category), 0.6, 0.75],
  ] satisfies [string, Parameters<typeof share>[0], number, number][])('%s', (_, is, least, greatest) => {
    expect(share(is)).toBeGreaterThan(least)
    expect(share(is)).toBeLessThan(greatest)
  })

  it('are dense in one cell of level 6, at one position and in one series', () => {
    const cell = ([x, y]: readonly number[] = []) =>
      [x, y].map((of, i) => Math.floor(((of ?? 0) * 2 ** i) / 5.625)).join()
    expect(most(({ coordinates }) => cell(coordinates ?? []))).toBeGreaterThan(EVENTS / 5)
    expect(most(({ coordinates }) => String(coordinates))).toBeGreaterThan(3)
    expect(most(({ series }) => series)).toBeGreaterThan(EVENTS / 40)
  })

  it('have large towns close to each other', () => {
    const [first, ...rest] = townsOf(1).slice(0, BIG_TOWNS)
    for (const { x, y } of rest) expect(Math.hypot(x - (first?.x ?? 0), y - (first?.y ?? 0))).toBeLessThan(5)
  })
})
