import { h } from '../app/dom.ts'

import type { EventItem } from '../state/event.ts'
import { formatDuration, formatInstant } from '../state/format.ts'
import type { SeriesById } from '../state/known.ts'
import { uuidOf } from '../state/rows.ts'

const MOST = 8

/** The properties of an event in a tile. */
export interface TileEvent {
  readonly id: number
  readonly category: string
  readonly event_series: string
  readonly start: number
  readonly end: number
}

/** Makes the popup for the events at a position: rows of the page, and other events of tiles. */
export const popupOf = (events: readonly (EventItem | TileEvent)[], known: SeriesById, prefix: string): HTMLElement =>
  h(
    'div',
    { class: 'popup' },
    h(
      'ul',
      {},
      events.slice(0, MOST).map((event) => ('url' in event ? itemOf(event, known) : tileItem(event, known, prefix))),
    ),
    events.length > MOST && h('p', {}, `and ${events.length - MOST} more here`),
  )

const itemOf = ({ id, url, value, category, start, end, series: key }: EventItem, known: SeriesById) => {
  const series = known.get(key)
  return h(
    'li',
    {},
    h('a', { href: url }, value || `Event ${id}`),
    h('div', {}, [periodOf(start, end), category].filter(Boolean).join(' · ')),
    series === undefined ? null : h('a', { href: series.url }, series.name),
  )
}

const tileItem = ({ id, category, event_series, start, end }: TileEvent, known: SeriesById, prefix: string) => {
  const series = [...known.values()].find((each) => uuidOf(each) === event_series)
  return h(
    'li',
    {},
    h('a', { href: `${prefix}/api/v3/events/${id}/` }, `Event ${id}`),
    h('div', {}, [periodOf(start, end), category].filter(Boolean).join(' · ')),
    series === undefined ? null : h('a', { href: series.url }, series.name),
  )
}

/** Formats a start and a duration. */
export const periodOf = (start: number, end: number): string =>
  `${formatInstant(start)}${end === start ? '' : ` + ${formatDuration(end - start)}`}`
