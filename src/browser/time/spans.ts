import type { SeriesById } from '../list/known.ts'
import { type EventFeature, formatDuration, formatInstant } from '../list/rows.ts'
import { fill, formatCount, h } from '../page/dom.ts'

const MOST = 12

/** From start to end, the events of a page that last, as bars on one axis; the longest where there are many. */
export const showSpans = (container: HTMLElement, events: readonly EventFeature[], known: SeriesById): void => {
  const lasting = events.filter(({ properties: p }) => p.timestamp_end > p.timestamp_start)
  container.hidden = lasting.length === 0
  if (lasting.length === 0) return
  const length = ({ properties: p }: EventFeature) => p.timestamp_end - p.timestamp_start
  const longest = [...lasting].sort((a, b) => length(b) - length(a)).slice(0, MOST)
  const shown = lasting.filter((event) => longest.includes(event))
  const start = Math.min(...shown.map(({ properties: p }) => p.timestamp_start))
  const end = Math.max(...shown.map(({ properties: p }) => p.timestamp_end))
  const items = shown.map(({ properties: p }) => {
    const bar = h('span', { class: 'bar', 'aria-hidden': 'true' })
    bar.style.marginLeft = `${(100 * (p.timestamp_start - start)) / (end - start)}%`
    bar.style.width = `${(100 * (p.timestamp_end - p.timestamp_start)) / (end - start)}%`
    bar.style.backgroundColor = known.get(p.event_series)?.color ?? ''
    const period = `${formatInstant(p.timestamp_start)} to ${formatInstant(p.timestamp_end)}`
    return h(
      'li',
      { title: period },
      h('a', { href: p.url }, [p.category, p.value].filter(Boolean).join(': ') || 'Event'),
      h('span', { class: 'track' }, bar),
      h('small', {}, formatDuration(p.timestamp_end - p.timestamp_start)),
    )
  })
  const left = lasting.length - shown.length
  fill(
    container,
    h(
      'div',
      { class: 'panel-head' },
      h('h2', {}, 'From start to end'),
      h(
        'small',
        {},
        left > 0
          ? `The ${MOST} longest of this page, ${formatCount(left)} shorter ones not shown`
          : 'Events of this page that last',
      ),
    ),
    h('ol', { class: 'spans' }, items),
    h(
      'div',
      { class: 'span-axis', 'aria-hidden': 'true' },
      h('small', {}, formatInstant(start)),
      h('small', {}, formatInstant(end)),
    ),
  )
}
