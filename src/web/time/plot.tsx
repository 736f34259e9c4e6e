import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { zone } from '../state/format.ts'
import { language } from '../state/text.ts'
import { type Choice, describeBars, rangeOf, type Scale } from './bars.ts'
import { moved } from './brush.ts'
import type { Stacked } from './layers.ts'
import { timeTexts } from './text.ts'
import { drawTimeline, type Timeline, type TimelineEvents } from './timeline.ts'

interface PlotProps {
  readonly bars: Stacked
  readonly scale: Scale
  readonly onRange: TimelineEvents['onRange']
  /** Gets the canvas, for a picture. */
  readonly canvas: RefObject<HTMLCanvasElement | null>
}

/** Shows bars, a tip for the bar under the pointer, and a choice of bars by keys. */
export const Plot = ({ bars, scale, onRange, canvas }: PlotProps) => {
  const [chosen, choose] = useState<Choice | null>(null)
  const [tip, setTip] = useState<Choice | null>(null)
  const container = useRef<HTMLDivElement>(null)
  const timeline = useTimeline(container, bars, scale, {
    onPoint: (bar) => setTip(bar === null ? null : [bar, bar]),
    onRange,
  })
  canvas.current = timeline?.canvas ?? null
  const last = bars.counts.length - 1
  const show = (next: Choice | null) => {
    choose(next)
    setTip(next)
  }
  useEffect(() => show(null), [bars])
  useEffect(() => timeline?.select(chosen), [timeline, chosen])
  const onKeyDown = (event: KeyboardEvent) => {
    const [from, to] = chosen ?? [0, last]
    if (event.key === 'Enter') return onRange(rangeOf(bars, [from, to]))
    const next = moved(event, [from, to], last)
    if (next === null) return
    event.preventDefault()
    show(next)
  }
  return (
    <div
      class="plot"
      role="slider"
      tabIndex={0}
      aria-label={timeTexts().hint}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={chosen?.[0] ?? 0}
      aria-valuetext={describeBars(bars, chosen ?? [0, last])}
      onKeyDown={onKeyDown}
      onBlur={() => show(null)}
    >
      <div ref={container} />
      <Tip bars={bars} shown={tip} timeline={timeline} />
    </div>
  )
}

interface TipProps {
  readonly bars: Stacked
  readonly shown: Choice | null
  readonly timeline: Timeline | null
}

/** Shows the period and the events of bars above the last one. */
const Tip = ({ bars, shown, timeline }: TipProps) => {
  if (shown === null || timeline === null || shown[1] >= bars.counts.length) return null
  const middle = `${100 * timeline.middleOf(shown[1])}%`
  // The tip moves to the left by the same part of its own width, so it stays in the graph.
  return (
    <small class="tip" aria-hidden="true" style={{ left: middle, transform: `translateX(-${middle})` }}>
      {describeBars(bars, shown)}
    </small>
  )
}

/** Draws the bars in a container. Draws them again if the language or the zone changes. */
const useTimeline = (
  container: RefObject<HTMLDivElement | null>,
  bars: Stacked,
  scale: Scale,
  events: TimelineEvents,
): Timeline | null => {
  const [timeline, keep] = useState<Timeline | null>(null)
  const latest = useRef(events)
  latest.current = events
  useEffect(() => {
    const held = untilEnd(latest)
    let drawn: Timeline | null = null
    import('./library.ts').then(({ default: library }) => {
      if (held.isEnded() || container.current === null) return
      drawn = drawTimeline(library, container.current, bars, scale, held.events)
      keep(drawn)
    })
    return () => {
      held.end()
      drawn?.end()
    }
  }, [bars, scale, language.value, zone.value])
  return timeline
}

/** Passes events on until the graph ends. V8 keeps the first plot in memory, so a plot must not hold on to its page. */
const untilEnd = (latest: RefObject<TimelineEvents>) => {
  let held: typeof latest | null = latest
  const events: TimelineEvents = {
    onPoint: (bar) => held?.current.onPoint(bar),
    onRange: (range) => held?.current.onRange(range),
  }
  const end = () => {
    held = null
  }
  return { events, end, isEnded: () => held === null }
}
