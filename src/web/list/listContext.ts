import { useEffect, useMemo, useRef } from 'preact/hooks'
import { filtersOf, hrefOf, type PageAddress } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import { type EventList, eventListAt, isEvent } from '../state/event.ts'
import type { About } from '../state/fields.ts'
import {
  allSeries,
  countsOfSeries,
  type SeriesById,
  type SummaryAnswer,
  seriesOf,
  summaryKeyOf,
  summaryOf,
} from '../state/known.ts'
import { isSeries, type ListAnswer, readList, type Series } from '../state/rows.ts'
import { rememberList } from '../state/service.ts'
import { announce, prefix } from '../state/store.ts'
import type { Counts } from './columns.tsx'

/** What a list shows besides its rows. Each part is null or empty until it is known. */
export interface ListContext {
  /** The names of the list's filters. Null for a list without a summary. */
  readonly events: EventList | null
  /** The same events in the list of version 3, which has a summary. Null for other lists. */
  readonly listed: PageAddress | null
  /** All series of the service, if the list filters by series. */
  readonly series: readonly Series[] | null
  /** The series of the rows. */
  readonly named: SeriesById
  readonly counts: Counts
  readonly summary: SummaryAnswer | null
  /** True: the service did not answer with a summary. */
  readonly isUncounted: boolean
  /** False while the summary belongs to an earlier place. */
  readonly isSummaryCurrent: boolean
  /** True: the rows have places or times. */
  readonly isPictured: boolean
}

/** The parts of a list share what is known of it. */
export interface PartProps {
  readonly place: PageAddress
  readonly about: About
  readonly known: ListContext
}

const [NO_SERIES, NO_COUNTS]: [SeriesById, Counts] = [new Map(), new Map()]

/** Reads the rows of an answer. Null if it is not a list. */
export const useList = (body: unknown, path: string): ListAnswer | null =>
  useMemo(() => readList(body, path), [body, path])

/** Asks for what a list shows besides its rows. */
export const useListContext = (place: PageAddress, about: About, list: ListAnswer | null): ListContext => {
  const { path } = place
  const rows = list?.results ?? []
  const events = eventListAt(path)
  const listed = events?.inV3(place) ?? null
  const isOfAllSeries = about.filters !== undefined && 'event_series' in about.filters
  const series = useAsked(isOfAllSeries ? 'series' : null, (signal) => allSeries(prefix, signal))
  const keys = new Set(rows.filter(isEvent).map((row) => row.series))
  const named = useAsked(keys.size > 0 ? [...keys].sort().join() : null, (signal) => seriesOf(prefix, keys, signal))
  const counts = useAsked(rows.some(isSeries) ? 'counts' : null, (signal) => countsOfSeries(prefix, signal))
  const summed = listed === null || list === null ? null : summaryKeyOf(listed)
  const summary = useAsked(summed, async (signal) => listed && summaryOf(listed, signal))
  return {
    events,
    listed,
    series: series.value?.series ?? null,
    named: named.value ?? NO_SERIES,
    counts: counts.value ?? NO_COUNTS,
    summary: summary.value,
    isSummaryCurrent: summary.isCurrent,
    isUncounted: summed !== null && summary.isCurrent && summary.value === null,
    isPictured:
      events !== null || rows.some((row) => isEvent(row) || (isSeries(row) && row.spatial_bounds !== undefined)),
  }
}

/** Announces the count of new rows, remembers their list, and shows the begin of the next page. */
export const useArrival = (place: PageAddress, list: ListAnswer | null, counted: string): void => {
  const before = useRef({ filters: '', page: '' })
  useEffect(() => {
    if (list === null) return
    const { count, results, previous, next } = list
    const urls = results.filter(isEvent).map(({ url }) => url)
    rememberList({ address: hrefOf(place), count, urls, previous, next })
    announce(counted)
    const [filters, page] = [JSON.stringify(filtersOf(place)), JSON.stringify(place.parameters)]
    const table = document.querySelector('.table')
    const isTurned = before.current.filters === filters && before.current.page !== page
    before.current = { filters, page }
    if (isTurned && (table?.getBoundingClientRect().top ?? 0) < 0) table?.scrollIntoView({ block: 'start' })
  }, [list])
}
