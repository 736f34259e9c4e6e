import { useEffect, useMemo, useState } from 'preact/hooks'
import { hrefOf, type PageAddress } from '../state/address.ts'
import { crossedOf, type StackField, type SummaryAnswer } from '../state/known.ts'
import { language } from '../state/text.ts'
import { type Bars, barsOf, countsAt } from './bars.ts'
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
export const stackedOf = (summary: SummaryAnswer, by: StackField | null): Stacked => {
  const bars = barsOf(summary.time)
  const crossed = by === null ? undefined : summary.by?.[by]
  if (crossed === undefined) return { ...bars, layers: [] }
  const largest = crossed.entries.slice(0, COLORS.length).map((entry, i) => ({
    name: ('name' in entry ? entry.name : entry.value) || timeTexts().unnamed,
    color: 'color' in entry ? entry.color : (COLORS[i] ?? GREY),
    count: entry.count,
    counts: countsAt(bars.starts, entry.bins),
  }))
  const left = bars.counts.map((count, at) => largest.reduce((rest, { counts }) => rest - (counts[at] ?? 0), count))
  const count = left.reduce((sum, each) => sum + each, 0)
  const others = { name: timeTexts().others, color: GREY, count, counts: left }
  return { ...bars, layers: count > 0 ? [...largest, others] : largest }
}

/**
 * Asks for the events of each entry of a facet. Until the answer, and if it fails, the bars of the summary have one
 * colour. Null without a summary.
 */
export const useStacked = (
  place: PageAddress,
  summary: SummaryAnswer | null,
  by: StackField | null,
): Stacked | null => {
  const [crossed, keep] = useState<{ readonly of: SummaryAnswer; readonly answer: SummaryAnswer | null } | null>(null)
  const href = hrefOf(place)
  useEffect(() => {
    if (summary === null || by === null) return
    const asking = new AbortController()
    crossedOf(place, by, asking.signal).then(
      (answer) => keep({ of: summary, answer }),
      () => {},
    )
    return () => asking.abort()
  }, [href, summary, by])
  const shown = (crossed?.of === summary ? crossed?.answer : null) ?? summary
  return useMemo(() => (shown === null ? null : stackedOf(shown, by)), [shown, by, language.value])
}
