import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_GROUPS } from '../../../../src/engine/limits.ts'
import { histogram } from '../../../../src/engine/shared/summary/histogram.ts'
import { MAX_BINS, UNITS } from '../../../../src/engine/summaries.ts'
import { cellIn } from '../../../../src/geometry/cell.ts'

const SIDE = 2 ** 26
const DAY = 86_400_000
const REACH = 8_640_000_000_000_000

interface Added {
  readonly rows: number
  readonly start: number
  readonly place: readonly [column: number, row: number] | null
}

/** Groups all rows at the end, as finely as the limits allow. */
const slow = (added: readonly Added[], maxBins: number, maxLevel: number) => {
  const starts = added.map(({ start }) => start)
  const [least, greatest] = [Math.min(...starts), Math.max(...starts)]
  const binAt = (step: number) => (start: number) => Math.floor(start / 2 ** step)
  const fits = (step: number) => {
    const [first, last] = [binAt(step)(least), binAt(step)(greatest)]
    return last - first < Math.max(maxBins, 2)
  }
  const only = maxBins === 1 && added.length > 0
  let step = only ? Math.ceil(Math.log2(greatest - least + 1)) : 0
  while (!only && added.length > 0 && !fits(step)) step += 1
  const placed = added.flatMap(({ rows, place }) => (place === null ? [] : [{ rows, place }]))
  const cellsAt = (level: number) => {
    const size = 2 ** (26 - level)
    return grouped(
      placed.map(({ rows, place: [column, row] }) => [cellIn(Math.floor(column / size), Math.floor(row / size)), rows]),
    )
  }
  let level = maxLevel
  while (cellsAt(level).size > MAX_GROUPS) level -= 1
  return {
    count: added.reduce((sum, { rows }) => sum + rows, 0),
    least: added.length === 0 ? null : least,
    greatest: added.length === 0 ? null : greatest,
    step: 2 ** step,
    bins: grouped(added.map(({ rows, start }) => [only ? least : binAt(step)(start) * 2 ** step, rows])),
    level,
    cells: cellsAt(level),
  }
}

const grouped = (pairs: readonly (readonly [key: number, rows: number])[]): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const [key, rows] of pairs) counts.set(key, (counts.get(key) ?? 0) + rows)
  return counts
}

const groupsOf = (added: readonly Added[], bins: number, level: number) => {
  const { addStart, addCell, groups } = histogram({ bins, zone: null, from: null, level })
  for (const { rows, start, place } of added) {
    addStart(rows, start)
    if (place !== null) addCell(rows, cellIn(...place))
  }
  const { binOf, ...counted } = groups()
  for (const { start } of added) expect(counted.bins.has(binOf(start))).toBe(true)
  return counted
}

describe('a histogram that is filled row by row equals the grouped rows', () => {
  it('with more cells than the limit', () => {
    const added = Array.from({ length: 3 * MAX_GROUPS }, (_, i): Added => {
      const place = [((i * 7919) % 4096) * 2 ** 14, ((i * 104_729) % 4096) * 2 ** 14] as const
      return { rows: 1 + (i % 3), start: i, place }
    })
    for (const level of [12, 7, 6, 0]) expect(groupsOf(added, 100, level)).toEqual(slow(added, 100, level))
  })

  it('with random rows', () => {
    const start = fc.oneof(fc.integer({ min: -300, max: 300 }), fc.integer({ min: -REACH, max: REACH }))
    const at = fc.oneof(fc.nat(SIDE - 1), fc.constantFrom(0, SIDE - 1, SIDE / 2, SIDE / 2 - 1))
    const one = fc.record({ rows: fc.integer({ min: 1, max: 9 }), start, place: fc.option(fc.tuple(at, at)) })
    fc.assert(
      fc.property(
        fc.array(one, { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        fc.nat(12),
        (added, bins, level) => {
          expect(groupsOf(added, bins, level)).toEqual(slow(added, bins, level))
        },
      ),
      { seed: 20_261_121, numRuns: 200 },
    )
  })

  it('a unit with one bin more than the limit is an error', () => {
    for (const unit of UNITS) {
      const { addStart, groups } = histogram({ bins: unit, zone: null, from: null, level: 0 })
      const at = (i: number) =>
        Date.UTC(2000 + (unit === 'year' ? i : 0), unit === 'month' ? i : 0, 3) +
        (i % 2) +
        i * { hour: 3_600_000, day: DAY, week: 7 * DAY, month: 0, year: 0 }[unit]
      for (let i = 0; i < MAX_BINS; i++) addStart(2, at(i))
      expect([groups().bins.size, groups().count, new Set(groups().bins.values())]).toEqual([
        MAX_BINS,
        2 * MAX_BINS,
        new Set([2]),
      ])
      expect(() => addStart(1, at(MAX_BINS))).toThrow()
    }
  })
})
