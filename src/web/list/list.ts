import { announce, counted, fill, h } from '../app/dom.ts'
import { type AddressParameter, changed, filtersOf, type PageAddress, refiltered } from '../state/address.ts'
import type { About } from '../state/context.ts'
import { eventListAt, isEvent } from '../state/event.ts'
import { allSeries, countsOfSeries, type SeriesById, type SummaryAnswer, seriesOf } from '../state/known.ts'
import { isSeries, type ListAnswer, type Series, uuidOf } from '../state/rows.ts'
import { makeArea } from './area.ts'
import { makeFacets } from './facets.ts'
import { type AreaInput, fillList, makeFilters } from './filters.ts'
import { makeDownloads, makePager } from './pager.ts'
import { makePictures } from './pictures.ts'
import { makeTable } from './table.ts'

/** A list with its filters, map, timeline, table and pages. */
export interface ListView {
  readonly element: HTMLElement
  readonly update: (place: PageAddress, envelope: ListAnswer, signal: AbortSignal) => void
  /** Shows messages at their fields. Returns the messages without a field. */
  readonly tell: (faults: Readonly<Record<string, string[]>>) => string[]
  /** Shows only the form, with the messages of a 400 at their fields. */
  readonly refuse: (place: PageAddress, faults: Readonly<Record<string, string[]>>) => void
}

/**
 * Makes the view of the list at a path. `go` opens another place of the list. `warn` shows a failure. `ended` aborts
 * when the page leaves the list.
 */
export const makeList = (
  about: About,
  path: string,
  prefix: string,
  go: (place: PageAddress) => void,
  warn: (text: string) => void,
  ended: AbortSignal,
): ListView => {
  let place: PageAddress
  const events = eventListAt(path)
  const noun = nounAt(path)
  const change = (changes: Record<string, string | null>) => go(changed(place, changes))
  const submit = (filters: readonly AddressParameter[]) => go(refiltered(place, filters))
  const area: AreaInput | null = events && makeArea(events.area, () => form.requestSubmit())
  const isOfAllSeries = about.filters !== undefined && 'event_series' in about.filters
  const series = isOfAllSeries ? allSeries(prefix, ended) : null
  const lists = series && seriesLists(series)
  const filters = makeFilters(about, submit, area, lists?.ids ?? {})
  const form = filters.element.querySelector('form') as HTMLFormElement
  const facets = series && makeFacets(go, () => place, series)
  if (facets !== null) form.before(facets.element)
  const count = h('h2', { class: 'count' })
  const pager = makePager(about, go)
  const downloads = makeDownloads(about, warn)
  const table = makeTable(about.name ?? 'List', about.ordering ?? [], prefix, go)
  const onSummary = (summary: SummaryAnswer | null, signal: AbortSignal) => facets?.update(place, summary, signal)
  const pictures = makePictures({ events, prefix, change, onSummary, ended })
  const results = h(
    'div',
    { class: 'results' },
    h('div', { class: 'headline' }, count, downloads.element),
    pictures.element,
    // The pager sticks to the bottom of the window, but stays inside the rows.
    h('div', { class: 'rows' }, table.element, pager.element),
  )
  const aside = about.filters && h('aside', {}, filters.element, lists?.element)
  const element = h('div', { class: aside ? 'list' : 'list unfiltered' }, aside, results)
  let asked: string | null = null
  return {
    element,
    update: (next, envelope, signal) => {
      place = next
      results.hidden = false
      const query = JSON.stringify(filtersOf(next))
      const isTurned = asked === query && table.element.getBoundingClientRect().top < 0
      filters.update(next)
      filters.tell({})
      fill(count, counted(envelope.count, noun))
      announce(counted(envelope.count, noun))
      table.update(next, envelope.results)
      pager.update(next, envelope)
      if (isTurned) table.element.scrollIntoView({ block: 'start' })
      downloads.update(next)
      const series = seriesOfPage(envelope, prefix, signal)
      series.then(table.name, () => {})
      if (envelope.results.some(isSeries)) countsOfSeries(prefix, signal).then(table.count, () => {})
      pictures.update({ place, envelope, series, signal, isNewQuery: query !== asked })
      asked = query
    },
    tell: filters.tell,
    refuse: (next, faults) => {
      place = next
      asked = null
      results.hidden = true
      filters.update(next)
      filters.tell(faults)
    },
  }
}

const seriesOfPage = (envelope: ListAnswer, prefix: string, signal: AbortSignal): Promise<SeriesById> =>
  seriesOf(prefix, new Set(envelope.results.filter(isEvent).map(({ series }) => series)), signal)

/** Makes the lists of values for the fields that filter by series. */
const seriesLists = (series: Promise<readonly Series[]>) => {
  const byUuid = h('datalist', { id: 'series-uuids' })
  const byName = h('datalist', { id: 'series-names' })
  const fillBoth = (known: readonly Series[]) => {
    fillList(
      byUuid,
      known.map((each) => [uuidOf(each), each.name]),
    )
    fillList(
      byName,
      known.map(({ name }) => [name, '']),
    )
  }
  series.then(fillBoth, () => {})
  return { element: [byUuid, byName], ids: { event_series: byUuid.id, event_series__name: byName.id } }
}

/** Returns the noun for a row of the list at a path. */
const nounAt = (path: string): string => {
  if (path.endsWith('/observationtypes/')) return 'observation type'
  return /\/eventseries\/(items\/?)?$/.test(path) ? 'event series' : 'event'
}
