import { useEffect, useMemo, useState } from 'preact/hooks'
import type * as later from '../app/later.ts'
import { loadMapLibre } from '../map/library.ts'
import { filtersOf, setView, view } from '../state/address.ts'
import { filterFieldsOf, labelNamed } from '../state/fields.ts'
import { type ListAnswer, readList } from '../state/rows.ts'
import { prefix, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { Columns, NoNumbers, Order, Pager, Search } from './controls.tsx'
import { Downloads } from './downloads.tsx'
import {
  embedIn,
  nounAt,
  PANES,
  type Pane,
  type PartProps,
  titleOfList,
  useArrival,
  useListContext,
} from './listContext.ts'
import { Table } from './table.tsx'

interface ListProps {
  /** The parts that load after the first rows. Without them, their places are empty. */
  readonly later: Partial<typeof later>
}

/** A list with its count, filters, rows and pictures. */
export const ListPage = ({ later }: ListProps) => {
  const { EmbedSource, Facets, ListPictures } = later
  const { place, body, about } = shown.value
  const list = useMemo(() => readList(body, place.path), [body])
  const known = useListContext(place, list)
  const counted = list === null ? titleOfList(place.path) : texts().list.counted(nounAt(place.path), list.count)
  const embed = embedIn()
  // A frame has one part, as a narrow screen.
  const isWide = useWide() && embed === undefined
  const chosen = embed ? PANE_OF[embed] : (PANES.find((each) => each === view.value.get('pane')) ?? 'rows')
  const choose = (pane: Pane) => setView({ pane })
  useArrival(place, list, counted)
  const isOwn = list !== null && known.listed?.path === place.path
  const isShown = (pane: Pane) => isWide || chosen === pane
  useMapLibre(known.isPictured && isShown('map'))
  const offered = { rows: true, map: known.isPictured, time: known.listed !== null, filters: isOwn }
  const part = { place, about, known }
  return (
    <div class="list-page">
      <Headline {...part} list={list} counted={counted} later={later} />
      {list !== null && <Panes offered={offered} chosen={chosen} choose={choose} filters={filtersOf(place).length} />}
      <div class="columns">
        {list !== null && (
          <div class="rows" hidden={!isShown('rows')}>
            <Rows {...part} list={list} later={later} isOwn={isOwn} />
          </div>
        )}
        {list !== null &&
          known.isPictured &&
          (ListPictures === undefined ? (
            <div class="pictures" />
          ) : (
            <ListPictures {...part} list={list} pane={isWide ? null : chosen} />
          ))}
        {isOwn && (
          <aside
            hidden={!isShown('filters')}
            aria-label={texts().list.panes.filters}
            aria-busy={!known.isCurrent || undefined}
          >
            {Facets !== undefined && <Facets {...known} place={place} />}
          </aside>
        )}
      </div>
      {embed !== undefined && EmbedSource !== undefined && <EmbedSource place={place} origin={known.origin} />}
    </div>
  )
}

const PANE_OF = { table: 'rows', map: 'map', graph: 'time', number: 'rows' } as const

/** Starts to load MapLibre before the rows are drawn, because it is larger than the other parts. */
const useMapLibre = (isShown: boolean): void =>
  useMemo(() => {
    if (isShown) loadMapLibre(prefix).catch(() => {})
  }, [isShown])

/** Paper shows all parts. */
const WIDE = '(min-width: 75rem), print'

/** Returns true if the screen has space for all parts side by side. */
const useWide = (): boolean => {
  const [isWide, setWide] = useState(() => matchMedia(WIDE).matches)
  useEffect(() => {
    const query = matchMedia(WIDE)
    const follow = () => setWide(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [])
  return isWide
}

interface PanesProps {
  readonly offered: Readonly<Record<Pane, boolean>>
  readonly chosen: Pane
  readonly choose: (pane: Pane) => void
  /** The number of active filters. */
  readonly filters: number
}

/** The choice of a part on a narrow screen. */
const Panes = ({ offered, chosen, choose, filters }: PanesProps) => {
  const { title, ...names } = texts().list.panes
  const panes = PANES.filter((pane) => offered[pane])
  return (
    <fieldset class="row panes">
      <legend class="unseen">{title}</legend>
      {panes.map((pane) => (
        <button key={pane} type="button" aria-pressed={pane === chosen} onClick={() => choose(pane)}>
          {names[pane]}
          {pane === 'filters' && filters > 0 && <span class="badge">{filters}</span>}
        </button>
      ))}
    </fieldset>
  )
}

interface HeadlineProps extends PartProps, ListProps {
  readonly list: ListAnswer | null
  readonly counted: string
}

/** The count as the title of the page, the words, the filters, the order and the downloads. */
const Headline = ({ later, ...part }: HeadlineProps) => {
  const { place, about, known, list, counted } = part
  const { EmbedMenu, Excel, FilterBar = ComingBar } = later
  const isOfEvents = known.events !== null
  const excel = isOfEvents && list !== null && Excel !== undefined && <Excel {...part} count={list.count} />
  return (
    <>
      <div class="row headline">
        <h1 class="count" tabIndex={-1}>
          {counted}
        </h1>
        {about.fields?.some(({ kind }) => kind === 'words') && <Search place={place} />}
        {list !== null && (
          <div class="row actions">
            <Order place={place} about={about} />
            <Columns place={place} about={about} />
            <Downloads
              place={place}
              renders={about.renders ?? []}
              counted={counted}
              origin={known.origin}
              excel={excel}
            />
            {isOfEvents && EmbedMenu !== undefined && <EmbedMenu place={place} counted={counted} />}
          </div>
        )}
      </div>
      {filterFieldsOf(about).length > 0 && (
        <div class="row headline filters">
          <FilterBar place={place} about={about} series={known.series} isEmpty={list?.count === 0} />
        </div>
      )}
    </>
  )
}

/** Takes the space of the active filters until they have loaded. */
const ComingBar = ({ place, about }: Pick<PartProps, 'place' | 'about'>) => (
  <ul class="chips coming" aria-hidden="true">
    {filtersOf(place).map((filter) => (
      <li key={filter.name} class="chip">
        <span class="words cut">{`${labelNamed(about, filter.name)} ${filter.value.slice(0, 60)}`}</span> ×
      </li>
    ))}
  </ul>
)

interface RowsProps extends PartProps, ListProps {
  readonly list: ListAnswer
  /** True: the list has a summary of its own. */
  readonly isOwn: boolean
}

/** The rows of a list, or its groups. */
const Rows = ({ later: { GroupChoice, GroupTable }, isOwn, ...props }: RowsProps) => {
  const { place, known, list } = props
  const rows = list.results
  if (rows.length === 0) return <p class="empty">{texts().list.empty(nounAt(place.path))}</p>
  const isGrouped = isOwn && view.value.has('group')
  const groups = { place, known, rows }
  return (
    <>
      {isOwn && GroupChoice !== undefined && <GroupChoice {...groups} />}
      {isGrouped ? GroupTable !== undefined && <GroupTable {...groups} /> : <PageOfRows {...props} />}
    </>
  )
}

const PageOfRows = ({ place, about, known, list }: Omit<RowsProps, 'later' | 'isOwn'>) => {
  const { count, results: rows } = list
  return (
    <>
      <NoNumbers place={place} about={about} rows={rows} />
      <Table {...known} place={place} about={about} rows={rows} title={titleOfList(place.path)} />
      {count > rows.length && <p class="muted on-paper">{texts().list.onPaper(rows.length, count)}</p>}
      <Pager place={place} about={about} list={list} />
    </>
  )
}
