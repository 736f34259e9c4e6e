import { seriesLink } from '../list/columns.ts'
import { type AddressParameter, hrefOf, type PageAddress, parameter } from '../state/address.ts'
import type { EventItem } from '../state/event.ts'
import { formatDuration, formatExact, formatPosition } from '../state/format.ts'
import { seriesOf } from '../state/known.ts'
import { lastList } from '../state/service.ts'
import { counted, fill, h } from './dom.ts'
import { showFacts, showMap } from './facts.ts'

/** Shows the page of an event, with links to the events of its category, series and object. */
export const showEvent = (event: EventItem, place: PageAddress, prefix: string, signal: AbortSignal): HTMLElement => {
  const { geometry, object, category } = event
  const path = listOf(place)
  const asked = seriesOf(prefix, new Set([event.series]), signal).catch(() => new Map())
  const series = h('span', {}, `Series ${event.series}`)
  asked.then((known) => {
    const found = known.get(event.series)
    if (found !== undefined) fill(series, seriesLink(found))
  })
  const [, , z] = geometry?.coordinates ?? []
  const list = showFacts([
    ['Value', event.value || null],
    ['Category', category ? linkTo({ path, parameters: [parameter('category', category)] }, category) : null],
    ['Series', series],
    ['Start', formatExact(event.start)],
    ['End', formatExact(event.end)],
    ['Duration', formatDuration(event.end - event.start)],
    ['Place', geometry === null ? null : formatPosition(geometry.coordinates)],
    ['z', z === undefined || z === null ? null : z.toLocaleString('en', { maximumFractionDigits: 20 })],
    ['Object', object && linkTo(eventsOfObject(path, prefix, object), `${object.type} ${object.id}`)],
  ])
  const map =
    geometry === null
      ? null
      : showMap(
          prefix,
          asked.then((known) => ({ rows: [event], series: known, summary: null })),
          signal,
        )
  return h('div', {}, backTo(path), h('div', { class: 'item' }, list, map))
}

const linkTo = (place: PageAddress, text: string) => h('a', { href: hrefOf(place) }, text)

/** Returns the path of the list of an item. */
const listOf = ({ path }: PageAddress): string => {
  const list = path.replace(/[^/]+\/?$/, '')
  return path.endsWith('/') ? list : list.replace(/\/$/, '')
}

const backTo = (path: string): HTMLElement => {
  const from = lastList(path)
  const text = from === null ? 'To the list' : `Back to the ${counted(from.count, 'event')}`
  return h('p', { class: 'back' }, h('a', { href: from?.address ?? path }, `‹ ${text}`))
}

/** Returns the list of an object's events. Version 4 has no such filter, so its page links to version 3. */
const eventsOfObject = (path: string, prefix: string, { type, id }: NonNullable<EventItem['object']>): PageAddress => {
  const parameters: AddressParameter[] = [parameter('object', `${type}$${id}`)]
  if (!path.startsWith(`${prefix}/ogc/`)) return { path: `${prefix}/api/v3/events/`, parameters }
  return { path, parameters: [parameter('object_type', type), parameter('object_id', String(id))] }
}
