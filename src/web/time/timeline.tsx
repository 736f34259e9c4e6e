import type { RefObject, TargetedPointerEvent } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { Scale } from './axis.ts'
import { type Bars, barIn, type Choice, moved, rangeOf } from './bars.ts'
import { Drawing, percent, placesOf } from './drawing.tsx'
import { describeBars } from './names.ts'
import { timeTexts } from './text.ts'

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
          {chosen !== null && (
            <rect
              class="chosen"
              x={percent(placeOf(chosen[0]))}
              width={percent(placeOf(chosen[1] + 1) - placeOf(chosen[0]))}
              height="100%"
            />
          )}
        </svg>
        {described !== null && (
          <Tip place={(placeOf(described[1]) + placeOf(described[1] + 1)) / 2} text={describeBars(bars, described)} />
        )}
      </div>
    </div>
  )
}

/** Tells about bars, above a place. It moves to the left by the same part of its own width, so it stays in the graph. */
const Tip = ({ place, text }: { readonly place: number; readonly text: string }) => (
  <small class="tip" aria-hidden="true" style={{ left: percent(place), transform: `translateX(-${percent(place)})` }}>
    {text}
  </small>
)
