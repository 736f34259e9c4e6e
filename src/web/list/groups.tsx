import { useState } from 'preact/hooks'
import { hrefOf, type PageAddress, setView, view } from '../state/address.ts'
import {
  choicesFor,
  type Group,
  type Grouping,
  type Groups,
  groupingIn,
  groupsOf,
  groupTexts,
  keyOf,
  labelOf,
  placeOfGroup,
  tableOf,
} from '../state/groups.ts'
import { summaryKeyOf } from '../state/known.ts'
import { comparedIn, inPeriod, inTime, saidPeriod, shortNames } from '../state/periods.ts'
import { useAsked } from '../state/service.ts'
import { go, shown as shownPage } from '../state/store.ts'
import { NotLoaded } from './cells.tsx'
import { FileLink } from './downloads.tsx'
import type { GroupsProps } from './groupChoice.tsx'
import {
  columnsOf,
  greatestOf,
  measuredOf,
  measureOf,
  type NumberColumn,
  type OrderedBy,
  orderedBy,
  type Totals,
} from './measures.ts'

/** The number of groups that a table shows at first, and the most that it asks for. */
const [FEW, MOST] = [50, 1000]

/** Reads the groups of a place, and those of an earlier period. `periods` has both periods if they are compared. */
const useGroups = (place: PageAddress, name: string, grouping: Grouping, size: number) => {
  const asked = JSON.stringify([summaryKeyOf(place), name, grouping.number, grouping.order, size])
  const found = useAsked(asked, (signal) => groupsOf(place, name, grouping, size, signal))
  // Two periods have no years in common.
  const periods = name === 'timestamp_start__year' ? null : comparedIn(place)
  const [, other] = periods ?? [null, null]
  const { value } = useAsked(
    other && JSON.stringify([asked, other]),
    async (signal) => other && groupsOf(inPeriod(place, other), name, grouping, MOST, signal),
  )
  const entries = inTime(place, name, found.value?.entries ?? [], grouping.order)
  return { ...found, value: found.value && { ...found.value, entries }, periods: periods ?? [], before: other && value }
}

/** All rows of a table share these. */
interface Shown {
  readonly columns: readonly NumberColumn[]
  readonly grouping: Grouping
  /** The groups of the earlier period. Null until they are known, or without a comparison. */
  readonly past: Groups | null
  /** A bar of this number has the whole width. */
  readonly greatest: number
}

/** A table of groups with their counts, and the statistics of a number. Each row leads to its events. */
export const GroupTable = ({ place, known, rows }: GroupsProps) => {
  const t = groupTexts()
  const choices = choicesFor(known.columns, rows)
  const grouping = groupingIn(view.value, choices.levels)
  const [size, setSize] = useState(FEW)
  const [fault, setFault] = useState('')
  const [first = '', second = ''] = grouping.names
  const { value: groups, isCurrent, retry, periods, before } = useGroups(place, first, grouping, size)
  if (groups === null) return <p class="panel empty">{isCurrent && <NotLoaded retry={retry} />}</p>
  const { number } = grouping
  const titleOf = titlesIn(choices)
  const columns = columnsOf(number, titleOf(number ?? ''), choices.levels, groups, shortNames(periods))
  const { entries, whole, count, without } = groups
  const [now = '', then = ''] = periods.map(saidPeriod)
  const shown: Shown = { columns, grouping, past: before, greatest: greatestOf(entries, grouping) }
  return (
    <section class="panel groups" aria-label={t.group} aria-busy={!isCurrent || undefined}>
      {periods.length > 0 && <p class="muted">{t.versus(now, then)}</p>}
      <table>
        <caption class="unseen">{`${t.group} ${titleOf(first)}`}</caption>
        <Heads title={titleOf(first)} columns={columns} order={grouping.order} />
        <tbody>
          <tr class="whole">
            <th scope="row">{t.all}</th>
            <Cells
              of={{ count, numbers: whole }}
              before={before && { count: before.count, numbers: before.whole }}
              {...shown}
              greatest={0}
            />
          </tr>
          {[...entries, ...vanished(groups, before)].map((group) => (
            <Row key={keyOf(group)} place={place} name={first} inner={second} group={group} shown={shown} />
          ))}
          {without > 0 && (
            <tr>
              <th scope="row">{t.without}</th>
              <Cells of={{ count: without, numbers: null }} before={null} {...shown} />
            </tr>
          )}
        </tbody>
      </table>
      <p>
        <FileLink place={tableOf(place, first, grouping)} file="groups.csv" label={t.table} onFault={setFault} />{' '}
        {fault}
      </p>
      <Rest groups={groups} isWhole={size === MOST} showAll={() => setSize(MOST)} />
    </section>
  )
}

/** Returns the groups that only the earlier period has, with no events. If there are more groups, it is not known. */
const vanished = ({ entries, more }: Groups, past: Groups | null): Group[] => {
  const known = new Set(entries.map(keyOf))
  const gone = more > 0 ? [] : (past?.entries ?? []).filter((each) => !known.has(keyOf(each)))
  return gone.map(({ statistics: _, ...group }) => ({ ...group, count: 0 }))
}

interface RestProps {
  readonly groups: Groups
  /** True: no more groups can be shown. */
  readonly isWhole: boolean
  readonly showAll: () => void
}

/** Says which groups and numbers the table leaves out. */
const Rest = ({ groups: { more, whole, count }, isWhole, showAll }: RestProps) => {
  const t = groupTexts()
  return (
    <>
      {more > 0 && !isWhole && (
        <button type="button" class="quiet" onClick={showAll}>
          {t.more(Math.min(more, MOST - FEW))}
        </button>
      )}
      {more > 0 && isWhole && <p class="muted">{t.beyond(more)}</p>}
      {whole !== null && whole.count < count && <p class="muted">{t.unnumbered(count - whole.count, count)}</p>}
    </>
  )
}

const titlesIn =
  ({ columns, times, numbers }: ReturnType<typeof choicesFor>) =>
  (wanted: string): string =>
    [...columns, ...times, ...numbers].find(([name]) => name === wanted)?.[1] ?? wanted

interface HeadsProps {
  readonly title: string
  readonly columns: readonly NumberColumn[]
  readonly order: string
}

/** The heads of the table. A click orders the groups, and a second click reverses the order. */
const Heads = ({ title, columns, order }: HeadsProps) => {
  const blocks = Map.groupBy(columns, ({ over }) => over)
  return (
    <thead>
      {columns.some(({ over }) => over !== '') && (
        <tr class="over">
          <td />
          {[...blocks].map(([over, { length }]) => (
            <th key={over} scope="colgroup" colSpan={length}>
              {over}
            </th>
          ))}
        </tr>
      )}
      <tr>
        <Head by="text" title={title} order={order} />
        {columns.map(({ by, title, over }) =>
          by === undefined ? (
            <th scope="col" key={over + title}>
              {title}
            </th>
          ) : (
            <Head key={by} by={by} title={title} order={order} />
          ),
        )}
      </tr>
    </thead>
  )
}

interface HeadProps {
  readonly by: OrderedBy | 'text'
  readonly title: string
  readonly order: string
}

const Head = ({ by, title, order }: HeadProps) => {
  const isSorted = order.replace('-', '') === by
  const isDown = order.startsWith('-')
  // Names begin with A, and numbers with the greatest.
  const isNextDown = isSorted ? !isDown : by !== 'text'
  return (
    <th scope="col" aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}>
      <button type="button" class="sort" onClick={() => setView({ order: isNextDown ? `-${by}` : by })}>
        {title}
      </button>
    </th>
  )
}

interface CellsProps extends Shown {
  readonly of: Totals
  readonly before: Totals | null
}

/** Shows the numbers of a row. A bar stands behind the number that orders the groups. */
const Cells = ({ of, before, columns, grouping, greatest }: CellsProps) =>
  columns.map(({ by, title, over, say }) => {
    const part = by === orderedBy(grouping) ? (measureOf(of, by) ?? 0) / greatest : 0
    const bar = part > 0 && part <= 1 ? { style: { '--part': `${100 * part}%` } } : {}
    return (
      <td key={over + title} {...bar}>
        {say(of, before)}
      </td>
    )
  })

interface RowProps {
  readonly place: PageAddress
  readonly name: string
  /** The second level. Empty without one. */
  readonly inner: string
  readonly group: Group
  readonly shown: Shown
  readonly kind?: 'part'
}

/** A group. Its name leads to its events, and its button opens the second level. */
const Row = ({ place, name, inner, group, shown, kind }: RowProps) => {
  const [isOpen, setOpen] = useState(false)
  const own = placeOfGroup(place, name, group)
  const label = labelOf(name, group)
  return (
    <>
      <tr class={kind}>
        <th scope="row">
          {inner !== '' && own !== null && (
            <button
              type="button"
              class="quiet open"
              aria-expanded={isOpen}
              aria-label={groupTexts().open(label)}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? '▾' : '▸'}
            </button>
          )}
          {own === null ? (
            <span title={label}>{label}</span>
          ) : (
            <a href={hrefOf(own)} title={label} onClick={(event) => showEvents(event, own)}>
              {label}
            </a>
          )}
        </th>
        <Cells of={measuredOf(group, shown.grouping.number)} before={beforeIn(shown, group)} {...shown} />
      </tr>
      {isOpen && own !== null && <Parts place={own} name={inner} shown={shown} />}
    </>
  )
}

/** Shows the events of a group one by one. The way back in the history leads to the groups. */
const showEvents = async (event: MouseEvent, own: PageAddress): Promise<void> => {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || view.value.has('embed')) return
  event.preventDefault()
  await go(own)
  if (shownPage.value.place === own) setView({ group: null, number: null, order: null })
}

/** Returns the numbers of a group in the earlier period. A missing group had no events. Null: not known. */
const beforeIn = ({ past, grouping }: Shown, group: Group): Totals | null => {
  if (past === null) return null
  const found = past.entries.find((each) => keyOf(each) === keyOf(group))
  if (found !== undefined) return measuredOf(found, grouping.number)
  return past.more === 0 ? { count: 0, numbers: null } : null
}

/** The groups of the second level within one of the first. */
const Parts = ({ place, name, shown }: Pick<RowProps, 'place' | 'name' | 'shown'>) => {
  const { value, isCurrent, retry, before } = useGroups(place, name, shown.grouping, FEW)
  if (value === null)
    return (
      <tr class="part">
        <th colSpan={1 + shown.columns.length}>{isCurrent ? <NotLoaded retry={retry} /> : '…'}</th>
      </tr>
    )
  const own = { ...shown, past: before }
  return value.entries.map((group) => (
    <Row key={keyOf(group)} place={place} name={name} inner="" group={group} shown={own} kind="part" />
  ))
}
