import { counted, fill, h } from '../app/dom.ts'
import type { MapView } from '../map/map.ts'
import { filtersOf, givenIn, type PageAddress } from '../state/address.ts'
import { type EventList, isEvent } from '../state/event.ts'
import { type SeriesById, type SummaryAnswer, summaryOf } from '../state/known.ts'
import { isSeries, type ListAnswer } from '../state/rows.ts'
import { showSpans, showTime } from '../time/over.tsx'

interface Settings {
  /** Null for a list that has no summary. */
  readonly events: EventList | null
  readonly prefix: string
  readonly change: (changes: Record<string, string | null>) => void
  readonly onSummary: (summary: SummaryAnswer | null, signal: AbortSignal) => void
  /** Aborts when the page leaves the list. */
  readonly ended: AbortSignal
}

interface Drawn {
  readonly place: PageAddress
  readonly envelope: ListAnswer
  readonly series: Promise<SeriesById>
  readonly signal: AbortSignal
  readonly isNewQuery: boolean
}

/** Makes the map, the timeline and the bars. The rows appear first. If one picture fails, the others stay. */
export const makePictures = ({ events, prefix, change, onSummary, ended }: Settings) => {
  const map = h('div', { class: 'map', hidden: true })
  const timeline = h('div', { hidden: events === null })
  const spans = h('div')
  const legend = h('p', { class: 'legend', hidden: true })
  let drawnHere = false
  let summary: SummaryAnswer | null = null
  const onArea =
    events &&
    areaChange(events, change, () => {
      drawnHere = true
    })
  const mapView = once((): Promise<MapView> => {
    map.hidden = false
    return import('../map/map.ts').then(({ makeMap }) => makeMap(map, prefix, onArea, ended))
  })
  const failed = () =>
    fill(map, h('p', { class: 'empty' }, 'This browser cannot show the map, because the map needs WebGL.'))
  const update = async ({ place, envelope, series, signal, isNewQuery }: Drawn) => {
    const rows = envelope.results
    const isPlaced = rows.some((row) => isEvent(row) || (isSeries(row) && row.spatial_bounds !== undefined))
    if (events === null && !isPlaced) return
    // MapLibre loads while the service names the series.
    mapView().catch(failed)
    const fit = isNewQuery && !drawnHere
    drawnHere = false
    if (isNewQuery) summary = null
    const showSummary = () => {
      if (events === null) return
      const isNarrowed = place.parameters.some(({ name }) => name.startsWith(events.start))
      showTime(timeline, { place: events.inV3(place), summary, isNarrowed, onRange: rangeChange(events, change) })
    }
    showSummary()
    const listed = events?.inV3(place) ?? null
    // A page with a key asks twice, and aborts the first summary.
    const asked = listed && summary === null ? summaryOf(listed, signal).catch(() => null) : Promise.resolve(summary)
    const known = await series.catch((): SeriesById => new Map())
    if (signal.aborted) return
    showSpans(spans, rows.filter(isEvent), known)
    const area = (events && givenIn(place, events.area)) || null
    const filters = listed && { filters: filtersOf(listed) }
    let isSummed = false
    const drawMap = async (found: SummaryAnswer | null) => {
      const view = await mapView()
      // The summary came before the map. Its own call draws the map.
      const isOld = found === null && isSummed
      if (!signal.aborted && !isOld) view.update({ rows, series: known, summary: found, area, fit, ...filters })
    }
    drawMap(summary).catch(failed)
    const found = await asked
    if (signal.aborted || events === null) return
    summary = found
    isSummed = found !== null
    onSummary(found, signal)
    legend.hidden = found === null || found.without_geometry === 0
    fill(legend, h('small', {}, `${counted(found?.without_geometry ?? 0, 'event')} without a place`))
    if (found !== null) drawMap(found).catch(failed)
    showSummary()
  }
  return { element: h('div', { class: 'pictures' }, map, legend, timeline, spans), update }
}

type Change = Settings['change']
type Range = readonly [from: string, before: string]

const areaChange =
  ({ area }: EventList, change: Change, onDraw: () => void) =>
  (wkt: string | null) => {
    onDraw()
    change({ [area]: wkt })
  }

const rangeChange =
  ({ start }: EventList, change: Change) =>
  (range: Range | null) => {
    const others = ['', '__exact', '__lte', '__gt', '__range'].map((lookup) => [`${start}${lookup}`, null])
    const [from, before] = range ?? [null, null]
    change({ ...Object.fromEntries(others), [`${start}__gte`]: from, [`${start}__lt`]: before })
  }

/** Calls a function once. Later calls get its first answer. */
const once = <T, Arguments extends unknown[]>(make: (...values: Arguments) => T): ((...values: Arguments) => T) => {
  let made: { readonly value: T } | null = null
  return (...values) => {
    made ??= { value: make(...values) }
    return made.value
  }
}
