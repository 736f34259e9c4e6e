import { seriesLink } from './columns.ts'
import { h } from './dom.ts'
import type { SeriesById } from './known.ts'
import { type EventFeature, formatDuration, formatInstant } from './rows.ts'

const MOST = 8

/** What the map tells of the events at a place. */
export const popupOf = (events: readonly EventFeature[], known: SeriesById): HTMLElement =>
  h(
    'div',
    { class: 'popup' },
    h(
      'ul',
      {},
      events.slice(0, MOST).map((event) => itemOf(event, known)),
    ),
    events.length > MOST && h('p', {}, `and ${events.length - MOST} more here`),
  )

const itemOf = ({ id, properties: p }: EventFeature, known: SeriesById) => {
  const series = known.get(p.event_series)
  const length = p.timestamp_end - p.timestamp_start
  const period = `${formatInstant(p.timestamp_start)}${length === 0 ? '' : ` + ${formatDuration(length)}`}`
  return h(
    'li',
    {},
    h('a', { href: p.url }, p.value || `Event ${id}`),
    h('div', {}, [period, p.category].filter(Boolean).join(' · ')),
    series === undefined ? null : seriesLink(series),
  )
}
