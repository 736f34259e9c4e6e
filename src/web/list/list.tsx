import { useEffect, useState } from 'preact/hooks'
import { later } from '../app/loading.ts'
import { loadMapLibre } from '../map/library.ts'
import { filtersOf, type PageAddress, textOf } from '../state/address.ts'
import { labelOf } from '../state/context.ts'
import { useDetails } from '../state/details.ts'
import { isEvent } from '../state/event.ts'
import type { ListAnswer } from '../state/rows.ts'
import { prefix, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { isOneSeries } from './attributes.tsx'
import { Downloads } from './downloads.tsx'
import { type PartProps, useArrival, useList, useListContext } from './listContext.ts'
import { NoNumbers, Order } from './order.tsx'
import { Pager } from './pager.tsx'
import { type Pane, Panes, useWide } from './panes.tsx'
import { Search } from './search.tsx'
import { Table } from './table.tsx'

/** A list with its count, filters, rows and pictures. */
export const ListPage = () => {
  const { place, answer, context } = shown.value
  const { about } = context
  const list = useList(answer.body, place.path)
  const known = useListContext(place, about, list)
  const counted = list === null ? titleOfList(place.path) : texts().list.counted(nounAt(place.path), list.count)
  const isWide = useWide()
  const [chosen, choose] = useState<Pane>('rows')
  useArrival(place, list, counted)
  const isShown = (pane: Pane) => isWide || chosen === pane
  const part = { place, about, known }
  const { Chips = ComingChips, Filters, ListPictures } = later.value ?? {}
  useMapLibre(known.isPictured && isShown('map'))
  return (
    <div class="list-page">
      <Headline {...part} list={list} counted={counted} />
      <Chips place={place} about={about} series={known.series} isEmpty={list?.count === 0} />
      {list !== null && (
        <Panes panes={panesOf(part)} chosen={chosen} choose={choose} filters={filtersOf(place).length} />
      )}
      <div class={about.filters ? 'columns' : 'columns unfiltered'}>
        {list !== null && (
          <div class="rows" hidden={!isShown('rows')}>
            <Rows {...part} list={list} />
          </div>
        )}
        {list !== null &&
          known.isPictured &&
          (ListPictures === undefined ? (
            <div class="pictures" />
          ) : (
            <ListPictures {...{ place, about, list, known }} pane={isWide ? null : chosen} />
          ))}
        {about.filters && (
          <aside hidden={!isShown('filters') && list !== null} aria-label={texts().list.panes.filters}>
            {Filters !== undefined && <Filters {...part} onFault={() => choose('filters')} />}
          </aside>
        )}
      </div>
    </div>
  )
}

/** The count as the title of the page, the search, the order and the downloads. */
const Headline = ({
  place,
  about,
  list,
  counted,
}: PartProps & { readonly list: ListAnswer | null; readonly counted: string }) => (
  <div class="headline">
    <h1 class="count" tabIndex={-1}>
      {counted}
    </h1>
    {about.filters !== undefined && 'q' in about.filters && <Search place={place} />}
    {list !== null && about.ordering && about.ordering.length > 0 && <Order place={place} orderings={about.ordering} />}
    {list !== null && <Downloads place={place} about={about} counted={counted} />}
  </div>
)

const Rows = ({ place, about, known, list }: PartProps & { readonly list: ListAnswer }) => {
  const rows = useDetailedRows(list.results)
  if (rows.length === 0) return <p class="empty">{texts().list.empty(nounAt(place.path))}</p>
  return (
    <>
      <NoNumbers place={place} rows={rows} />
      <Table
        {...{ place, rows, series: known.named, counts: known.counts }}
        title={titleOfList(place.path)}
        orderings={about.ordering ?? []}
      />
      {list.count > list.results.length && (
        <p class="on-paper">{texts().list.onPaper(list.results.length, list.count)}</p>
      )}
      <Pager place={place} about={about} list={list} />
    </>
  )
}

/** Adds the attributes to the events of one series. Events of several series have too few in common for columns. */
const useDetailedRows = (rows: readonly object[]): readonly object[] => {
  const events = rows.filter(isEvent)
  const isDetailed = isOneSeries(events)
  const detailed = useDetails(prefix, isDetailed ? events : [])
  return isDetailed ? detailed : rows
}

/** Starts to load MapLibre beside the other parts, because it is larger than them. */
const useMapLibre = (isShown: boolean): void =>
  useEffect(() => {
    if (isShown) loadMapLibre(prefix).catch(() => {})
  }, [isShown])

/** Takes the space of the active filters until they have loaded. */
const ComingChips = ({ place }: { readonly place: PageAddress }) => {
  const filters = filtersOf(place)
  if (filters.length === 0) return null
  return (
    <ul class="chips coming" aria-hidden="true">
      {filters.map((filter) => (
        <li key={`${filter.name}=${filter.encoded}`}>
          <span class="chip">
            <span class="words">{`${labelOf(filter.name)} ${textOf(filter).slice(0, 60)}`}</span> ×
          </span>
        </li>
      ))}
    </ul>
  )
}

const panesOf = ({ about, known }: PartProps): Pane[] => [
  'rows',
  ...(known.isPictured ? (['map'] as const) : []),
  ...(known.listed === null ? [] : (['time'] as const)),
  ...(about.filters === undefined ? [] : (['filters'] as const)),
]

/** Returns the name of the list at a path. */
export const titleOfList = (path: string): string => {
  const { events, eventseries: series, observationtypes: types } = texts().item.roots
  return { events, series, types }[nounAt(path)]
}

/** Returns the kind of the rows of the list at a path. */
const nounAt = (path: string): 'types' | 'series' | 'events' => {
  if (path.endsWith('/observationtypes/')) return 'types'
  return /\/eventseries\/(items\/?)?$/.test(path) ? 'series' : 'events'
}
