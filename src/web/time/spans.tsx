import type { EventItem } from '../state/event.ts'
import { formatCount, formatDuration, formatInstant, formatValue } from '../state/format.ts'
import type { SeriesById } from '../state/known.ts'
import { texts } from '../state/text.ts'
import { timeTexts } from './text.ts'

const MOST = 12

interface SpansProps {
  readonly events: readonly EventItem[]
  readonly series: SeriesById
}

const lengthOf = ({ start, end }: EventItem): number => end - start

/** Shows the longest events of a page as bars on one time axis. Leaves out events without a length. */
export const Spans = ({ events, series }: SpansProps) => {
  const text = timeTexts()
  const lasting = events.filter((event) => lengthOf(event) > 0)
  if (lasting.length === 0) return null
  const longest = [...lasting].sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MOST)
  const shown = lasting.filter((event) => longest.includes(event))
  const start = Math.min(...shown.map((event) => event.start))
  const end = Math.max(...shown.map((event) => event.end))
  const left = lasting.length - shown.length
  return (
    <section class="panel lasting" aria-label={text.spans}>
      <div class="panel-head">
        <h2>{text.spans}</h2>
        <small>{left > 0 ? text.longest(formatCount(MOST), formatCount(left)) : text.lasting}</small>
      </div>
      <ol class="spans">
        {shown.map((event) => (
          <Span
            key={event.id}
            event={event}
            color={series.get(event.series)?.color}
            offset={(event.start - start) / (end - start)}
            part={lengthOf(event) / (end - start)}
          />
        ))}
      </ol>
      <div class="span-axis" aria-hidden="true">
        <small>{formatInstant(start)}</small>
        <small>{formatInstant(end)}</small>
      </div>
    </section>
  )
}

interface SpanProps {
  readonly event: EventItem
  readonly color: string | undefined
  /** The distance from the start of the axis, as a part of the axis. */
  readonly offset: number
  readonly part: number
}

const Span = ({ event, color, offset, part }: SpanProps) => {
  const { category, value, url } = event
  const period = `${formatInstant(event.start)} ${texts().units.until} ${formatInstant(event.end)}`
  const style = { marginLeft: `${100 * offset}%`, width: `${100 * part}%`, backgroundColor: color ?? '' }
  return (
    <li title={period}>
      <a class="cut" href={url}>
        {[category, formatValue(value)].filter(Boolean).join(': ') || timeTexts().unnamedEvent}
      </a>
      <span class="track">
        <span class="bar" aria-hidden="true" style={style} />
      </span>
      <small>{formatDuration(lengthOf(event))}</small>
    </li>
  )
}
