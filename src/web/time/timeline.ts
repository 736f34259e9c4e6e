import uPlot from 'uplot'
import { fill, h, setAttribute } from '../app/dom.ts'
import { formatCount, formatInstant } from '../state/format.ts'
import type { SummaryAnswer } from '../state/known.ts'
import { makeBrush } from './brush.ts'

type Time = SummaryAnswer['time']

export interface Timeline {
  readonly update: (summary: SummaryAnswer | null, isNarrowed: boolean) => void
}

const HEIGHT = 120
const DAY = 86_400_000

/**
 * Makes a graph of the starts of all matching events. `onRange` gets a brushed range, which includes its start and not
 * its end. Null means all times. The graph removes its listeners when `ended` aborts.
 */
export const makeTimeline = (
  container: HTMLElement,
  onRange: (range: readonly [from: string, before: string] | null) => void,
  ended: AbortSignal,
): Timeline => {
  const all = h('button', { type: 'button', hidden: true, click: () => onRange(null) }, 'All times')
  const figure = h('div', { class: 'plot' })
  fill(
    container,
    h(
      'div',
      { class: 'panel-head' },
      h('h2', {}, 'Over time'),
      h('small', {}, 'Drag over the bars to choose a period, or use the arrow keys, Shift and Enter'),
      all,
    ),
    figure,
  )
  let plot: uPlot | null = null
  let time: Time | null = null
  const draw = () => {
    plot?.destroy()
    plot = null
    const isPlain = time === null || time.bins.length < 2
    setAttribute(figure, 'role', isPlain ? 'img' : 'slider')
    setAttribute(figure, 'tabindex', isPlain ? null : 0)
    if (time === null || isPlain) return fill(figure, h('p', { class: 'empty' }, describe(time)))
    fill(figure)
    plot = plotOf(time, figure, choose)
  }
  const choose = unlessEnded(onRange, ended)
  const sizes = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0)
    if (plot !== null && width > 0 && width !== plot.width) plot.setSize({ width, height: HEIGHT })
  })
  sizes.observe(figure)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw, { signal: ended })
  const end = () => {
    plot?.destroy()
    sizes.disconnect()
    figure.remove()
  }
  ended.addEventListener('abort', end, { once: true })
  return {
    update: (summary, isNarrowed) => {
      time = summary?.time ?? null
      all.hidden = !isNarrowed
      container.hidden = time === null || (time.bins.length < 2 && !isNarrowed)
      figure.setAttribute('aria-label', describe(time))
      draw()
    },
  }
}

/** Drops a callback when the page ends. V8 keeps the first plot in memory, so a plot must not hold on to its page. */
const unlessEnded = <Value>(call: (value: Value) => void, ended: AbortSignal): ((value: Value) => void) => {
  let current: typeof call | null = call
  const end = () => {
    current = null
  }
  ended.addEventListener('abort', end, { once: true })
  return (value) => current?.(value)
}

/** Describes the bars in a sentence. */
const describe = (time: Time | null): string => {
  if (time === null || time.bins.length === 0) return 'No event in this period'
  const [at, most] = time.bins.reduce((best, bin) => (bin[1] > best[1] ? bin : best))
  const period = `from ${formatInstant(time.start)} to ${formatInstant(time.end)}`
  return `Events over time ${period}. The largest bar has ${formatCount(most)} and starts at ${formatInstant(at)}`
}

const bars = uPlot.paths.bars?.({ size: [0.9, 40, 1], align: 1 })

const plotOf = (time: Time, figure: HTMLElement, onRange: (range: readonly [string, string]) => void): uPlot => {
  const styles = getComputedStyle(document.documentElement)
  const color = (name: string) => styles.getPropertyValue(name).trim()
  const step = Math.max(1, time.step ?? 1)
  const [first = 0] = time.bins[0] ?? []
  const [last = first] = time.bins.at(-1) ?? []
  const counts = new Map(time.bins.map(([at, count]) => [at, count]))
  // Empty bins are included, because uPlot derives the width of bars from the distance between them.
  const starts = Array.from({ length: Math.round((last - first) / step) + 1 }, (_, i) => first + i * step)
  const heights = starts.map((at) => counts.get(at) ?? 0)
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  }
  const plot = new uPlot(
    {
      width: Math.max(200, figure.clientWidth),
      height: HEIGHT,
      ms: 1,
      tzDate: (at) => uPlot.tzDate(new Date(at), 'Etc/UTC'),
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false }, y: false },
      scales: {
        x: { time: true, range: () => [first - step / 2, last + 1.5 * step] },
        y: { range: (_, __, most) => [0, Math.max(1, most) * 1.1] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 26,
          space: 90,
          values: (_, ticks, __, ___, step) => ticks.map(labelOf(step)),
        },
        {
          ...axis,
          size: 52,
          splits: (plot) => ticksOf(plot.scales.y?.max ?? 1),
          values: (_, ticks) => ticks.map(formatCount),
        },
      ],
      series: [
        {},
        {
          stroke: color('--accent'),
          fill: color('--accent'),
          width: 0,
          points: { show: false },
          ...(bars === undefined ? {} : { paths: bars }),
        },
      ],
      hooks: {
        setSelect: [
          (plot) => {
            if (plot.select.width < 3) return
            const from = plot.posToVal(plot.select.left, 'x')
            const to = plot.posToVal(plot.select.left + plot.select.width, 'x')
            plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false)
            onRange(rangeOf(from, to))
          },
        ],
      },
    },
    [starts, heights],
    figure,
  )
  const label = labelOf(step)
  const name = (from: number, before: number) =>
    before - from > step ? `${label(from)} to ${label(before - step)}` : label(from)
  makeBrush(figure, plot, { starts, counts: heights, step, name }, (from, before) => onRange(rangeOf(from, before)))
  return plot
}

/** Formats an instant in UTC. The step of the axis decides how exact the text is. */
const labelOf = (step: number) => (at: number) => {
  const text = new Date(at).toISOString()
  if (step >= 365 * DAY) return text.slice(0, -20)
  if (step >= 28 * DAY) return text.slice(0, -17)
  if (step >= DAY) return text.slice(0, -14)
  return step >= 60_000 ? text.slice(-19, -8).replace('T', ' ') : text.slice(-13, -5)
}

/** Returns at most three whole numbers for the axis. */
const ticksOf = (max: number): number[] => {
  const raw = max / 2.2
  const power = 10 ** Math.floor(Math.log10(Math.max(1, raw)))
  const nice = Math.max(1, ([5, 2, 1].find((each) => each * power <= raw) ?? 1) * power)
  return [0, nice, 2 * nice].filter((tick) => tick <= max)
}

const UNITS = [DAY, 3_600_000, 60_000, 1000, 1]

/** Writes a range in ISO 8601. Rounds to the largest unit that is at most a hundredth of the range. */
const rangeOf = (from: number, to: number): readonly [string, string] => {
  const unit = UNITS.find((each) => each <= (to - from) / 100) ?? 1
  const start = Math.round(from / unit) * unit
  return [iso(start), iso(Math.max(Math.round(to / unit) * unit, start + unit))]
}

const iso = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z')
