import type { RefObject, TargetedPointerEvent } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { pointed } from '../state/store.ts'
import { countAxis, marksOf, type NumberAxis, numberAxis, type Scale } from './axis.ts'
import { type Bars, barIn, type Choice, describeBars, moved, partsOf, rangeOf, shownIn, timeTexts } from './bars.ts'
import { sayTick } from './measure.ts'

interface TimelineProps {
  readonly bars: Bars
  readonly scale: Scale
  /** Gets a chosen range in ISO 8601, which includes its start but not its end. */
  readonly onRange: (range: readonly [from: string, before: string]) => void
  /** Gets the element of the drawing, for a picture. */
  readonly drawn: RefObject<HTMLDivElement | null>
}

/** The bars that keys or a brush have chosen, and those that the tip describes. */
interface Marks {
  readonly chosen: Choice | null
  readonly described: Choice | null
}

const NO_MARKS: Marks = { chosen: null, described: null }

/** Keeps the marked bars with all bars, because others have no marks. */
const useMarks = (bars: Bars) => {
  const [{ of, marks }, set] = useState({ of: bars, marks: NO_MARKS })
  const mark = (chosen: Choice | null, described = chosen) => set({ of: bars, marks: { chosen, described } })
  return { ...(of === bars ? marks : NO_MARKS), mark }
}

type PointerOver = TargetedPointerEvent<SVGSVGElement>

/** The least width of a brush in pixels. A shorter one is a click, or a tap. */
const LEAST = 3

/** Marks bars by a pointer. A click, a tap or a brush chooses a period. A finger that moves up or down scrolls. */
const useBrush = (bars: Bars, { chosen, mark }: ReturnType<typeof useMarks>, onRange: TimelineProps['onRange']) => {
  const start = useRef<number | null>(null)
  /** Returns the bars from the place where the brush began, or else those under the pointer. */
  const under = ({ currentTarget, clientX }: PointerOver): Choice => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const [first = 0, end = 0] = [bars.edges[0], bars.edges.at(-1)]
    const last = bars.counts.length - 1
    const barAt = (x: number) => barIn(bars, first + ((x - left) / width) * (end - first)) ?? (x > left ? last : 0)
    const from = start.current ?? clientX
    return [barAt(Math.min(from, clientX)), barAt(Math.max(from, clientX))]
  }
  return {
    onPointerDown: (event: PointerOver) => {
      if (event.button !== 0 || !event.isPrimary) return
      start.current = event.clientX
      event.currentTarget.setPointerCapture(event.pointerId)
      mark(null, under(event))
    },
    onPointerMove: (event: PointerOver) => {
      if (start.current === null) mark(chosen, under(event))
      else mark(under(event))
    },
    onPointerUp: (event: PointerOver) => {
      if (start.current === null) return
      const brushed = under(event)
      // A tap only shows the tip of a bar.
      const isTap = event.pointerType !== 'mouse' && Math.abs(event.clientX - start.current) < LEAST
      start.current = null
      mark(null, brushed)
      if (!isTap) onRange(rangeOf(bars, brushed))
    },
    onPointerCancel: () => {
      start.current = null
      mark(null)
    },
    // The tip of a bar stays after a tap.
    onPointerLeave: ({ pointerType }: PointerOver) => pointerType !== 'touch' && mark(chosen),
  }
}

/** Shows bars, and lets people choose a period by a pointer or by keys. */
export const Timeline = ({ bars, scale, onRange, drawn }: TimelineProps) => {
  const marks = useMarks(bars)
  const { chosen, described, mark } = marks
  const brush = useBrush(bars, marks, onRange)
  const last = bars.counts.length - 1
  const placeOf = placesOf(bars)
  const onKeyDown = (event: KeyboardEvent) => {
    const from = chosen ?? [0, last]
    if (event.key === 'Enter') return onRange(rangeOf(bars, from))
    const next = moved(event, from, last)
    if (next === null) return
    event.preventDefault()
    mark(next)
  }
  const drawing = useMemo(() => <Drawing bars={bars} scale={scale} />, [bars, scale])
  return (
    <div
      ref={drawn}
      class="plot"
      role="slider"
      tabIndex={0}
      aria-label={timeTexts().hint}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={chosen?.[0] ?? 0}
      aria-valuetext={describeBars(bars, chosen ?? [0, last])}
      onKeyDown={onKeyDown}
      onBlur={() => mark(null)}
    >
      <div class="area">
        <svg aria-hidden="true" {...brush}>
          {drawing}
          <Pointed bars={bars} />
          {chosen !== null && <Band bars={bars} choice={chosen} />}
        </svg>
        {described !== null && (
          <Tip place={(placeOf(described[1]) + placeOf(described[1] + 1)) / 2} text={describeBars(bars, described)} />
        )}
      </div>
    </div>
  )
}

/** Marks some bars over the whole height. */
const Band = ({ bars, choice: [first, last] }: { readonly bars: Bars; readonly choice: Choice }) => {
  const placeOf = placesOf(bars)
  const [from, to] = [placeOf(first), placeOf(last + 1)]
  return <rect class="chosen" x={percent(from)} width={percent(to - from)} height="100%" />
}

/** Marks the bar of the event under the pointer, which is on the map or in the table. */
const Pointed = ({ bars }: { readonly bars: Bars }) => {
  const bar = pointed.value === null ? null : barIn(bars, pointed.value.start)
  return bar === null ? null : <Band bars={bars} choice={[bar, bar]} />
}

/** Tells about bars, above a place. It moves to the left by the same part of its own width, so it stays in the graph. */
const Tip = ({ place, text }: { readonly place: number; readonly text: string }) => (
  <small class="tip" aria-hidden="true" style={{ left: percent(place), transform: `translateX(-${percent(place)})` }}>
    {text}
  </small>
)

export const percent = (part: number): string => `${100 * part}%`

/** Returns where an edge is, as a part of the length of the axis. */
export const placesOf = ({ edges }: Bars) => {
  const [first = 0, end = 0] = [edges[0], edges.at(-1)]
  return (edge: number) => ((edges[edge] ?? 0) - first) / (end - first)
}

/** The least widths of graphs in pixels. Each has labels of its own, and styles/pictures.css shows those that fit. */
const WIDTHS = [
  ['narrow', 280],
  ['middle', 380],
  ['wide', 560],
] as const

/** The bars and both axes. All lengths are parts of the drawing, so it needs no width. Labels are outside of its box. */
export const Drawing = ({ bars, scale }: { readonly bars: Bars; readonly scale: Scale }) => {
  const { measured, past } = bars
  const values = shownIn(bars)
  const numbers = [...values, ...(past?.values ?? [])].filter((value) => value !== null)
  const isCounted = measured === undefined || numbers.length === 0
  const axis = isCounted ? countAxis(numbers, scale) : numberAxis(numbers, measured.statistic === 'sum')
  return (
    <>
      {axis.ticks.map((tick) => {
        const y = percent(1 - axis.placeOf(tick))
        return (
          <g key={tick}>
            <rect class="grid" y={y} width="100%" height="1" />
            <text x="-8" y={y} dy="0.32em" text-anchor="end">
              {sayTick(tick)}
            </text>
          </g>
        )
      })}
      {bars.counts.map((count, bar) => (
        <g key={bars.edges[bar]} class={bars.parts?.[bar] ? 'incomplete' : undefined}>
          <title>{describeBars(bars, [bar, bar])}</title>
          {isCounted ? (
            <Stack bars={bars} bar={bar} height={axis.placeOf(count)} />
          ) : (
            <Mark bars={bars} bar={bar} values={values} axis={axis} />
          )}
          {past !== undefined && <Line bars={bars} bar={bar} values={past.values} axis={axis} kind="past" />}
        </g>
      ))}
      {WIDTHS.map(([name, width]) => (
        <g key={name} class={name}>
          {marksOf(bars, width).map(({ at, text }) => (
            <g key={at}>
              <rect class="grid" x={percent(at)} y="100%" width="1" height="5" />
              <text x={percent(at)} y="100%" dy="1.5em">
                {text}
              </text>
            </g>
          ))}
        </g>
      ))}
    </>
  )
}

/** Returns the place and the width of a bar. The gap between bars is at least one pixel. */
const boxOf = (bars: Bars, bar: number) => {
  const placeOf = placesOf(bars)
  const width = placeOf(bar + 1) - placeOf(bar)
  return { x: percent(placeOf(bar)), width: `min(${percent(0.9 * width)}, ${percent(width)} - 1px)` }
}

/** A bar of a count, with its layers on top of each other. */
const Stack = ({ bars, bar, height }: { readonly bars: Bars; readonly bar: number; readonly height: number }) =>
  partsOf(bars, bar, height).map(({ color, bottom, top }) => (
    <rect key={bottom} fill={color} style={boxOf(bars, bar)} y={percent(1 - top)} height={percent(top - bottom)} />
  ))

interface MarkProps {
  readonly bars: Bars
  readonly bar: number
  /** The numbers of all bars. */
  readonly values: readonly (number | null)[]
  readonly axis: NumberAxis
}

/** A bar from zero to a sum, or a line at the height of another statistic. */
const Mark = ({ bars, bar, values, axis }: MarkProps) => {
  const value = values[bar] ?? null
  if (bars.measured?.statistic !== 'sum') return <Line bars={bars} bar={bar} values={values} axis={axis} />
  if (value === null) return null
  const [zero, end] = [axis.placeOf(0), axis.placeOf(value)]
  const [y, height] = [percent(1 - Math.max(zero, end)), percent(Math.abs(end - zero))]
  return <rect style={boxOf(bars, bar)} y={y} height={height} />
}

/** A part of a line in steps: the height of a bar, and the way from the bar before. */
const Line = ({ bars, bar, values, axis: { placeOf }, kind = '' }: MarkProps & { readonly kind?: string }) => {
  const [before = null, value = null] = [values[bar - 1], values[bar]]
  if (value === null) return null
  const placeOfBar = placesOf(bars)
  const [x, width] = [percent(placeOfBar(bar)), percent(placeOfBar(bar + 1) - placeOfBar(bar))]
  const heights = [value, before ?? value].map(placeOf)
  const [low, high] = [Math.min(...heights), Math.max(...heights)]
  return (
    <g class={kind}>
      <rect x={x} width={width} y={percent(1 - placeOf(value))} height="2" />
      <rect x={x} width="2" y={percent(1 - high)} height={percent(high - low)} />
    </g>
  )
}
