import { formatCompact } from '../state/format.ts'
import { marksOf, SCALES, type Scale, ticksOf } from './axis.ts'
import { type Bars, partsOf } from './bars.ts'
import { describeBars } from './names.ts'

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
  const { heightOf } = SCALES[scale]
  const highest = 1.1 * Math.max(1, ...bars.counts.map(heightOf))
  const placeOf = placesOf(bars)
  return (
    <>
      {ticksOf(highest, scale).map((count) => {
        const y = percent(1 - heightOf(count) / highest)
        return (
          <g key={count}>
            <rect class="grid" y={y} width="100%" height="1" />
            <text x="-8" y={y} dy="0.32em" text-anchor="end">
              {formatCompact(count)}
            </text>
          </g>
        )
      })}
      {bars.counts.map((count, bar) => {
        const width = placeOf(bar + 1) - placeOf(bar)
        // The gap between bars is at least one pixel.
        const box = { x: percent(placeOf(bar)), width: `min(${percent(0.9 * width)}, ${percent(width)} - 1px)` }
        return (
          <g key={bars.edges[bar]}>
            <title>{describeBars(bars, [bar, bar])}</title>
            {partsOf(bars, bar, heightOf(count) / highest).map(({ color, bottom, top }) => (
              <rect key={bottom} fill={color} style={box} y={percent(1 - top)} height={percent(top - bottom)} />
            ))}
          </g>
        )
      })}
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
