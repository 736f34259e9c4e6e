import type { StackField, SummaryAnswer } from '../state/known.ts'
import type { BarLength } from '../state/units.ts'
import { type Bars, barsOf, countsIn } from './bars.ts'
import { timeTexts } from './text.ts'

/** The events of one series or category in each bar. */
export interface Layer {
  readonly name: string
  readonly color: string
  /** The events in all bars. */
  readonly count: number
  readonly counts: readonly number[]
}

/** The bars of a graph. Without layers, a bar has one colour. Otherwise the layers are on top of each other. */
export interface Stacked extends Bars {
  readonly layers: readonly Layer[]
}

/** Colours for categories that colour-blind people can tell apart, by Okabe and Ito. */
const COLORS = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7', '#56b4e9']
const GREY = '#87929b'

/** Returns the bars of a summary. With `by`, the six most frequent entries have layers of their own. */
export const stackedOf = (summary: SummaryAnswer, length: BarLength, by: StackField | null): Stacked => {
  const bars = barsOf(summary.time, length)
  const crossed = by === null ? undefined : summary.by?.[by]
  if (crossed === undefined) return { ...bars, layers: [] }
  const largest = crossed.entries.slice(0, COLORS.length).map((entry, i) => ({
    name: (entry.name ?? entry.value) || timeTexts().unnamed,
    color: entry.color ?? COLORS[i] ?? GREY,
    count: entry.count,
    counts: countsIn(bars.edges, entry.bins),
  }))
  const left = bars.counts.map((count, at) => largest.reduce((rest, { counts }) => rest - (counts[at] ?? 0), count))
  const count = left.reduce((sum, each) => sum + each, 0)
  const others = { name: timeTexts().others, color: GREY, count, counts: left }
  return { ...bars, layers: count > 0 ? [...largest, others] : largest }
}

/** A rectangle of a bar. Without a color, it has the color of the graph. */
export interface Part {
  readonly color?: string
  readonly bottom: number
  readonly top: number
}

/** Returns the parts of a bar from the bottom up. The layers divide its height by their share. */
export const partsOf = ({ counts, layers }: Stacked, bar: number, height: number): Part[] => {
  if (layers.length === 0) return height > 0 ? [{ bottom: 0, top: height }] : []
  const parts: Part[] = []
  let sum = 0
  for (const layer of layers) {
    const count = layer.counts[bar] ?? 0
    if (count === 0) continue
    const part = (events: number) => (height * events) / (counts[bar] ?? count)
    parts.push({ color: layer.color, bottom: part(sum), top: part(sum + count) })
    sum += count
  }
  return parts
}
