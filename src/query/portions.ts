import type { Statistics } from './db/cache.ts'
import { numbersOf, type Range } from './db/counts.ts'
import { ANY } from './plan/bounds.ts'
import type { Plan } from './plan/choose.ts'
import type { Facts } from './plan/facts.ts'
import type { Path } from './plan/paths.ts'

/** Starts from first to last; null: all that the path leads to. */
export type Portion = Range | null

const ALL_TIME = numbersOf(ANY)

/** As many portions of at most so many rows as are likely to be taken at once each, by where the starts lie; where nothing is known, one. */
export const portionsOf = (
  { statistics, bounds }: Facts,
  { isGuess, rows }: Pick<Path, 'isGuess' | 'rows'>,
  most: number,
): readonly Portion[] => {
  const parts = Math.ceil((1.5 * rows) / most)
  if (parts < 2 || isGuess) return [null]
  return cut(statistics, numbersOf(bounds.start), parts)
}

/** Cuts a range of starts into parts that hold as many rows each, as far as is known; into fewer where an instant holds several parts. */
const cut = (statistics: Statistics, [first, last]: Range, parts: number): readonly Range[] => {
  const upTo = (value: number) => statistics.inStart([BigInt(first), BigInt(value)])
  const whole = upTo(last)
  const ends = Array.from({ length: parts - 1 }, (_, i) => {
    let [low, high] = [first, last]
    while (low < high) {
      const middle = Math.floor(low + (high - low) / 2)
      if (upTo(middle) < (whole * (i + 1)) / parts) low = middle + 1
      else high = middle
    }
    return low
  })
  const cuts = [...new Set([first - 1, ...ends.filter((end) => end < last), last])]
  return cuts.slice(1).map((end, i): Range => [(cuts[i] ?? first) + 1, end])
}

/** Of what was too much: of all that there may be, once it is known to be much, else two parts, as many rows in each as far as is known. */
export const split = (facts: Facts, { narrow }: Plan, portion: Portion, most: number): readonly Portion[] => {
  if (portion === null && narrow.isGuess)
    return portionsOf(facts, { rows: Math.max(facts.statistics.total, 2 * most) }, most)
  const [first, last] = portion ?? ALL_TIME
  const halves = cut(facts.statistics, [first, last], 2)
  // Nothing is known of it, or that all starts at its end.
  const middle = Math.floor(first + (last - first) / 2)
  return halves.length === 2 && facts.statistics.inStart([BigInt(first), BigInt(last)]) > 0
    ? halves
    : [
        [first, middle],
        [middle + 1, last],
      ]
}
