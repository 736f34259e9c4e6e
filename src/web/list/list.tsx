import { useState } from 'preact/hooks'
import { filtersOf, type PageAddress, refiltered } from '../state/address.ts'
import type { About } from '../state/context.ts'
import type { ListAnswer } from '../state/rows.ts'
import { faults, go, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { Chips } from './chips.tsx'
import { Downloads } from './downloads.tsx'
import { Facets } from './facets.tsx'
import { FilterForm } from './form.tsx'
import { type ListContext, useArrival, useList, useListContext } from './listContext.ts'
import { Order, Pager } from './pager.tsx'
import { type Pane, Panes, useWide } from './panes.tsx'
import { Pictures } from './pictures.tsx'
import { Search } from './search.tsx'
import { Table } from './table.tsx'

/** The parts of a list share what is known of it. */
interface PartProps {
  readonly place: PageAddress
  readonly about: About
  readonly known: ListContext
}

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
        {list !== null && known.isPictured && (
          <Pictures {...{ place, about, list, known }} pane={isWide ? null : chosen} />
        )}
        {about.filters && (
          <aside hidden={!isShown('filters') && list !== null} aria-label={texts().list.panes.filters}>
            <Filters {...part} />
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

const Rows = ({ place, about, known, list }: PartProps & { readonly list: ListAnswer }) =>
  list.results.length === 0 ? (
    <p class="empty">{texts().list.empty}</p>
  ) : (
    <>
      <Table
        {...{ place, rows: list.results, series: known.named, counts: known.counts }}
        title={about.name ?? ''}
        orderings={about.ordering ?? []}
      />
      <Pager place={place} about={about} list={list} />
    </>
  )

const Filters = ({ place, about, known }: PartProps) => (
  <>
    {known.listed?.path === place.path && (
      <Facets place={place} summary={known.summary} series={known.series} go={go} />
    )}
    <FilterForm
      {...{ about, place, faults: faults.value, series: known.series }}
      onFilters={(filters) => go(refiltered(place, filters))}
    />
  </>
)

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
