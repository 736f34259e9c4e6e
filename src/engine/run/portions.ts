import { at, bisect } from '../../collections.ts'
import type { Facts } from '../candidates/facts.ts'
import type { Path } from '../candidates/paths.ts'
import { ANY } from '../conditions/bounds.ts'
import type { Plan } from '../plan/choose.ts'
import { numbersOf, type ValueRange } from '../sql/counts.ts'
import type { Statistics } from './cache.ts'

/** A range of starts, or null for all rows of the path. */
export type Portion = ValueRange | null

const ALL_TIME = numbersOf(ANY)

/**
 * Splits a path into portions with probably at most `most` rows each. Without an estimate it returns a single portion.
 */
export const portionsOf = (
  { statistics, bounds }: Facts,
  { isGuess, rows }: Pick<Path, 'isGuess' | 'rows'>,
  most: number,
): readonly Portion[] => {
  const parts = Math.ceil((1.5 * rows) / most)
  if (parts < 2 || isGuess) return [null]
  return cut(statistics, numbersOf(bounds.start), parts)
}

/** Cuts a range of starts into parts with about equal rows. Returns fewer parts if many rows start at one instant. */
const cut = (statistics: Statistics, [first, last]: ValueRange, parts: number): readonly ValueRange[] => {
  const upTo = (value: number) => statistics.inStart([BigInt(first), BigInt(value)])
  const total = upTo(last)
  const ends = Array.from({ length: parts - 1 }, (_, i) =>
    bisect(first, last, (middle) => upTo(middle) < (total * (i + 1)) / parts),
  )
  const cuts = [...new Set([first - 1, ...ends.filter((end) => end < last), last])]
  return cuts.slice(1).map((end, i): ValueRange => [at(cuts, i) + 1, end])
}

/**
 * Splits a portion that had too many rows. If the size of the path was a guess, it now assumes that every row matches.
 * Otherwise it returns two portions with about equal rows.
 */
export const split = (facts: Facts, { narrow }: Plan, portion: Portion, most: number): readonly Portion[] => {
  if (portion === null && narrow.isGuess)
    return portionsOf(facts, { rows: Math.max(facts.statistics.total, 2 * most) }, most)
  const [first, last] = portion ?? ALL_TIME
  const halves = cut(facts.statistics, [first, last], 2)
  // Without statistics, or if all rows start at the end of the range, the range of time is halved.
  const middle = Math.floor(first + (last - first) / 2)
  return halves.length === 2 && facts.statistics.inStart([BigInt(first), BigInt(last)]) > 0
    ? halves
    : [
        [first, middle],
        [middle + 1, last],
      ]
}
