import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PageAddress } from '../state/address.ts'
import { hasBins, type StackField, type SummaryAnswer, summaryKeyOf, timeOf } from '../state/known.ts'
import { language } from '../state/text.ts'
import type { BarLength } from '../state/units.ts'
import { type Bars, barsOf, countsIn, lengthFor } from './bars.ts'
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
    name: ('name' in entry ? entry.name : entry.value) || timeTexts().unnamed,
    color: 'color' in entry ? entry.color : (COLORS[i] ?? GREY),
    count: entry.count,
    counts: countsIn(bars.edges, entry.bins),
  }))
  const left = bars.counts.map((count, at) => largest.reduce((rest, { counts }) => rest - (counts[at] ?? 0), count))
  const count = left.reduce((sum, each) => sum + each, 0)
  const others = { name: timeTexts().others, color: GREY, count, counts: left }
  return { ...bars, layers: count > 0 ? [...largest, others] : largest }
}

/** An answer about the bars of a summary. */
interface Answered {
  readonly key: string
  readonly answer: SummaryAnswer | null
}

/**
 * Returns the bars of a summary. Asks for them if the summary has no bins of their unit, or if they have layers. Until
 * the layers arrive, and if they fail, the bars have one colour. Until the bars arrive, it returns those before. It asks
 * for nothing while the summary belongs to another place, whose unit may be too short for this one.
 */
export const useStacked = (
  place: PageAddress,
  summary: SummaryAnswer | null,
  isCurrent: boolean,
  by: StackField | null,
): { readonly bars: Stacked | null; readonly isFailed: boolean } => {
  const last = useRef<Stacked | null>(null)
  const [found, keep] = useState<Answered>({ key: '', answer: null })
  const length = summary === null ? null : lengthFor(summary.time)
  const isComplete = isCurrent && (length === null || hasBins(place, length))
  const key = JSON.stringify([summaryKeyOf(place), isCurrent, summary?.time, by])
  useEffect(() => {
    if (!isCurrent || length === null || (isComplete && by === null)) return
    const asking = new AbortController()
    const settle = (answer: SummaryAnswer | null) => {
      if (!asking.signal.aborted) keep({ key, answer })
    }
    timeOf(place, length.unit, by, asking.signal).then(settle, () => settle(null))
    return () => asking.abort()
  }, [key])
  const answer = found.key === key ? found.answer : null
  const shown = answer ?? (isComplete ? summary : null)
  const bars = useMemo(
    () => (shown === null ? null : stackedOf(shown, length ?? NO_LENGTH, by)),
    [shown, by, language.value],
  )
  if (bars !== null) last.current = bars
  const isFailed = found.key === key && shown === null
  return { bars: bars ?? (summary === null || isFailed ? null : last.current), isFailed }
}

/** Without events, there are no bars. */
const NO_LENGTH = { unit: 'year', size: 1 } as const
