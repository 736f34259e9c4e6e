import { inZone } from '../state/format.ts'
import type { SummaryAnswer } from '../state/known.ts'
import { firstOf } from '../state/read/times.ts'
import { language, texts } from '../state/text.ts'
import { type BarLength, barAt, barLengthOf, dateAt, nextBar } from '../state/units.ts'
import { timeTexts } from './text.ts'

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

/** Names the period of a bar, such as March 2026, week 3 2026 or 2020–2024. */
export const nameOf = (start: number, { unit, size }: BarLength): string => {
  const [year, month, day] = dateAt(start)
  const { week, quarter } = timeTexts()
  if (unit === 'year') return size === 1 ? String(year) : `${year}–${year + size - 1}`
  if (unit === 'month') return size === 1 ? `${monthOf(month)} ${year}` : `${quarter} ${month / size + 1} ${year}`
  if (unit === 'week') return `${week} ${weekOf(year, month, day).join(' ')}`
  const date = `${day} ${monthOf(month)} ${year}`
  return unit === 'day' ? date : `${date} ${inZone(start).slice(-12, -7)}`
}

const monthOf = (month: number): string =>
  new Intl.DateTimeFormat(language.value, { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2000, month))

/** Returns the number and the year of the week that begins on a Monday (ISO 8601). Its Thursday decides the year. */
const weekOf = (year: number, month: number, day: number): readonly [week: number, year: number] => {
  const thursday = new Date(0)
  thursday.setUTCFullYear(year, month, day + 3)
  const first = new Date(thursday)
  first.setUTCMonth(0, 1)
  return [Math.floor((thursday.getTime() - first.getTime()) / (7 * DAY)) + 1, thursday.getUTCFullYear()]
}

/** Describes some bars by their period and their events. */
export const describeBars = ({ edges, counts, length }: Bars, [first, last]: Choice): string => {
  const [from, to] = [first, last].map((bar) => nameOf(edges[bar] ?? 0, length))
  const events = counts.slice(first, last + 1).reduce((sum, count) => sum + count, 0)
  const period = last > first ? `${from} ${timeTexts().through} ${to}` : from
  return `${period}: ${texts().list.counted('events', events)}`
}

/** Writes the period of some bars in ISO 8601. It includes its start, but not its end. */
export const rangeOf = ({ edges }: Bars, [first, last]: Choice): readonly [from: string, before: string] => [
  firstOf(edges[first] ?? 0),
  firstOf(edges[last + 1] ?? 0),
]
