import type { SummaryAnswer } from '../state/known.ts'
import { firstOf } from '../state/read/times.ts'
import { type BarLength, barAt, barLengthOf, nextBar } from '../state/units.ts'

export type BarSummary = SummaryAnswer['time']

/** Bars that touch each other. */
export interface Bars {
  /** The first instants of the bars, and the end of the last bar. */
  readonly edges: readonly number[]
  readonly counts: readonly number[]
  readonly length: BarLength
}

/** The first and the last of some bars. */
export type Choice = readonly [first: number, last: number]

/** Returns the length of the bars that suit a summary. Bins begin with the filtered period. Null without events. */
export const lengthFor = ({ start, end, bins }: BarSummary): BarLength | null =>
  start === null || end === null ? null : barLengthOf(end - Math.max(start, bins[0]?.[0] ?? start))

/** Returns the bars of a summary, also the empty ones between others. Its bins are not longer than the bars. */
export const barsOf = ({ bins }: Pick<BarSummary, 'bins'>, length: BarLength): Bars => {
  const [first, last] = [bins[0]?.[0], bins.at(-1)?.[0]]
  if (first === undefined || last === undefined) return { edges: [], counts: [], length }
  const edges = [barAt(first, length)]
  while ((edges.at(-1) ?? last) <= last) edges.push(nextBar(edges.at(-1) ?? last, length))
  return { edges, counts: countsIn(edges, bins), length }
}

/** Returns the sum of the bins in each bar. */
export const countsIn = (edges: readonly number[], bins: BarSummary['bins']): number[] => {
  const counts = edges.slice(1).map(() => 0)
  let bar = 0
  for (const [at, count] of bins) {
    while (at >= (edges[bar + 1] ?? Number.POSITIVE_INFINITY)) bar++
    counts[bar] = (counts[bar] ?? 0) + count
  }
  return counts
}

/** Returns the number of the bar that contains an instant. Returns null outside of all bars. */
export const barIn = ({ edges, counts }: Bars, instant: number): number | null => {
  const bar = edges.findLastIndex((edge) => edge <= instant)
  return bar >= 0 && bar < counts.length ? bar : null
}

/** The largest bar of uneven data is this many times as large as the median. Then small bars cannot be seen. */
const UNEVEN = 50

/** Tests if the largest bar hides the others on a linear scale. */
export const isUneven = ({ counts }: Bars): boolean => {
  const sorted = counts.filter((count) => count > 0).sort((a, b) => a - b)
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  return (sorted.at(-1) ?? 0) > UNEVEN * median
}

/** Writes the period of some bars in ISO 8601. It includes its start, but not its end. */
export const rangeOf = ({ edges }: Bars, [first, last]: Choice): readonly [from: string, before: string] => [
  firstOf(edges[first] ?? 0),
  firstOf(edges[last + 1] ?? 0),
]

/** Returns the bars that a key chooses. Arrows move the choice, Shift moves its end. Null for other keys. */
export const moved = (
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
  [from, to]: Choice,
  last: number,
): Choice | null => {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    PageDown: -Math.ceil(last / 10),
    PageUp: Math.ceil(last / 10),
    Home: -last,
    End: last,
  }
  const by = steps[key]
  if (by === undefined) return null
  const within = (at: number) => Math.max(0, Math.min(last, at))
  if (shiftKey) return [from, Math.max(from, within(to + by))]
  // At first all bars are chosen. Then an arrow chooses the first or the last bar.
  if (from === 0 && to === last) return by > 0 ? [0, 0] : [last, last]
  const begin = within(from + by)
  return [begin, within(begin + to - from)]
}
