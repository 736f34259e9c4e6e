import { inZone } from '../state/format.ts'
import type { SummaryAnswer } from '../state/known.ts'
import { firstOf } from '../state/read/times.ts'
import { texts } from '../state/text.ts'

export type BarSummary = SummaryAnswer['time']

/** The starts of bars, which are `step` milliseconds long, and the events of each. */
export interface Bars {
  readonly starts: readonly number[]
  readonly counts: readonly number[]
  readonly step: number
}

/** The first and the last of some bars. */
export type Choice = readonly [first: number, last: number]

/** Returns the bars of a summary. Empty bins are included, because uPlot derives the width of bars from their distance. */
export const barsOf = ({ bins, step: given }: BarSummary): Bars => {
  const step = Math.max(1, given ?? 1)
  const [first = 0] = bins[0] ?? []
  const [last = first] = bins.at(-1) ?? []
  const starts = Array.from({ length: Math.round((last - first) / step) + 1 }, (_, i) => first + i * step)
  return { starts, counts: countsAt(starts, bins), step }
}

/** Returns the count of the bin at each start. */
export const countsAt = (starts: readonly number[], bins: BarSummary['bins']): number[] => {
  const counts = new Map(bins.map(([at, count]) => [at, count]))
  return starts.map((at) => counts.get(at) ?? 0)
}

/** The largest bar of uneven data is this many times as large as the median. Then small bars cannot be seen. */
const UNEVEN = 50

/** Tests if the largest bar hides the others on a linear scale. */
export const isUneven = ({ counts }: Bars): boolean => {
  const sorted = counts.filter((count) => count > 0).sort((a, b) => a - b)
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  return (sorted.at(-1) ?? 0) > UNEVEN * median
}

/** The heights of counts. Zero has no height on both scales. */
export const SCALES = {
  linear: { heightOf: (count: number) => count, countAt: (height: number) => height },
  root: { heightOf: Math.sqrt, countAt: (height: number) => height ** 2 },
} as const

export type Scale = keyof typeof SCALES

/** The least distance of two labels of the axis, as a part of its length. */
const DISTANCE = 0.3

/** Returns round counts for an axis that ends at the height `greatest`. The first is zero. */
export const ticksOf = (greatest: number, scale: Scale): number[] => {
  const { heightOf, countAt } = SCALES[scale]
  const ticks: number[] = []
  for (let end = greatest; end >= DISTANCE * greatest; ) {
    const tick = roundDown(countAt(end))
    const height = heightOf(tick)
    if (tick < 1 || height < DISTANCE * greatest) break
    ticks.unshift(tick)
    end = Math.min(height / (scale === 'linear' ? 2 : 1), height - DISTANCE * greatest)
  }
  return [0, ...ticks]
}

/** Returns the largest count such as 1, 2, 5, 10 or 20 that is not above another. */
const roundDown = (count: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, count)))
  return ([5, 2, 1].find((each) => each * power <= count) ?? 0) * power
}

const DAY = 86_400_000 // milliseconds

/** Formats an instant in the zone of the page. The step of the axis decides how exact the text is. */
export const labelOf = (step: number) => (at: number) => {
  const text = inZone(at)
  if (step >= 365 * DAY) return text.slice(0, -19)
  if (step >= 28 * DAY) return text.slice(0, -16)
  if (step >= DAY) return text.slice(0, -13)
  return step >= 60_000 ? text.slice(-18, -7).replace('T', ' ') : text.slice(-12, -4)
}

/** Describes some bars by their period and their events. */
export const describeBars = ({ starts, counts, step }: Bars, [first, last]: Choice): string => {
  const label = labelOf(step)
  const [from = 0, to = 0] = [starts[first], starts[last]]
  const period = last > first ? `${label(from)} ${texts().units.until} ${label(to)}` : label(from)
  const events = counts.slice(first, last + 1).reduce((sum, count) => sum + count, 0)
  return `${period}: ${texts().list.counted('events', events)}`
}

const ROUND = [DAY, 3_600_000, 60_000, 1000, 1]

/** Writes a range in ISO 8601. Rounds to the largest unit that is at most a hundredth of the range. */
export const rangeOf = (from: number, to: number): readonly [from: string, before: string] => {
  const unit = ROUND.find((each) => each <= (to - from) / 100) ?? 1
  const start = Math.round(from / unit) * unit
  return [firstOf(start), firstOf(Math.max(Math.round(to / unit) * unit, start + unit))]
}
