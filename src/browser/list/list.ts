import { makeArea } from '../map/area.ts'
import type { MapView } from '../map/map.ts'
import { changed, filtersOf, givenIn, type Parameter, type Place, refiltered } from '../page/address.ts'
import type { About } from '../page/context.ts'
import { announce, counted, fill, h } from '../page/dom.ts'
import { showSpans } from '../time/spans.ts'
import type { Timeline } from '../time/timeline.ts'
import { makeFacets } from './facets.ts'
import { type AreaInput, fillList, makeFilters } from './filters.ts'
import { allSeries, countsOfSeries, type SeriesById, type Summary, seriesOf, summaryOf } from './known.ts'
import { makeDownloads, makePager } from './pager.ts'
import { type Envelope, isEvent, isSeries, uuidOf } from './rows.ts'
import { makeTable } from './table.ts'

/** A list: filters, map, timeline, table and pages of one place. */
export interface ListView {
  readonly element: HTMLElement
  readonly update: (place: Place, envelope: Envelope, signal: AbortSignal) => void
  /** Shows messages at their fields; answers those that have none. */
  readonly tell: (faults: Readonly<Record<string, string[]>>) => string[]
  /** Shows the form of a place that nothing could be asked for at, with the messages at their fields. */
  readonly refuse: (place: Place, faults: Readonly<Record<string, string[]>>) => void
}

const AREA = 'geom_within'

/** The view of a list. `go` leads to another place of the same list, `warn` tells of what failed beside it. */
export const makeList = (
  about: About,
  prefix: string,
  go: (place: Place) => void,
  warn: (text: string) => void,
): ListView => {
  let place: Place
  const ofEvents = about.filters !== undefined && AREA in about.filters
  const noun = ofEvents ? 'event' : /series/i.test(about.name ?? '') ? 'event series' : 'observation type'
  const change = (changes: Record<string, string | null>) => go(changed(place, changes))
  const submit = (filters: readonly Parameter[]) => go(refiltered(place, filters))
  const area: AreaInput | null = ofEvents ? makeArea(AREA, () => form.requestSubmit()) : null
  const lists = ofEvents ? seriesLists() : null
  const filters = makeFilters(about, submit, area, lists?.ids ?? {})
  const form = filters.element.querySelector('form') as HTMLFormElement
  const facets = ofEvents ? makeFacets(go, () => place) : null
  if (facets !== null) form.before(facets.element)
  const count = h('h2', { class: 'count' })
  const pager = makePager(about, go)
  const downloads = makeDownloads(about, warn)
  const table = makeTable(about.name ?? 'List', about.ordering ?? [], prefix, go)
  const pictures = makePictures(ofEvents, prefix, change, (summary, signal) => facets?.update(place, summary, signal))
  const results = h(
    'div',
    { class: 'results' },
    h('div', { class: 'headline' }, count, downloads.element),
    pictures.element,
    table.element,
    pager.element,
  )
  const element = h('div', { class: 'list' }, h('aside', {}, filters.element, lists?.element), results)
  lists?.fill(prefix)
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

const seriesOfPage = (envelope: Envelope, prefix: string, signal: AbortSignal): Promise<SeriesById> =>
  seriesOf(prefix, new Set(envelope.results.filter(isEvent).map(({ properties }) => properties.event_series)), signal)

/** The series there are, to choose from where one is asked for. */
const seriesLists = () => {
  const byUuid = h('datalist', { id: 'series-uuids' })
  const byName = h('datalist', { id: 'series-names' })
  return {
    element: [byUuid, byName],
    ids: { event_series: byUuid.id, event_series__name: byName.id },
    fill: async (prefix: string) => {
      const series = await allSeries(prefix, new AbortController().signal).catch(() => [])
      fillList(
        byUuid,
        series.map((each) => [uuidOf(each), each.name]),
      )
      fillList(
        byName,
        series.map(({ name }) => [name, '']),
      )
    },
  }
}

interface Drawn {
  readonly place: Place
  readonly envelope: Envelope
  readonly series: Promise<SeriesById>
  readonly signal: AbortSignal
  readonly isNewQuery: boolean
}

/** Map, timeline and bars: each is loaded after the rows are shown, and where one fails the others stay. */
const makePictures = (
  ofEvents: boolean,
  prefix: string,
  change: (changes: Record<string, string | null>) => void,
  onSummary: (summary: Summary | null, signal: AbortSignal) => void,
) => {
  const map = h('div', { class: 'map', hidden: true })
  const timeline = h('section', { class: 'panel timeline', 'aria-label': 'Over time', hidden: true })
  const spans = h('section', { class: 'panel', 'aria-label': 'From start to end', hidden: true })
  const legend = h('p', { class: 'legend', hidden: true })
  let drawnHere = false
  let summary: Summary | null = null
  const onArea = (wkt: string | null) => {
    drawnHere = true
    change({ [AREA]: wkt })
  }
  const onRange = (range: readonly [string, string] | null) => {
    const others = ['', '__exact', '__lte', '__gt', '__range'].map((lookup) => [`timestamp_start${lookup}`, null])
    const [from, before] = range ?? [null, null]
    change({ ...Object.fromEntries(others), timestamp_start__gte: from, timestamp_start__lt: before })
  }
  const mapView = once((): Promise<MapView> => {
    map.hidden = false
    return import('../map/map.ts').then(({ makeMap }) => makeMap(map, prefix, ofEvents ? onArea : null))
  })
  const timelineView = once(
    (): Promise<Timeline> => import('../time/timeline.ts').then(({ makeTimeline }) => makeTimeline(timeline, onRange)),
  )
  const update = async ({ place, envelope, series, signal, isNewQuery }: Drawn) => {
    const rows = envelope.results
    const isOnMap = ofEvents || rows.some((row) => isSeries(row) && row.spatial_bounds !== undefined)
    if (!isOnMap) return
    const fit = isNewQuery && !drawnHere
    drawnHere = false
    if (isNewQuery) summary = null
    const asked = ofEvents && isNewQuery ? summaryOf(place, signal).catch(() => null) : Promise.resolve(summary)
    const known = await series.catch((): SeriesById => new Map())
    if (signal.aborted) return
    showSpans(spans, rows.filter(isEvent), known)
    const area = givenIn(place, AREA) || null
    const drawMap = async (found: Summary | null, isFitted: boolean) => {
      const view = await mapView()
      if (!signal.aborted)
        view.update({
          rows,
          series: known,
          summary: found,
          area,
          fit: isFitted,
          ...(ofEvents && { filters: filtersOf(place) }),
        })
    }
    const failed = () => fill(map, h('p', { class: 'empty' }, 'The map cannot be shown here: it needs WebGL.'))
    drawMap(summary, fit).catch(failed)
    const found = await asked
    if (signal.aborted || !ofEvents) return
    summary = found
    onSummary(found, signal)
    legend.hidden = found === null || found.without_geometry === 0
    fill(legend, h('small', {}, `${counted(found?.without_geometry ?? 0, 'event')} without a place`))
    if (found !== null) drawMap(found, fit).catch(failed)
    const isNarrowed = place.parameters.some(({ name }) => name.startsWith('timestamp_start'))
    timelineView()
      .then((view) => view.update(found, isNarrowed))
      .catch(() => {})
  }
  return { element: h('div', { class: 'pictures' }, map, legend, timeline, spans), update }
}

/** What a function answers the first time, at every later time. */
const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
