import { hrefOf, type Place } from './address.ts'
import { seriesLink } from './columns.ts'
import { labelOf } from './context.ts'
import { h, swatch } from './dom.ts'
import { eventsOf, type SeriesById, seriesOf } from './known.ts'
import {
  type EventFeature,
  formatBounds,
  formatDuration,
  formatInstant,
  formatPosition,
  isEvent,
  isSeries,
  type Series,
} from './rows.ts'

type Fact = readonly [name: string, value: Node | string | null]

/** What is shown of one thing, or of an address above the lists. */
export const showItem = (body: object, prefix: string, signal: AbortSignal): HTMLElement => {
  if (isEvent(body)) return showEvent(body, prefix, signal)
  if (isSeries(body)) return showSeries(body, prefix, signal)
  const entries = Object.entries(body)
  const isRoot = entries.length > 0 && entries.every(([, value]) => isAddress(value))
  return isRoot ? showRoot(entries) : facts(entries.map(([name, value]) => [labelOf(name), plain(value)]))
}

const isAddress = (value: unknown): value is string => typeof value === 'string' && /^https?:/.test(value)

const plain = (value: unknown): Node | string | null => {
  if (value === null || value === '') return null
  return isAddress(value) ? h('a', { href: value }, value) : String(value)
}

const inUtc = (instant: number | string | null | undefined): string | null =>
  instant === null || instant === undefined ? null : `${formatInstant(instant)} UTC`

const facts = (pairs: readonly Fact[]): HTMLElement =>
  h(
    'dl',
    { class: 'facts panel' },
    pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value ?? '–'))),
  )

/** The lists there are, with what they hold. */
const showRoot = (entries: readonly [string, string][]): HTMLElement =>
  h(
    'ul',
    { class: 'roots' },
    entries.map(([name, address]) => {
      const { pathname } = new URL(address)
      return h('li', {}, h('a', { href: address }, h('b', {}, TITLES[name] ?? name), h('code', {}, pathname)))
    }),
  )

const TITLES: Readonly<Record<string, string>> = {
  v3: 'Version 3',
  v4: 'Version 4',
  events: 'Events',
  eventseries: 'Event series',
  observationtypes: 'Observation types',
}

const showEvent = (event: EventFeature, prefix: string, signal: AbortSignal): HTMLElement => {
  const { properties: p, geometry } = event
  const series = h('span', {}, String(p.event_series))
  seriesOf(prefix, new Set([p.event_series]), signal).then(
    (known) => {
      const found = known.get(p.event_series)
      if (found !== undefined) series.replaceChildren(seriesLink(found))
    },
    () => {},
  )
  const list = facts([
    ['Value', p.value],
    ['Category', p.category || null],
    ['Series', series],
    ['Start', inUtc(p.timestamp_start)],
    ['End', inUtc(p.timestamp_end)],
    ['Duration', formatDuration(p.timestamp_end - p.timestamp_start)],
    ['Place', geometry === null ? null : formatPosition(geometry.coordinates)],
    ['Object', p.object === null ? null : `${p.object.type} ${p.object.id}`],
  ])
  return withMap(list, [event], prefix, (update) => {
    update(new Map())
    seriesOf(prefix, new Set([p.event_series]), signal).then(update, () => {})
  })
}

const showSeries = (series: Series, prefix: string, signal: AbortSignal): HTMLElement => {
  const start = series.start ?? series.first_value_timestamp
  const type = h('a', { href: series.observation_type }, 'Observation type')
  const list = facts([
    ['Colour', h('span', { class: 'series' }, swatch(series.color), series.color)],
    ['Start', inUtc(start)],
    ['End', inUtc(series.end ?? series.last_value_timestamp)],
    ['Observes', type],
    ['Statistic', series.statistic],
    ...(series.access_modifier === undefined ? [] : [['Access', series.access_modifier] as const]),
    ...(series.spatial_bounds === undefined ? [] : [['Bounds', formatBounds(series.spatial_bounds)] as const]),
    ['Description', series.description || null],
  ])
  const place: Place = eventsOf(prefix, series)
  const link = h('p', {}, h('a', { class: 'button primary', href: hrefOf(place) }, 'Events of this series'))
  const shown = series.spatial_bounds ? withMap(list, [series], prefix, (update) => update(new Map())) : list
  signal.throwIfAborted()
  return h('div', {}, link, shown)
}

/** Facts beside a map of the same rows. */
const withMap = (
  list: HTMLElement,
  rows: readonly object[],
  prefix: string,
  show: (update: (series: SeriesById) => void) => void,
): HTMLElement => {
  const container = h('div', { class: 'map' })
  import('./map.ts')
    .then(({ makeMap }) => makeMap(container, prefix, null))
    .then((map) => show((series) => map.update({ rows, series, summary: null, area: null, fit: true })))
    .catch(() => container.remove())
  return h('div', { class: 'item' }, list, container)
}
