import type { Schemas } from '../api.d.ts'
import { downloadsOf } from '../list/pager.ts'
import { hrefOf, placeOf } from '../state/address.ts'
import { formatBounds, formatExact } from '../state/format.ts'
import { eventsOf, summaryOf } from '../state/known.ts'
import type { Series } from '../state/rows.ts'
import { ask } from '../state/service.ts'
import { showOverTime } from '../time/over.tsx'
import { counted, fill, h, swatch } from './dom.ts'
import { type Fact, showFacts, showMap } from './facts.ts'

/** Shows the page of a series, with its events on a map and over time. */
export const showSeries = (series: Series, prefix: string, signal: AbortSignal): HTMLElement => {
  const place = eventsOf(prefix, series)
  const summary = summaryOf(place, signal).catch(() => null)
  const events = h('a', { class: 'button primary', href: hrefOf(place) }, 'Events of this series')
  const count = h('h2', { class: 'count' })
  summary.then((found) => fill(count, found === null ? '' : counted(found.count, 'event')))
  const facts: Fact[] = [
    ['Description', series.description || null],
    ['Colour', h('span', { class: 'series' }, swatch(series.color), series.color)],
    ['Start', formatExact(series.start ?? series.first_value_timestamp)],
    ['End', formatExact(series.end ?? series.last_value_timestamp)],
    ['Observes', observationType(series, signal)],
    ['Statistic', series.statistic],
    ...(series.access_modifier === undefined ? [] : [['Access', series.access_modifier] as const]),
    ...(series.spatial_bounds === undefined ? [] : [['Bounds', formatBounds(series.spatial_bounds)] as const]),
  ]
  const rows = series.spatial_bounds ? [series] : []
  const placed = summary.then((found) => {
    if (found === null || found.density.cells.length === 0) throw new Error('nothing to show')
    return { rows, series: new Map(), summary: found, filters: place.parameters }
  })
  const map = showMap(prefix, placed, signal)
  return h(
    'div',
    {},
    h('div', { class: 'headline' }, count, h('div', { class: 'actions' }, events, downloadsOf(place))),
    h(
      'div',
      { class: 'item' },
      showFacts(facts),
      h('div', { class: 'pictures' }, map, showOverTime(place, summary, signal)),
    ),
  )
}

/** Shows the name of the observation type. An answer of /ogc has the name. Other answers have only its address. */
const observationType = (series: Series, signal: AbortSignal): HTMLElement | string | null => {
  const { observation_type: address, observation_type_name: known } = series
  if (address === undefined) return known ?? null
  const type = h('a', { href: address }, 'Observation type')
  nameOf(address, signal).then((name) => fill(type, name ?? 'Observation type'))
  return type
}

const nameOf = async (address: string, signal: AbortSignal): Promise<string | null> => {
  const { status, body } = await ask(placeOf(address), signal).catch(() => ({ status: 0, body: null }))
  const { name, unit } = (body ?? {}) as Partial<Schemas['ObservationType']>
  if (status !== 200 || name === undefined) return null
  return unit ? `${name} (${unit})` : name
}
