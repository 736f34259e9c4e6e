import { useEffect, useState } from 'preact/hooks'
import { later } from '../app/loading.ts'
import { loadMapLibre } from '../map/library.ts'
import { filtersOf, textOf } from '../state/address.ts'
import { useDetails } from '../state/details.ts'
import { isEvent } from '../state/event.ts'
import { filterFieldsOf, labelNamed } from '../state/fields.ts'
import type { ListAnswer } from '../state/rows.ts'
import { go, prefix, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { isOneSeries } from './columns.tsx'
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
  const hasFacets = list !== null && known.listed?.path === place.path
  const isShown = (pane: Pane) => isWide || chosen === pane
  const part = { place, about, known }
  const { Facets, ListPictures } = later.value ?? {}
  useMapLibre(known.isPictured && isShown('map'))
  return (
    <div class="list-page">
      <Headline {...part} list={list} counted={counted} />
      {list !== null && (
        <Panes panes={panesOf(part)} chosen={chosen} choose={choose} filters={filtersOf(place).length} />
      )}
      <div class={hasFacets ? 'columns' : 'columns unfiltered'}>
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
        {hasFacets && (
          <aside hidden={!isShown('filters')} aria-label={texts().list.panes.filters}>
            {Facets !== undefined && (
              <Facets {...{ place, go }} summary={known.summary} series={known.series} isFailed={known.isUncounted} />
            )}
          </aside>
        )}
      </div>
    </div>
  )
}

/** The count as the title of the page, the words, the filters, the order and the downloads. */
const Headline = ({
  place,
  about,
  known,
  list,
  counted,
}: PartProps & { readonly list: ListAnswer | null; readonly counted: string }) => {
  const { FilterBar = ComingBar } = later.value ?? {}
  const { fields = [], ordering = [] } = about
  return (
    <>
      <div class="headline">
        <h1 class="count" tabIndex={-1}>
          {counted}
        </h1>
        {fields.some(({ kind }) => kind === 'words') && <Search place={place} />}
        {list !== null && (
          <div class="actions">
            {ordering.length > 0 && <Order place={place} about={about} orderings={ordering} />}
            <Downloads place={place} about={about} counted={counted} />
          </div>
        )}
      </div>
      {filterFieldsOf(about).length > 0 && (
        <div class="headline filters">
          <FilterBar place={place} about={about} series={known.series} isEmpty={list?.count === 0} />
        </div>
      )}
    </>
  )
}

const Rows = ({ place, about, known, list }: PartProps & { readonly list: ListAnswer }) => {
  const rows = useDetailedRows(list.results)
  if (rows.length === 0) return <p class="empty">{texts().list.empty(nounAt(place.path))}</p>
  return (
    <>
      <NoNumbers place={place} about={about} rows={rows} />
      <Table {...{ place, about, rows, series: known.named, counts: known.counts }} title={titleOfList(place.path)} />
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
const ComingBar = ({ place, about }: Pick<PartProps, 'place' | 'about'>) => (
  <ul class="chips coming" aria-hidden="true">
    {filtersOf(place).map((filter) => (
      <li key={filter.name} class="chip">
        <span class="words cut">{`${labelNamed(about, filter.name)} ${textOf(filter).slice(0, 60)}`}</span> ×
      </li>
    ))}
  </ul>
)

const panesOf = ({ place, known }: PartProps): Pane[] => [
  'rows',
  ...(known.isPictured ? (['map'] as const) : []),
  ...(known.listed === null ? [] : (['time'] as const)),
  ...(known.listed?.path === place.path ? (['filters'] as const) : []),
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
