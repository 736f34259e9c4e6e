import { useEffect, useMemo, useState } from 'preact/hooks'
import { valueIn } from '../../formats/columns.ts'
import type * as later from '../app/later.ts'
import { loadMapLibre } from '../map/library.ts'
import { filtersOf, setView, view } from '../state/address.ts'
import { filterFieldsOf, labelNamed, titleOf } from '../state/fields.ts'
import { type ListAnswer, readList } from '../state/rows.ts'
import { prefix, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { Search, textOf } from './cells.tsx'
import type { ListColumns } from './columns.ts'
import { embedIn, nounAt, PANES, type Pane, type PartProps, titleOfList, useListContext } from './listContext.ts'
import { Table } from './table.tsx'

interface ListProps {
  /** The parts that load after the first rows. Without them, their places are empty. */
  readonly later: Partial<typeof later>
}

/** A list with its count, filters, rows and pictures. */
export const ListPage = ({ later }: ListProps) => {
  const { EmbedSource, Facets, ListPictures } = later
  const { place, body } = shown.value
  const list = useMemo(() => readList(body, place.path), [body])
  const known = useListContext(place, shown.value.about, list)
  const { about } = known
  const counted = list === null ? titleOfList(place.path) : texts().list.counted(nounAt(place.path), list.count)
  const embed = embedIn()
  // A frame has one part, as a narrow screen.
  const isWide = useWide() && embed === undefined
  const chosen = embed ? PANE_OF[embed] : paneIn()
  const isOwn = list !== null && known.listed?.path === place.path
  const isOpen = view.value.get('pictures') !== 'off'
  const isShown = (pane: Pane) => (isWide ? isOpen : chosen === pane)
  useMapLibre(known.isPictured && isShown('map'))
  const part = { place, about, known }
  return (
    <div class="list-page" data-pane={isOwn ? chosen : ''}>
      <Headline {...part} list={list} counted={counted} later={later} isOwn={isOwn} />
      {list !== null && <Panes {...part} isOwn={isOwn} chosen={chosen} />}
      <div class="columns">
        {list !== null && (
          <div class="rows" hidden={!isWide && chosen !== 'rows'}>
            <Rows {...part} list={list} later={later} isOwn={isOwn} />
          </div>
        )}
        {list !== null &&
          known.isPictured &&
          (isOpen || !isWide) &&
          (ListPictures === undefined ? (
            <div class="pictures" />
          ) : (
            <ListPictures {...part} list={list} pane={isWide ? null : chosen} />
          ))}
        {isOwn && (
          <aside
            hidden={!isWide && chosen !== 'filters'}
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

/** Returns the part that a narrow screen shows. */
const paneIn = (): Pane => PANES.find((each) => each === view.value.get('pane')) ?? 'rows'

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

interface OwnProps extends PartProps {
  /** True: the list has a summary of its own, and with it filters and groups. */
  readonly isOwn: boolean
}

/** The choice of a part on a narrow screen. */
const Panes = ({ place, known, isOwn, chosen }: OwnProps & { readonly chosen: Pane }) => {
  const { title, ...names } = texts().list.panes
  const offered = { rows: true, map: known.isPictured, time: known.listed !== null, filters: isOwn }
  // Both ends of a period are one filter.
  const filters = new Set(filtersOf(place).map(({ name }) => name.replace(/__[gl]te?$/, ''))).size
  return (
    <fieldset class="row panes">
      <legend class="unseen">{title}</legend>
      {PANES.filter((pane) => offered[pane]).map((pane) => (
        <button key={pane} type="button" aria-pressed={pane === chosen} onClick={() => setView({ pane })}>
          {names[pane]}
          {pane === 'filters' && filters > 0 && <span class="badge">{filters}</span>}
        </button>
      ))}
    </fieldset>
  )
}

interface HeadlineProps extends OwnProps, ListProps {
  readonly list: ListAnswer | null
  readonly counted: string
}

/** Shows the count, the values that all matches have in common, the controls and the filters. */
const Headline = ({ place, about, known, list, counted, later, isOwn }: HeadlineProps) => {
  const { FilterBar = ComingBar, Actions, Numbers, GroupChoice = ComingChoice } = later
  return (
    <>
      <div class="row headline">
        <div class={known.columns.only === null ? 'sentence' : 'sentence of-series'}>
          <h1 class="count" tabIndex={-1}>
            {counted}
          </h1>
          <Finding {...known.columns} />
          {Numbers !== undefined && list !== null && (
            <Numbers place={place} known={known} count={list.count} rows={list.results} />
          )}
        </div>
        {list !== null && (
          <div class="row actions">
            {Actions !== undefined && (
              <Actions place={place} about={about} known={known} counted={counted} count={list.count} />
            )}
          </div>
        )}
      </div>
      {filterFieldsOf(about).length > 0 && (
        <div class="row headline filters">
          <FilterBar place={place} about={about} series={known.series} isEmpty={list?.count === 0} />
          {about.fields?.some(({ kind }) => kind === 'words') && <Search place={place} />}
          {isOwn && list !== null && list.count > 0 && <GroupChoice place={place} known={known} rows={list.results} />}
        </div>
      )}
    </>
  )
}

/** Says what all matches have in common: their series, and the values of their folded columns. */
const Finding = ({ only, folded }: ListColumns) => {
  const values = folded.map(({ column, values }) => {
    const value = textOf(valueIn(values, column.name))
    // A number or a yes needs its title.
    return /\p{L}{3}/u.test(value) ? value : `${titleOf(column)}: ${value}`
  })
  const told = only === null ? values : [only, ...values]
  return told.length === 0 ? null : <p class="finding"> · {told.join(' · ')}</p>
}

/** Takes the space of the choice of groups until it has loaded. */
const ComingChoice = () => <div class="row grouping" />

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

interface RowsProps extends OwnProps, ListProps {
  readonly list: ListAnswer
}

/** Shows the rows of a list, or its groups. */
const Rows = ({ place, about, known, list, isOwn, later: { GroupTable, NoNumbers, Pager } }: RowsProps) => {
  const { count, results: rows } = list
  if (rows.length === 0) return <p class="empty">{texts().list.empty(nounAt(place.path))}</p>
  if (isOwn && view.value.has('group'))
    return GroupTable === undefined ? null : <GroupTable place={place} known={known} rows={rows} />
  return (
    <>
      {NoNumbers !== undefined && <NoNumbers place={place} about={about} rows={rows} />}
      <Table place={place} about={about} known={known} rows={rows} title={titleOfList(place.path)} />
      {count > rows.length && <p class="muted on-paper">{texts().list.onPaper(rows.length, count)}</p>}
      {known.origin !== '' && <p class="muted on-paper">{known.origin}</p>}
      {Pager !== undefined && <Pager place={place} about={about} list={list} />}
    </>
  )
}
