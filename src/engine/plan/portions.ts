import { at, bisect } from '../../collections.ts'
import { rowsIn, STATISTICS_SHIFTS, type Statistics, weightBy } from '../candidates/nodes.ts'
import type { Region, WeighedCell } from '../candidates/region.ts'
import { ANY, numbersOf, type ValueRange } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import type { Plan } from './plan.ts'

/** A chunk of cells is filled to this part of what a query returns. The estimates are rough, so the rest is a reserve. */
const LIKELY = 0.7

/**
 * Groups cells into few chunks, so that one query can probably return all rows of a chunk. The cells of a chunk keep their
 * order. Splits cells that are too large for one chunk. `most` is the most rows that a query returns.
 */
export const chunksOf = (
  cells: readonly WeighedCell[],
  { nodes }: Region,
  statistics: Statistics,
  most: number,
): ValueRange[][] => {
  const likely = LIKELY * most
  const weight = weightBy(nodes, statistics)
  const partsOf = ({ range, rows }: WeighedCell): WeighedCell[] => {
    const [first, last] = range
    if (rows <= likely || first === last) return [{ range, rows }]
    const quarter = (last - first + 1) / 4
    return [0, 1, 2, 3].flatMap((i) => {
      const part: ValueRange = [first + i * quarter, first + (i + 1) * quarter - 1]
      return partsOf({ range: part, rows: weight(0, ...part) })
    })
  }
  const chunks: { readonly ranges: ValueRange[]; expected: number }[] = []
  for (const { range, rows } of cells.flatMap(partsOf)) {
    const chunk = chunks.find(({ expected }) => expected + rows <= likely)
    if (chunk === undefined) chunks.push({ ranges: [range], expected: rows })
    else {
      chunk.ranges.push(range)
      chunk.expected += rows
    }
  }
  return chunks.map(({ ranges }) => ranges)
}

/** A range of starts, or null for all rows of the path. */
export type Starts = ValueRange | null

/**
 * Splits the path into portions with probably at most as many rows as a query returns. Without an estimate it returns a
 * single portion.
 */
export const startsOf = (search: Search, plan: Plan, statistics: Statistics, most: number): readonly Starts[] => {
  const { narrow, entries } = plan
  const parts = Math.ceil((1.5 * narrow.rows) / most)
  const whole = numbersOf(search.bounds.start)
  return parts < 2 || narrow.isGuess ? [null] : cut(statistics, whole, parts, keptPeriod(entries, whole))
}

/**
 * Returns the nodes of statistics in which the entries have rows, within a range of starts. It is the whole range if this
 * is unknown.
 */
const keptPeriod = (entries: Plan['entries'], [first, last]: ValueRange): ValueRange => {
  const kept = entries.flatMap((each) => each.kept ?? [])
  if (kept.length === 0) return [first, last]
  const size = 2 ** STATISTICS_SHIFTS.start
  const from = Math.floor(Math.min(...kept.map(({ start }) => start ?? Infinity)) / size) * size
  const to = Math.ceil(Math.max(...kept.map(({ end }) => end ?? -Infinity)) / size) * size
  return from > last || to < first ? [first, last] : [Math.max(first, from), Math.min(last, to)]
}

/**
 * Cuts a range of starts into parts with about equal rows, if all rows start from `from` to `to`. Returns fewer parts if
 * many rows start at one instant.
 */
const cut = (
  { starts }: Statistics,
  [first, last]: ValueRange,
  parts: number,
  [from, to]: ValueRange = [first, last],
): readonly ValueRange[] => {
  const total = rowsIn(starts, from, to)
  const ends = Array.from({ length: parts - 1 }, (_, i) =>
    bisect(from, to, (middle) => rowsIn(starts, from, middle) < (total * (i + 1)) / parts),
  )
  const cuts = [...new Set([first - 1, ...ends.filter((end) => end < last), last])]
  return cuts.slice(1).map((end, i): ValueRange => [at(cuts, i) + 1, end])
}

/**
 * Splits a portion that had too many rows into two with about equal rows. If the size of the path was a guess, it now
 * assumes that every row matches.
 */
export const split = (
  search: Search,
  { narrow }: Plan,
  statistics: Statistics,
  most: number,
  range: Starts,
): readonly ValueRange[] => {
  if (range === null && narrow.isGuess) {
    const rows = Math.max(statistics.total, 2 * most)
    return cut(statistics, numbersOf(search.bounds.start), Math.ceil((1.5 * rows) / most))
  }
  const [first, last] = range ?? numbersOf(ANY)
  const halves = cut(statistics, [first, last], 2)
  if (halves.length === 2 && rowsIn(statistics.starts, first, last) > 0) return halves
  // Without statistics, or if all rows start at the end of the range, the range of time is halved.
  const middle = Math.floor(first + (last - first) / 2)
  return [
    [first, middle],
    [middle + 1, last],
  ]
}
