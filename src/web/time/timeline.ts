import type uPlot from 'uplot'
import { formatCompact, zone } from '../state/format.ts'
import { PAPER } from '../state/picture.ts'
import { barIn, type Choice, labelOf, rangeOf, SCALES, type Scale, ticksOf } from './bars.ts'
import { followPointer } from './brush.ts'
import { isDark } from './dark.ts'
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
  const { edges, counts } = bars
  const plot = new library(
    optionsOf(library, bars, scale, container.clientWidth),
    [edges.slice(0, -1), ...topsOf(bars, scale)],
    container,
  )
  const placeOf = (edge: number) => plot.valToPos(edges[edge] ?? 0, 'x')
  const barAt = (left: number) => barIn(bars, plot.posToVal(left, 'x'))
  const select = (chosen: Choice | null) => {
    const [left, right] = chosen === null ? [0, 0] : [placeOf(chosen[0]), placeOf(chosen[1] + 1)]
    plot.setSelect({ left, width: right - left, top: 0, height: plot.over.clientHeight }, false)
  }
  followPointer(plot, {
    onMove: (left) => onPoint(left === null ? null : barAt(left)),
    onBrush: (left, right) => onRange(rangeOf(bars, [barAt(left) ?? 0, barAt(right) ?? counts.length - 1])),
  })
  const sizes = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0)
    if (width > 0 && width !== plot.width) plot.setSize({ width, height: HEIGHT })
  })
  sizes.observe(container)
  const printed = new AbortController()
  const stopColours = isDark.subscribe(() => plot.redraw())
  const resize = (width: number) => plot.setSize({ width, height: HEIGHT })
  addEventListener('beforeprint', () => resize(PAPER), printed)
  addEventListener('afterprint', () => resize(container.clientWidth), printed)
  return {
    canvas: plot.ctx.canvas,
    middleOf: (bar) => (plot.over.offsetLeft + (placeOf(bar) + placeOf(bar + 1)) / 2) / plot.width,
    select,
    end: () => {
      sizes.disconnect()
      printed.abort()
      stopColours()
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

/** Draws bars from edge to edge, because bars of months differ in width. Bars of three pixels and more have a gap. */
const barsBetween =
  (edges: readonly number[]): uPlot.Series.PathBuilder =>
  (plot, series, first, last) => {
    const fill = new Path2D()
    const x = (edge: number) => Math.round(plot.valToPos(edges[edge] ?? 0, 'x', true))
    const bottom = plot.valToPos(0, 'y', true)
    for (let bar = first; bar <= last; bar++) {
      const top = plot.valToPos(plot.data[series]?.[bar] ?? 0, 'y', true)
      const [left, width] = [x(bar), x(bar + 1) - x(bar)]
      fill.rect(left, top, width < 3 ? width : Math.min(width - 1, 0.9 * width), bottom - top)
    }
    return { fill, stroke: null }
  }

const optionsOf = (library: UPlot, { edges, layers }: Stacked, scale: Scale, width: number): uPlot.Options => {
  const paths = barsBetween(edges)
  const styles = getComputedStyle(document.documentElement)
  const color = (name: string) => () => styles.getPropertyValue(name).trim()
  const [first = 0, last = 0] = [edges[0], edges.at(-1)]
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
      x: { time: true, range: () => [first, last] },
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
    series: [{}, ...colors.map((fill) => ({ stroke: fill, fill, width: 0, points: { show: false }, paths }))],
  }
}
