import { fill, h } from '../app/dom.ts'
import type { EventItem } from '../state/event.ts'
import { formatCount, formatDuration, formatInstant } from '../state/format.ts'
import type { SeriesById } from '../state/known.ts'

const MOST = 12

/** Shows the longest events of a page as bars on one time axis. Leaves out events without a length. */
export const showSpans = (container: HTMLElement, events: readonly EventItem[], known: SeriesById): void => {
  const lasting = events.filter(({ start, end }) => end > start)
  container.hidden = lasting.length === 0
  if (lasting.length === 0) return
  const length = ({ start, end }: EventItem) => end - start
  const longest = [...lasting].sort((a, b) => length(b) - length(a)).slice(0, MOST)
  const shown = lasting.filter((event) => longest.includes(event))
  const start = Math.min(...shown.map((event) => event.start))
  const end = Math.max(...shown.map((event) => event.end))
  const items = shown.map((event) => {
    const bar = h('span', { class: 'bar', 'aria-hidden': 'true' })
    bar.style.marginLeft = `${(100 * (event.start - start)) / (end - start)}%`
    bar.style.width = `${(100 * (event.end - event.start)) / (end - start)}%`
    bar.style.backgroundColor = known.get(event.series)?.color ?? ''
    const period = `${formatInstant(event.start)} to ${formatInstant(event.end)}`
    return h(
      'li',
      { title: period },
      h('a', { href: event.url }, [event.category, event.value].filter(Boolean).join(': ') || 'Event'),
      h('span', { class: 'track' }, bar),
      h('small', {}, formatDuration(event.end - event.start)),
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
          ? `The ${MOST} longest events of this page, without ${formatCount(left)} shorter ones`
          : 'Events of this page with a length',
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
