import { downloadsOf } from '../list/pager.ts'
import { hrefOf, type PageAddress } from '../state/address.ts'
import { formatCount, formatDay } from '../state/format.ts'
import { allSeries, eventsOf, type SummaryAnswer, summaryOf } from '../state/known.ts'
import { type Series, uuidOf } from '../state/rows.ts'
import { showOverTime } from '../time/over.tsx'
import { counted, fill, h, swatch } from './dom.ts'
import { showMap } from './facts.ts'

/** The maximum number of cards for series. */
const CARDS = 24

/** Shows the home page: an overview of the data, and links. */
export const showHome = (prefix: string, signal: AbortSignal): HTMLElement => {
  const place: PageAddress = { path: `${prefix}/api/v3/events/`, parameters: [] }
  const summary = summaryOf(place, signal).catch(() => null)
  const series = allSeries(prefix, signal).catch(() => [])
  const figures = h('p', { class: 'figures' })
  const cards = h('ul', { class: 'cards' })
  const more = h('p', {})
  Promise.all([summary, series]).then(([found, known]) => {
    if (found === null) return
    fill(figures, figuresOf(found, known.length))
    const counts = new Map((found.facets?.event_series?.entries ?? []).map(({ uuid = '', count }) => [uuid, count]))
    const sorted = [...known].sort((a, b) => (counts.get(uuidOf(b)) ?? 0) - (counts.get(uuidOf(a)) ?? 0))
    fill(
      cards,
      sorted.slice(0, CARDS).map((each) => cardOf(each, counts.get(uuidOf(each)) ?? null, prefix)),
    )
    if (known.length > CARDS)
      fill(more, h('a', { href: `${prefix}/api/v3/eventseries/` }, `All ${formatCount(known.length)} event series`))
  })
  const map = showMap(
    prefix,
    summary.then((found) => ({ rows: [], series: new Map(), summary: found, filters: [] })),
    signal,
  )
  return h(
    'div',
    { class: 'home' },
    figures,
    h(
      'p',
      { class: 'actions' },
      h('a', { class: 'button primary', href: hrefOf(place) }, 'Explore the events'),
      h('a', { class: 'button', href: `${prefix}/api/v3/eventseries/` }, 'Event series'),
      h('a', { class: 'button', href: `${prefix}/docs`, target: '_self' }, 'Reference'),
    ),
    h('div', { class: 'pictures' }, map, showOverTime(place, summary, signal)),
    h('section', { 'aria-label': 'Series' }, h('h2', {}, 'Series'), cards, more),
    programs(prefix),
  )
}

const figuresOf = (summary: SummaryAnswer, series: number): (Node | string)[] => {
  const { count, time } = summary
  const year = (at: number | null) => (at === null ? '' : formatDay(at).replace(/^([+-]?\d+)-.*$/, '$1'))
  const [first, last] = [year(time.start), year(time.end)]
  const period = first === '' ? '' : first === last ? `, ${first}` : `, ${first} to ${last}`
  return [h('b', {}, counted(count, 'event')), ` in ${counted(series, 'series')}${period}`]
}

const cardOf = (series: Series, count: number | null, prefix: string): HTMLElement => {
  const [start, end] = [series.first_value_timestamp, series.last_value_timestamp]
  return h(
    'li',
    { class: 'card' },
    h('h3', { class: 'series' }, swatch(series.color), h('a', { href: series.url }, series.name)),
    h('p', { class: 'clamped', title: series.description }, series.description),
    h(
      'p',
      {},
      h(
        'a',
        { href: hrefOf(eventsOf(prefix, series)) },
        count === null ? 'Events' : counted(count, 'event'),
        h('span', { class: 'unseen' }, ` of ${series.name}`),
      ),
      start === null || start === undefined ? null : h('small', {}, ` ${formatDay(start)} to ${formatDay(end)}`),
    ),
  )
}

/** Shows the addresses for programs. */
const programs = (prefix: string): HTMLElement => {
  const at = (path: string) => `${prefix}${path}`
  const item = (name: string, ...words: (Node | string)[]) => h('div', {}, h('dt', {}, name), h('dd', {}, words))
  return h(
    'section',
    { 'aria-label': 'For programs' },
    h('h2', {}, 'For programs'),
    h(
      'dl',
      { class: 'facts panel' },
      item(
        'QGIS',
        'Layer, Add Layer, Add WFS / OGC API - Features Layer, New, and this address: ',
        h('code', {}, `${location.origin}${at('/ogc')}`),
      ),
      item('Files', downloadsOf({ path: at('/api/v3/events/'), parameters: [] })),
      item(
        'Version 3',
        h('a', { href: at('/api/v3/') }, at('/api/v3/')),
        ' has the events as GeoJSON, and the series with their bounds. Times are milliseconds since 1970.',
      ),
      item(
        'Version 4',
        h('a', { href: at('/api/v4/') }, at('/api/v4/')),
        ' has the series with their uuid, access level and last change. Times are in ISO 8601.',
      ),
      item(
        'OpenAPI',
        h('a', { href: at('/openapi.json'), target: '_self' }, at('/openapi.json')),
        ' describes every parameter and answer. Try them in ',
        h('a', { href: at('/docs'), target: '_self' }, 'the reference'),
        '.',
      ),
    ),
  )
}
