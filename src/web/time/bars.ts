import { computed } from '@preact/signals'
import { type BarLength, barAt, barLengthOf, clock, dateAt, formatCount, inZone, nextBar } from '../state/format.ts'
import type { NumberBin, StackField, Statistics, SummaryAnswer } from '../state/known.ts'
import { type Period, saidPeriod } from '../state/periods.ts'
import { firstOf } from '../state/read/times.ts'
import { language, texts, textsOf } from '../state/text.ts'
import { type Measured, sayValue, together, valuesOf } from './measure.ts'

/** The texts of the graph over time. */
export const timeTexts = textsOf({
  title: ['Over time', 'In de tijd'],
  hint: [
    'Click a bar or drag over the bars to choose a period, or use the arrow keys, Shift and Enter',
    'Klik op een staaf of sleep over de staven om een periode te kiezen, of gebruik de pijltjestoetsen, Shift en Enter',
  ],
  all: ['All times', 'Alle tijden'],
  stackBy: ['Stack by', 'Stapel per'],
  nothing: ['not stacked', 'niet gestapeld'],
  event_series: ['by series', 'per reeks'],
  category: ['by category', 'per categorie'],
  scale: ['Scale', 'Schaal'],
  linear: ['linear scale', 'lineaire schaal'],
  root: ['square-root scale', 'wortelschaal'],
  /** The caption of the axis. */
  per: ['Events per {}', 'Gebeurtenissen per {}'],
  hour: ['hour', 'uur'],
  day: ['day', 'dag'],
  week: ['week', 'week'],
  month: ['month', 'maand'],
  quarter: ['quarter', 'kwartaal'],
  year: ['year', 'jaar'],
  years: ['years', 'jaar'],
  /** The graph counts only a part of such a bar. */
  part: ['incomplete', 'onvolledig'],
  /** The label of the choice of a statistic. */
  show: ['Show', 'Toon'],
  counts: ['number of events', 'aantal gebeurtenissen'],
  measures: {
    sum: ['Sum of {}', 'Som van {}'],
    mean: ['Mean of {}', 'Gemiddelde van {}'],
    max: ['Greatest {}', 'Grootste {}'],
  },
  measuredPer: ['{} per {}', '{} per {}'],
  none: ['No event in this period', 'Geen gebeurtenis in deze periode'],
  unnamed: ['No category', 'Geen categorie'],
  others: ['Others', 'Overige'],
  image: ['Save as PNG', 'Opslaan als PNG'],
  headline: ['{} over time', '{} in de tijd'],
})

type Bins = SummaryAnswer['time']['bins']

/** The events of one series or category in each bar. */
interface Layer {
  readonly name: string
  /** Absent: the colour of the graph. */
  readonly color?: string
  /** The events in all bars. */
  readonly count: number
  readonly counts: readonly number[]
}

/** Bars that touch each other. In a bar, the layers are on top of each other. */
export interface Bars {
  /** The first instants of the bars, and the end of the last bar. */
  readonly edges: readonly number[]
  readonly counts: readonly number[]
  readonly length: BarLength
  readonly layers: readonly Layer[]
  /** Absent: the graph shows counts. */
  readonly measured?: Measured
  /** What the same bars show of an earlier period, and its name. Null: a bar has no number there. */
  readonly past?: { readonly name: string; readonly values: readonly (number | null)[] }
  /** The period that a bar counts, if it is only a part of the bar. */
  readonly parts?: readonly (Period | null)[]
}

/** The first and the last of some bars. */
export type Choice = readonly [first: number, last: number]

/** Returns the length of the bars that suit a summary. Bins begin with the filtered period. Null without events. */
export const lengthFor = ({ start, end, bins }: SummaryAnswer['time']): BarLength | null =>
  start === null || end === null ? null : barLengthOf(end - Math.max(start, bins[0]?.[0] ?? start))

/** Colours for categories that colour-blind people can tell apart, by Okabe and Ito. */
export const COLORS = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7', '#56b4e9']
export const GREY = '#87929b'

/**
 * Returns the bars of a summary, also the empty ones between others. Its bins are not longer than the bars. With `by`,
 * the six most frequent entries have layers of their own.
 */
export const barsOf = (
  { time: { bins }, by: crossed }: SummaryAnswer,
  length: BarLength,
  by: StackField | null,
): Bars => {
  const edges = edgesOf(bins, length)
  const counts = countsIn(edges, bins)
  const entries = by === null ? undefined : crossed?.[by]?.entries
  const largest = (entries ?? []).slice(0, COLORS.length).map((entry, i) => ({
    name: (entry.name ?? entry.value) || timeTexts().unnamed,
    color: entry.color ?? COLORS[i] ?? GREY,
    count: entry.count,
    counts: countsIn(edges, entry.bins),
  }))
  const left = counts.map((count, bar) => largest.reduce((rest, layer) => rest - (layer.counts[bar] ?? 0), count))
  const others = { name: timeTexts().others, count: left.reduce((sum, count) => sum + count, 0), counts: left }
  if (entries === undefined) return { edges, counts, length, layers: [others] }
  const layers = others.count > 0 ? [...largest, { ...others, color: GREY }] : largest
  return { edges, counts, length, layers }
}

const edgesOf = (bins: Bins, length: BarLength): readonly number[] => {
  const [first, last] = [bins[0]?.[0], bins.at(-1)?.[0]]
  if (first === undefined || last === undefined) return []
  const edges = [barAt(first, length)]
  while ((edges.at(-1) ?? last) <= last) edges.push(nextBar(edges.at(-1) ?? last, length))
  return edges
}

/** Returns the sum of the bins in each bar. */
const countsIn = (edges: readonly number[], bins: Bins): readonly number[] => {
  const counts = edges.slice(1).map(() => 0)
  let bar = 0
  for (const [at, count] of bins) {
    while (at >= (edges[bar + 1] ?? Number.POSITIVE_INFINITY)) bar++
    counts[bar] = (counts[bar] ?? 0) + count
  }
  return counts
}

/** Returns what the bars of a graph show: counts, or a statistic of a number. */
export const shownIn = ({ counts, measured }: Bars): readonly (number | null)[] =>
  measured === undefined ? counts : valuesOf(measured)

/** Returns bars beside those of an earlier period. Both periods begin at these instants, and their first bars are one. */
export const besidePast = (bars: Bars, past: Bars, [from, fromPast]: readonly [number, number], name: string): Bars => {
  const { edges, counts, length } = bars
  const shift = barsUntil(fromPast, past.edges[0] ?? fromPast, length) - barsUntil(from, edges[0] ?? from, length)
  const values = shownIn(past)
  return { ...bars, past: { name, values: counts.map((_, bar) => values[bar - shift] ?? null) } }
}

/** Returns the number of bars from the one with an instant to the one that begins at another. */
const barsUntil = (from: number, edge: number, length: BarLength): number => {
  let count = 0
  for (let at = barAt(from, length); at < edge; at = nextBar(at, length)) count++
  return count
}

/** After so many usual distances of events without one, the data begin or end. */
const PAUSES = 10

/** Tells which bars are incomplete: the filtered period cuts them, or else the data begin or end within them, or now. */
export const withParts = (bars: Bars, filtered: Period, { count, time }: SummaryAnswer): Bars => {
  const [first, last] = [time.start ?? 0, time.end ?? 0]
  const pause = (PAUSES * (last - first)) / count
  const [from, early] = Number.isNaN(filtered.from) ? [first, pause] : [filtered.from, 0]
  const [before, late] = Number.isNaN(filtered.before) ? [last + 1, pause] : [filtered.before, 0]
  const now = Math.max(Date.now(), last + 1)
  const parts = bars.edges.slice(1).map((end, bar) => {
    const start = bars.edges[bar] ?? end
    const isWhole = from - early <= start && Math.min(before + late, now) >= end
    return isWhole || bars.length.unit === 'hour'
      ? null
      : { from: Math.max(start, from), before: Math.min(end, before, now) }
  })
  return { ...bars, parts }
}

/** Returns the statistics of a number in each bar. */
export const statisticsIn = (edges: readonly number[], bins: readonly NumberBin[]): (Statistics | null)[] => {
  const found = edges.slice(1).map((): Statistics | null => null)
  for (const bin of bins) {
    const bar = edges.findLastIndex((edge) => edge <= bin.start)
    if (bin.count > 0 && bar in found) found[bar] = together(found[bar] ?? null, bin)
  }
  return found
}

/** Returns the parts of a bar from the bottom up. The layers divide its height by their share. */
export const partsOf = ({ counts, layers }: Bars, bar: number, height: number) => {
  let sum = 0
  const heightOf = (events: number) => (height * events) / (counts[bar] ?? 1)
  return layers.flatMap(({ color, counts }) => {
    const count = counts[bar] ?? 0
    const bottom = sum
    sum += count
    return count === 0 ? [] : [{ color, bottom: heightOf(bottom), top: heightOf(sum) }]
  })
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
  firstOf(edges[first] ?? 0, clock.value),
  firstOf(edges[last + 1] ?? 0, clock.value),
]

/** Returns the bars that a key chooses. Arrows move the choice, Shift moves its end. Null for other keys. */
export const moved = (
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
  [from, to]: Choice,
  last: number,
): Choice | null => {
  const page = Math.ceil(last / 10)
  const steps = { ArrowLeft: -1, ArrowRight: 1, PageDown: -page, PageUp: page, Home: -last, End: last }
  const by = new Map(Object.entries(steps)).get(key)
  if (by === undefined) return null
  const within = (at: number) => Math.max(0, Math.min(last, at))
  if (shiftKey) return [from, Math.max(from, within(to + by))]
  // At first all bars are chosen. Then an arrow chooses the first or the last bar.
  if (from === 0 && to === last) return by > 0 ? [0, 0] : [last, last]
  const begin = within(from + by)
  return [begin, within(begin + to - from)]
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

/** Making a format takes as long as drawing some bars. */
const months = computed(() => new Intl.DateTimeFormat(language.value, { month: 'long', timeZone: 'UTC' }))

const monthOf = (month: number): string => months.value.format(Date.UTC(2000, month))

/** Returns the number and the year of the week that begins on a Monday (ISO 8601). Its Thursday decides the year. */
const weekOf = (year: number, month: number, day: number): readonly [week: number, year: number] => {
  const thursday = new Date(0)
  thursday.setUTCFullYear(year, month, day + 3)
  const first = new Date(thursday)
  first.setUTCMonth(0, 1)
  return [Math.floor((thursday.getTime() - first.getTime()) / (7 * 86_400_000)) + 1, thursday.getUTCFullYear()]
}

/** Describes some bars by their period and their events. */
export const describeBars = (bars: Bars, [first, last]: Choice): string => {
  const { edges, counts, length, measured, past, parts } = bars
  const [from, to] = [first, last].map((bar) => nameOf(edges[bar] ?? 0, length))
  const events = counts.slice(first, last + 1).reduce((sum, count) => sum + count, 0)
  const part = first === last ? parts?.[first] : null
  const days = length.unit === 'day' || !part ? '' : ` (${timeTexts().part}: ${saidPeriod(part)})`
  const period = last > first ? `${from} – ${to}` : `${from}${days}`
  const before = first === last ? past?.values[first] : null
  return [
    `${period}: ${texts().list.counted('events', events)}`,
    measured && sayMeasured(measured, [first, last]),
    typeof before === 'number' && `${past?.name}: ${sayValue(before)}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** Says the statistic of some bars. Null without numbers. */
const sayMeasured = ({ statistic, title, statistics }: Measured, [first, last]: Choice): string | null => {
  const value = statistics.slice(first, last + 1).reduce(together, null)?.[statistic]
  return typeof value === 'number' ? `${timeTexts().measures[statistic](title)}: ${sayValue(value)}` : null
}

/** Names the unit of the bars. */
export const captionOf = ({ counts, length: { unit, size }, measured }: Bars): string => {
  if (counts.length < 2) return ''
  const text = timeTexts()
  const years = size > 1 ? `${formatCount(size)} ${text.years}` : text[unit]
  const step = unit === 'month' && size > 1 ? text.quarter : years
  return measured ? text.measuredPer(text.measures[measured.statistic](measured.title), step) : text.per(step)
}
