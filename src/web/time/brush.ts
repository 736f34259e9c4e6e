import type uPlot from 'uplot'
import { announce, counted, h, setAttribute } from '../app/dom.ts'

/** The starts and counts of the bars. `name` returns the label of a period, which does not include `before`. */
export interface Bars {
  readonly starts: readonly number[]
  readonly counts: readonly number[]
  readonly step: number
  readonly name: (from: number, before: number) => string
}

/** Shows a tip for the bar under the pointer, and lets people choose bars by keys, as by dragging. */
export const makeBrush = (
  figure: HTMLElement,
  plot: uPlot,
  bars: Bars,
  onRange: (from: number, before: number) => void,
): void => {
  const { starts, counts, step, name } = bars
  const last = starts.length - 1
  let chosen: readonly [first: number, last: number] = [0, last]
  const tip = h('small', { class: 'tip', 'aria-hidden': 'true', hidden: true })
  figure.append(tip)
  const textOf = (from: number, to: number) => {
    const events = counts.slice(from, to + 1).reduce((sum, count) => sum + count, 0)
    const [start = 0, end = 0] = [starts[from], starts[to]]
    return `${name(start, end + step)}: ${counted(events, 'event')}`
  }
  const show = (from: number, to: number) => {
    chosen = [from, to]
    const [left, right] = [starts[from] ?? 0, (starts[to] ?? 0) + step].map((at) => plot.valToPos(at, 'x'))
    plot.setSelect(
      { left: left ?? 0, width: (right ?? 0) - (left ?? 0), top: 0, height: plot.over.clientHeight },
      false,
    )
    setAttribute(figure, 'aria-valuenow', from)
    setAttribute(figure, 'aria-valuetext', textOf(from, to))
    place(to, textOf(from, to))
  }
  const place = (at: number, text: string) => {
    tip.hidden = false
    tip.textContent = text
    const middle = plot.over.offsetLeft + plot.valToPos((starts[at] ?? 0) + step / 2, 'x')
    const left = Math.max(0, Math.min(figure.clientWidth - tip.offsetWidth, middle - tip.offsetWidth / 2))
    tip.style.left = `${left}px`
  }
  const hide = () => {
    tip.hidden = true
  }
  plot.over.addEventListener('mousemove', ({ offsetX }) => {
    const at = Math.floor((plot.posToVal(offsetX, 'x') - (starts[0] ?? 0)) / step)
    if (at < 0 || at > last) hide()
    else place(at, textOf(at, at))
  })
  plot.over.addEventListener('mouseleave', hide)
  setAttribute(figure, 'aria-valuemin', 0)
  setAttribute(figure, 'aria-valuemax', last)
  setAttribute(figure, 'aria-valuenow', 0)
  setAttribute(figure, 'aria-valuetext', textOf(0, last))
  figure.onkeydown = (event) => {
    if (event.key === 'Enter') return onRange(starts[chosen[0]] ?? 0, (starts[chosen[1]] ?? 0) + step)
    const next = moved(event, chosen, last)
    if (next === null) return
    event.preventDefault()
    show(...next)
    announce(textOf(...next))
  }
  figure.onblur = () => {
    hide()
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false)
  }
}

/** Returns the bars that a key chooses. Arrows move the choice, Shift moves its end. Null for other keys. */
const moved = (
  { key, shiftKey }: KeyboardEvent,
  [from, to]: readonly [number, number],
  last: number,
): readonly [number, number] | null => {
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
