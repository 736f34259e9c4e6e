import { seriesLink } from '../list/columns.ts'
import { seriesOf } from '../list/known.ts'
import { type EventFeature, formatDuration, formatPosition } from '../list/rows.ts'
import { hrefOf, type Parameter, parameter } from './address.ts'
import { counted, fill, h } from './dom.ts'
import { inUtc, showFacts, showMap } from './facts.ts'
import { lastList } from './service.ts'

/** The page of an event, with links to what has something in common with it. */
export const showEvent = (event: EventFeature, prefix: string, signal: AbortSignal): HTMLElement => {
  const { properties: p, geometry } = event
  const path = `${prefix}/api/v3/events/`
  const like = (text: string, ...parameters: Parameter[]) => h('a', { href: hrefOf({ path, parameters }) }, text)
  const asked = seriesOf(prefix, new Set([p.event_series]), signal).catch(() => new Map())
  const series = h('span', {}, `Series ${p.event_series}`)
  asked.then((known) => {
    const found = known.get(p.event_series)
    if (found !== undefined) fill(series, seriesLink(found))
  })
  const [, , z] = geometry?.coordinates ?? []
  const { object } = p
  const list = showFacts([
    ['Value', p.value || null],
    ['Category', p.category ? like(p.category, parameter('category', p.category)) : null],
    ['Series', series],
    ['Start', inUtc(p.timestamp_start)],
    ['End', inUtc(p.timestamp_end)],
    ['Duration', formatDuration(p.timestamp_end - p.timestamp_start)],
    ['Place', geometry === null ? null : formatPosition(geometry.coordinates)],
    ['z', z === undefined || z === null ? null : z.toLocaleString('en', { maximumFractionDigits: 20 })],
    ['Object', object && like(`${object.type} ${object.id}`, parameter('object', `${object.type}$${object.id}`))],
  ])
  const from = lastList(path)
  const text = from === null ? 'To the list' : `Back to the ${counted(from.count, 'event')}`
  const back = h('p', { class: 'back' }, h('a', { href: from?.address ?? path }, `‹ ${text}`))
  const map =
    geometry === null
      ? null
      : showMap(
          prefix,
          asked.then((known) => ({ rows: [event], series: known, summary: null })),
        )
  return h('div', {}, back, h('div', { class: 'item' }, list, map))
}
