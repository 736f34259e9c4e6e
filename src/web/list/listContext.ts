import { useEffect, useMemo, useRef } from 'preact/hooks'
import { filtersOf, hrefOf, type PageAddress, view } from '../state/address.ts'
import { type About, withColumns } from '../state/fields.ts'
import {
  allSeries,
  describedOf,
  facetOf,
  NO_DESCRIPTION,
  type SeriesById,
  type SeriesDescription,
  type SummaryAnswer,
  summaryKeyOf,
  summaryOf,
} from '../state/known.ts'
import { type EventList, eventListAt, isEvent, isSeries, type ListAnswer } from '../state/rows.ts'
import { rememberList, useAsked } from '../state/service.ts'
import { announce, prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { type ListColumns, useColumns } from './columns.ts'

/** The number of events of each series whose count is known, by uuid. */
type Counts = ReadonlyMap<string, number>

/** A summary of events. It is not current while the page waits for the summary of another place. */
export interface Summed {
  readonly summary: SummaryAnswer | null
  readonly isCurrent: boolean
  /** Asks for the summary again. */
  readonly retry: () => void
}

/** The parts of a list. A narrow screen shows one of them at a time. */
export const PANES = ['rows', 'map', 'time', 'filters'] as const
export type Pane = (typeof PANES)[number]

/** The parts of a list that a frame in another site can show. */
export const EMBEDS = ['table', 'map', 'graph', 'number'] as const
export type Embed = (typeof EMBEDS)[number]

/** Returns the part in the address, such as `#embed=map`. Undefined: the page is whole. */
export const embedIn = (): Embed | undefined => EMBEDS.find((each) => each === view.value.get('embed'))

/** What a list shows besides its rows. Each part is null or empty until it is known. */
export interface ListContext extends Summed {
  /** The names of the list's filters. Null for a list without a summary. */
  readonly events: EventList | null
  /** The same events in the list of version 3, which has a summary. Null for other lists. */
  readonly listed: PageAddress | null
  readonly series: SeriesById
  readonly counts: Counts
  readonly columns: ListColumns
  /** The description of the list. Its fields include the columns of its series. */
  readonly about: About
  /** The series of all events, its source and its licence. Empty: there are several series. */
  readonly origin: string
  /** True: the rows have places or times. */
  readonly isPictured: boolean
}

/** Each part of a list gets these. */
export interface PartProps {
  readonly place: PageAddress
  readonly about: About
  readonly known: ListContext
}

/** A part with the number of rows also gets the number in words. */
export interface CountedProps extends PartProps {
  readonly count: number
  readonly counted: string
}

const NO_COUNTS: Counts = new Map()
const NO_ROWS: readonly object[] = []
const NO_COLUMNS: ListColumns['every'] = []

/** Asks for the summary and the descriptions of a list, and announces new rows. */
export const useListContext = (place: PageAddress, about: About, list: ListAnswer | null): ListContext => {
  useArrival(place, list)
  const rows = list?.results ?? NO_ROWS
  const events = eventListAt(place.path)
  const listed = events?.inV3(place) ?? null
  const named = useMemo(
    () => new Map(rows.filter(isEvent).map((row) => [row.series, { name: row.seriesName }])),
    [rows],
  )
  const isOfSeries = rows.some(isSeries)
  const series = useAsked(nounAt(place.path) === 'events' ? 'series' : null, (signal) => allSeries(prefix, signal))
  const [only = null, ...others] = named.keys()
  const { fields: described, origin } = useDescribed(others.length === 0 ? only : null)
  // The summary has only the largest series.
  const counts = useAsked(isOfSeries ? 'counts' : null, async (signal) => {
    const found = await facetOf({ path: `${prefix}/api/v3/events/`, parameters: [] }, 'event_series', signal)
    return new Map((found?.entries ?? []).map(({ uuid = '', count }) => [uuid, count]))
  })
  const summed = listed === null || list === null ? null : summaryKeyOf(listed)
  const { value: summary, ...asked } = useAsked(summed, async (signal) => listed && summaryOf(listed, signal))
  const columns = useColumns({ place, listed, list, about, described, summary: asked.isCurrent ? summary : null })
  // Other pages of a list of several series have other columns.
  const own = columns.only === null ? NO_COLUMNS : columns.every
  const isPlaced = (row: object) => isEvent(row) || (isSeries(row) && row.spatial_bounds !== undefined)
  return {
    events,
    listed,
    series: series.value?.all ?? named,
    counts: counts.value ?? NO_COUNTS,
    columns,
    about: useMemo(() => withColumns(about, own), [about, own]),
    origin: [columns.only ?? '', columns.only === null ? '' : origin].filter(Boolean).join(', '),
    summary,
    ...asked,
    isPictured: events !== null || rows.some(isPlaced),
  }
}

/** Asks for the description of a series. Without a series it returns an empty one. */
export const useDescribed = (uuid: string | null): SeriesDescription => {
  const { value, isCurrent } = useAsked(uuid && `about ${uuid}`, (signal) => describedOf(prefix, uuid ?? '', signal))
  return (uuid !== null && isCurrent && value) || NO_DESCRIPTION
}

/** Announces the count of new rows, remembers their list, and shows the begin of the next page. */
const useArrival = (place: PageAddress, list: ListAnswer | null): void => {
  const before = useRef({ filters: '', page: '' })
  useEffect(() => {
    if (list === null) return
    const { count, results, previous, next } = list
    const urls = results.filter(isEvent).map(({ url }) => url)
    rememberList({ address: hrefOf(place), count, urls, previous, next })
    announce(texts().list.counted(nounAt(place.path), count))
    const [filters, page] = [JSON.stringify(filtersOf(place)), JSON.stringify(place.parameters)]
    const table = document.querySelector('.table')
    const isTurned = before.current.filters === filters && before.current.page !== page
    before.current = { filters, page }
    if (isTurned && (table?.getBoundingClientRect().top ?? 0) < 0) table?.scrollIntoView({ block: 'start' })
  }, [list])
}

/** Returns the name of the list at a path. */
export const titleOfList = (path: string): string => {
  const { events, eventseries: series, observationtypes: types } = texts().item.roots
  return { events, series, types }[nounAt(path)]
}

/** Returns the kind of the rows of the list at a path. */
export const nounAt = (path: string): 'types' | 'series' | 'events' => {
  if (path.endsWith('/observationtypes/')) return 'types'
  return /\/eventseries\/(items\/?)?$/.test(path) ? 'series' : 'events'
}
