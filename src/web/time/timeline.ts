import type uPlot from 'uplot'
import { formatCompact, zone } from '../state/format.ts'
import { PAPER } from '../state/picture.ts'
import { type Choice, labelOf, rangeOf, SCALES, type Scale, ticksOf } from './bars.ts'
import { followPointer } from './brush.ts'
import type { Stacked } from './layers.ts'

/** A drawn graph. */
export interface Timeline {
  readonly canvas: HTMLCanvasElement
  /** Returns the middle of a bar, as a part of the width of the graph. */
  readonly middleOf: (bar: number) => number
  /** Shows which bars are chosen. Null: none. */
  readonly select: (bars: Choice | null) => void
  readonly end: () => void
}

export interface TimelineEvents {
  /** Gets the bar under the pointer. Null: none. */
  readonly onPoint: (bar: number | null) => void
  /** Gets a brushed range in ISO 8601. */
  readonly onRange: (range: readonly [from: string, before: string]) => void
}

const HEIGHT = 120 // pixels
const DECADE = 315_576_000_000 // milliseconds

type UPlot = typeof uPlot

/** Draws bars with uPlot, which loads later. The container has no other content. */
export const drawTimeline = (
  library: UPlot,
  container: HTMLElement,
  bars: Stacked,
  scale: Scale,
  { onPoint, onRange }: TimelineEvents,
): Timeline => {
  const { starts, step } = bars
  const [first = 0] = starts
  const plot = new library(
    optionsOf(library, bars, scale, container.clientWidth),
    [[...starts], ...topsOf(bars, scale)],
    container,
  )
  const select = (chosen: Choice | null) => {
    const [left, right] = (chosen ?? [0, -1]).map((bar, i) => plot.valToPos(first + (bar + i) * step, 'x'))
    const width = chosen === null ? 0 : (right ?? 0) - (left ?? 0)
    plot.setSelect({ left: left ?? 0, width, top: 0, height: plot.over.clientHeight }, false)
  }
  followPointer(plot, {
    onMove: (left) => {
      const bar = left === null ? -1 : Math.floor((plot.posToVal(left, 'x') - first) / step)
      onPoint(bar >= 0 && bar < starts.length ? bar : null)
    },
    onBrush: (left, right) => onRange(rangeOf(plot.posToVal(left, 'x'), plot.posToVal(right, 'x'))),
  })
  const sizes = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0)
    if (width > 0 && width !== plot.width) plot.setSize({ width, height: HEIGHT })
  })
  sizes.observe(container)
  const printed = new AbortController()
  const resize = (width: number) => plot.setSize({ width, height: HEIGHT })
  addEventListener('beforeprint', () => resize(PAPER), printed)
  addEventListener('afterprint', () => resize(container.clientWidth), printed)
  return {
    canvas: plot.ctx.canvas,
    middleOf: (bar) => (plot.over.offsetLeft + plot.valToPos(first + (bar + 0.5) * step, 'x')) / plot.width,
    select,
    end: () => {
      sizes.disconnect()
      printed.abort()
      plot.destroy()
    },
  }
}

/** Returns the height of each layer's upper edge in each bar. The highest layer is first, because others cover it. */
const topsOf = ({ counts, layers }: Stacked, scale: Scale): number[][] => {
  const { heightOf } = SCALES[scale]
  const heights = counts.map(heightOf)
  if (layers.length === 0) return [heights]
  const below = counts.map(() => 0)
  const tops = layers.map((layer) =>
    layer.counts.map((count, at) => {
      const sum = (below[at] ?? 0) + count
      below[at] = sum
      // The scale sets the height of the bar. Its layers divide it by their share.
      return sum === 0 ? 0 : ((heights[at] ?? 0) * sum) / (counts[at] ?? sum)
    }),
  )
  return tops.reverse()
}

const optionsOf = (library: UPlot, { starts, step, layers }: Stacked, scale: Scale, width: number): uPlot.Options => {
  const paths = library.paths.bars?.({ size: [0.9, 40, 1], align: 1 })
  const styles = getComputedStyle(document.documentElement)
  const color = (name: string) => styles.getPropertyValue(name).trim()
  const [first = 0, last = 0] = [starts[0], starts.at(-1)]
  const colors = layers.length === 0 ? [color('--accent')] : layers.map((layer) => layer.color).reverse()
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  }
  const { countAt, heightOf } = SCALES[scale]
  return {
    width: Math.max(200, width),
    height: HEIGHT,
    ms: 1,
    padding: [6, null, null, null],
    tzDate: (at) => (zone.value === 'utc' ? library.tzDate(new Date(at), 'Etc/UTC') : new Date(at)),
    legend: { show: false },
    // The brush follows the pointer, because uPlot knows only the mouse.
    cursor: { show: false, drag: { x: false, y: false, setScale: false } },
    scales: {
      x: { time: true, range: () => [first - step / 2, last + 1.5 * step] },
      y: { range: (_, __, most) => [0, Math.max(1, most) * 1.1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        // Years are shorter than other labels.
        space: (_, __, from, before) => (before - from > DECADE / 2 ? 56 : 90),
        values: (_, ticks, __, ___, step) => ticks.map(labelOf(step)),
      },
      {
        ...axis,
        size: 48,
        splits: (plot) => ticksOf(plot.scales.y?.max ?? 1, scale).map(heightOf),
        values: (_, heights) => heights.map((height) => formatCompact(Math.round(countAt(height)))),
      },
    ],
    series: [
      {},
      ...colors.map((fill) => ({ stroke: fill, fill, width: 0, points: { show: false }, ...(paths && { paths }) })),
    ],
  }
}
