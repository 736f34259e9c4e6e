import type uPlot from 'uplot'
import type { Choice } from './bars.ts'

interface PointerEvents {
  /** Gets the distance of the pointer from the left edge in pixels. Null: the pointer left. */
  readonly onMove: (left: number | null) => void
  /** Gets the two edges of a brushed range in pixels. They are nearly equal if a mouse clicked. */
  readonly onBrush: (left: number, right: number) => void
}

/** The least width of a brush in pixels. A shorter one is a click, or a tap. */
const LEAST = 3

/** Follows a mouse, a pen or a finger over a plot. The browser scrolls if a finger moves up or down. */
export const followPointer = (plot: uPlot, { onMove, onBrush }: PointerEvents): void => {
  const { over } = plot
  let start: number | null = null
  const leftOf = ({ clientX }: PointerEvent) => {
    const { left, width } = over.getBoundingClientRect()
    return Math.max(0, Math.min(width, clientX - left))
  }
  const show = (left: number, width: number) =>
    plot.setSelect({ left, width, top: 0, height: over.clientHeight }, false)
  const stop = () => {
    start = null
    show(0, 0)
  }
  over.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !event.isPrimary) return
    start = leftOf(event)
    over.setPointerCapture(event.pointerId)
    onMove(start)
  })
  over.addEventListener('pointermove', (event) => {
    const at = leftOf(event)
    onMove(at)
    if (start !== null) show(Math.min(start, at), Math.abs(at - start))
  })
  over.addEventListener('pointerup', (event) => {
    const [from, to] = [start, leftOf(event)]
    stop()
    if (from === null) return
    // A tap only shows the tip of a bar.
    if (Math.abs(to - from) >= LEAST || event.pointerType === 'mouse') onBrush(Math.min(from, to), Math.max(from, to))
  })
  over.addEventListener('pointercancel', stop)
  over.addEventListener('pointerleave', ({ pointerType }) => {
    // The tip of a bar stays after a tap.
    if (pointerType !== 'touch') onMove(null)
  })
}

/** Returns the bars that a key chooses. Arrows move the choice, Shift moves its end. Null for other keys. */
export const moved = (
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
  [from, to]: Choice,
  last: number,
): Choice | null => {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    PageDown: -Math.ceil(last / 10),
    PageUp: Math.ceil(last / 10),
    Home: -last,
    End: last,
  }
  const by = steps[key]
  if (by === undefined) return null
  const within = (at: number) => Math.max(0, Math.min(last, at))
  if (shiftKey) return [from, Math.max(from, within(to + by))]
  // At first all bars are chosen. Then an arrow chooses the first or the last bar.
  if (from === 0 && to === last) return by > 0 ? [0, 0] : [last, last]
  const begin = within(from + by)
  return [begin, within(begin + to - from)]
}
