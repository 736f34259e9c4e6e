import { dateAt, inZone, nextBar } from '../state/format.ts'
import type { Bars } from './bars.ts'

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
  if (scale === 'linear') return ticksBetween(0, greatest).filter(Number.isInteger)
  const { heightOf, countAt } = SCALES[scale]
  const ticks: number[] = []
  for (let end = greatest; end >= DISTANCE * greatest; ) {
    const tick = roundDown(countAt(end))
    const height = heightOf(tick)
    if (tick < 1 || height < DISTANCE * greatest) break
    ticks.unshift(tick)
    end = height - DISTANCE * greatest
  }
  return [0, ...ticks]
}

/** Returns the largest count such as 1, 2, 5, 10 or 20 that is not above another. */
const roundDown = (count: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, count)))
  return ([5, 2, 1].find((each) => each * power <= count) ?? 0) * power
}

/** The number of parts of an axis of numbers, more or less. */
const PARTS = 3

/** Returns round numbers between two others, such as -0.5, 0 and 0.5. `parts` is their number, more or less. */
export const ticksBetween = (least: number, greatest: number, parts = PARTS): number[] => {
  const rough = (greatest - least) / parts
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5].find((each) => each * power >= rough) ?? 10) * power
  const first = Math.ceil(least / step)
  const count = Math.floor(greatest / step) - first + 1
  // A product such as 3 * 0.1 has errors in its last digits.
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

/** Some numbers of a column. It includes both ends. */
export interface HistogramBar {
  readonly from: number
  readonly until: number
  readonly count: number
}

/** A histogram has this many bars, more or less. */
const BINS = 14

/** If the greatest number is this many times as large as the middle one, bars of one width would hide most numbers. */
const UNEVEN = 20

/** Returns bars for sorted numbers: one for each of few different numbers, or else bars with round ends. */
export const histogramOf = (sorted: readonly number[]): HistogramBar[] => {
  const [least = 0, greatest = 0] = [sorted[0], sorted.at(-1)]
  const different = [...new Set(sorted)]
  const isFew = different.length <= BINS
  const starts = isFew ? different : [least, ...roundIn(sorted).filter((each) => each > least && each < greatest)]
  return starts.map((from, i) => {
    const next = starts[i + 1] ?? Number.POSITIVE_INFINITY
    const { length: count } = sorted.filter((number) => number >= from && number < next)
    return { from, until: isFew ? from : Math.min(next, greatest), count }
  })
}

/** Returns round numbers near the others. Uneven numbers get 1, 2, 5, 10 and so on. */
const roundIn = (sorted: readonly number[]): number[] => {
  const [least = 0, middle = 0, greatest = 0] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)]
  if (least < 0 || greatest <= UNEVEN * middle) return ticksBetween(least, greatest, BINS)
  const power = Math.ceil(Math.log10(greatest))
  return [-5, -4, -3, -2, -1].flatMap((less) => [1, 2, 5].map((digit) => Number(`${digit}e${power + less}`)))
}

/** An axis of numbers, with its ticks. `placeOf` returns where a number stands, as a part of the height from below. */
export interface NumberAxis {
  readonly ticks: readonly number[]
  readonly placeOf: (value: number) => number
}

/** Returns the axis of counts. */
export const countAxis = (counts: readonly number[], scale: Scale): NumberAxis => {
  const { heightOf } = SCALES[scale]
  const highest = 1.1 * Math.max(1, ...counts.map(heightOf))
  return { ticks: ticksOf(highest, scale), placeOf: (count) => heightOf(count) / highest }
}

/** Returns the axis of other numbers. It has zero for sums, and for numbers that are not far from it. */
export const numberAxis = (values: readonly number[], areSums: boolean): NumberAxis => {
  const [least, greatest] = [Math.min(...values), Math.max(...values)]
  const hasZero = areSums || (least > 0 && least < greatest / 2)
  const [low, high] = hasZero ? [Math.min(0, least), Math.max(0, greatest)] : [least, greatest]
  const room = (high - low || Math.abs(high) || 1) * 0.1
  const [bottom, top] = [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room]
  return { ticks: ticksBetween(bottom, top), placeOf: (value) => (value - bottom) / (top - bottom) }
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

/** The milliseconds of a unit, and the numbers of units between two labels, from few to many. */
const STEPS = {
  hour: [DAY / 24, [1, 3, 6, 12, 24, 48]],
  day: [DAY, [1, 2, 3, 4, 7, 14, 28]],
  month: [(365.25 * DAY) / 12, [1, 3, 6, 12, 24, 60]],
  year: [365.25 * DAY, [1, 10, 100, 1000, 10_000].flatMap((power) => [power, 2 * power, 5 * power])],
} as const

type Unit = keyof typeof STEPS

/** The room at the end of the axis in pixels, into which a label may reach. */
const ROOM = 14

interface Mark {
  /** The distance from the start of the axis, as a part of its length. */
  readonly at: number
  readonly text: string
}

/** Returns the labels of a time axis that is at least so many pixels long. Bars of weeks have the labels of months. */
export const marksOf = ({ edges, length }: Bars, width: number): Mark[] => {
  const [first = 0, end = 0] = [edges[0], edges.at(-1)]
  const pixels = width / (end - first)
  const unit: Unit = length.unit === 'week' ? 'month' : length.unit
  const [milliseconds, steps] = STEPS[unit]
  const formatOf = (step: number) => labelOf(unit === 'day' ? DAY : step * milliseconds)
  const widthOf = (step: number) => 7 * formatOf(step)(first).length
  const fits = (step: number) => step % length.size === 0 && step * milliseconds * pixels > widthOf(step) + ROOM
  const step = steps.find(fits) ?? steps.at(-1) ?? 1
  const format = formatOf(step)
  return (length.unit === 'week' ? monthsBetween(first, end) : edges)
    .filter((start, i) => numberOf(start, i, unit) % step === 0 && (end - start) * pixels > widthOf(step) - ROOM)
    .map((start) => ({ at: (start - first) / (end - first), text: format(start) }))
}

/** Returns the number of a unit on the calendar, so that labels have round ones. Days are counted from the first bar. */
const numberOf = (start: number, bar: number, unit: Unit): number => {
  const [year, month] = dateAt(start)
  if (unit === 'year') return year
  if (unit === 'month') return 12 * year + month
  return unit === 'day' ? bar : Math.floor(Date.parse(`${inZone(start)}Z`) / (DAY / 24))
}

const monthsBetween = (first: number, end: number): number[] => {
  const months: number[] = []
  for (let at = first; at < end; at = nextBar(at, { unit: 'month', size: 1 })) months.push(at)
  return months.slice(1)
}
