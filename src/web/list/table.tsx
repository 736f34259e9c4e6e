import { useComputed } from '@preact/signals'
import { type ComponentChildren, Fragment, type TargetedEvent, type TargetedKeyboardEvent } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { attributeIn, classesOf, isOfTexts, isOwner, isSorted, numberIn, valueIn } from '../../formats/columns.ts'
import { changed, givenIn, hrefOf, isOgc, type PageAddress } from '../state/address.ts'
import { type Column, headingOf } from '../state/fields.ts'
import { clock, formatCount, formatDay, formatSecond, formatterOf } from '../state/format.ts'
import { eventsOf } from '../state/known.ts'
import { isEvent, isSeries, type Series, sourceLast, uuidOf, valuesIn } from '../state/rows.ts'
import { go, pointed, prefix } from '../state/store.ts'
import { language, texts } from '../state/text.ts'
import { type CellContext, cellOf, SeriesLink, textOf } from './cells.tsx'
import type { PartProps } from './listContext.ts'

/** The number of rows that the table draws in one step. */
const STEP = 100

interface TableProps extends PartProps {
  readonly title: string
  readonly rows: readonly object[]
}

/** A column as the table draws it. */
interface Drawn extends Column {
  readonly heading: string
  /** The classes of its cells. */
  readonly style: string
  /** The width of its heading. */
  readonly space: Readonly<Record<string, string>>
  /** The greatest number in the rows, if the list has the order of the column. Its numbers have bars. 0: no bars. */
  readonly greatest: number
}

/** The table of a page. The heading of a column is a button if the list can be ordered by it. */
export const Table = ({ place, known, title, rows }: TableProps) => {
  const { series, counts } = known
  const columns = known.columns.shown
  const all = useMemo(() => drawnOf(columns, rows, place), [columns, rows, place, language.value, clock.value])
  const isInOrder = all.some((column) => isSorted(column, orderIn(place)))
  const formats = useMemo(() => formatsOf(rows), [rows, clock.value])
  const { drawn, end } = useDrawn(rows)
  const left = rows.length - drawn
  const context = { series, list: place, tabIndex: -1 } as const
  const isOfSeries = rows.some(isSeries)
  const isCounted = isOfSeries && !columns.some(({ name }) => name === 'event_count')
  return (
    <section class="table" aria-label={title}>
      <table class={density(all.length)}>
        <caption class="unseen">{title}</caption>
        <thead>
          <tr onKeyDown={stepOver}>
            {all.map((column, i) => (
              <Fragment key={column.name}>
                <Heading column={column} place={place} isStop={i === 0 && !isInOrder} />
                {i === 0 && isCounted && (
                  <th scope="col" class="number">
                    {texts().list.columns.events}
                  </th>
                )}
              </Fragment>
            ))}
          </tr>
        </thead>
        <tbody onMouseLeave={() => point(null)}>
          {rows.slice(0, drawn).map((row, i) => (
            <Row key={isEvent(row) ? row.id : i} row={row} columns={all} context={{ ...context, format: formats(row) }}>
              {isCounted && isSeries(row) && (
                <td class="number lead" data-label={texts().list.columns.events}>
                  <EventsLink series={row} count={counts.get(uuidOf(row))} />
                </td>
              )}
            </Row>
          ))}
        </tbody>
      </table>
      <p class="more-rows" ref={end} hidden={left <= 0}>
        {texts().list.moreRows(left)}
      </p>
    </section>
  )
}

/** Returns the class of a table by the number of its columns. A table of many columns scrolls. On paper its rows wrap. */
const density = (columns: number): string => {
  if (columns > 14) return 'dense many'
  return columns > 8 ? 'dense' : ''
}

/** Returns the name of the parameter for the order of a list. */
const orderNameAt = (place: PageAddress) => (isOgc(place) ? 'sortby' : 'ordering')

/** Returns the order of a list, as the heading of a column has it. */
const orderIn = (place: PageAddress): string => givenIn(place, orderNameAt(place)) ?? 'id'

/** Names the order of a column as a list of /ogc does. Only the list of a series can be ordered by its own columns. */
const inOgc = (place: PageAddress) => (column: Column) => {
  const { order, ...others } = column
  const own = attributeIn(column.name)
  if (order === undefined || own === null) return column
  return place.path.includes('/events-') ? { ...column, order: own } : others
}

/** The part of the width that texts get for each of their columns, in per cent. */
const PART = 35

/** A longer text does not make its column wider. The margin is the space beside a text. Both are in characters. */
const [LONGEST, MARGIN] = [36, 4]
/** The most characters in a line of the heading of a number or a time. */
const MOST_IN_LINE = 20

/** Returns the columns with what their rows decide. */
const drawnOf = (every: readonly Column[], rows: readonly object[], place: PageAddress): readonly Drawn[] => {
  const columns = isOgc(place) ? every.map(inOgc(place)) : every
  const order = orderIn(place)
  const classes = classesOf(columns, order)
  const lengths = columns.map((column) => (isOfTexts(column) ? lengthOf(column, rows) : 0))
  const all = lengths.reduce((sum, length) => sum + length, 0)
  const part = Math.min(100, PART * columns.filter(isOfTexts).length)
  return columns.map((column, i) => {
    const numbers = isSorted(column, order) ? rows.flatMap((row) => numberIn(valuesIn(row), column) ?? []) : []
    return {
      ...column,
      heading: headingOf(column),
      style: classes[i] ?? '',
      space: isOfTexts(column) ? { width: `${(part * (lengths[i] ?? 0)) / all}%` } : { '--least': twoLines(column) },
      greatest: Math.max(0, ...numbers),
    }
  })
}

/** Returns the width in which a heading has at most two lines, if none of its words is longer. */
const twoLines = (column: Column): string => `${Math.min(MOST_IN_LINE, Math.ceil(headingOf(column).length / 2) + 5)}ch`

/** Returns how many characters most texts of a column have. */
const lengthOf = (column: Column, rows: readonly object[]): number => {
  const lengths = rows.slice(0, STEP).map((row) => {
    const values = valuesIn(row)
    const value = isOwner(column) ? `● ${values.event_series_name}` : (valueIn(values, column.name) ?? '')
    return textOf(column.kind === 'object' ? Object.values(value) : value).length
  })
  const most = lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length * 0.9)] ?? 0
  const words = headingOf(column).split(' ')
  return MARGIN + Math.min(LONGEST, Math.max(most, ...words.map(({ length }) => length)))
}

/** Returns the format of the instants of a row. A series may have days without times. The period of a series needs none. */
const formatsOf = (rows: readonly object[]) => {
  const bySeries = Map.groupBy(rows.filter(isEvent), ({ series }) => series)
  const formats = new Map(
    [...bySeries].map(([series, events]) => [series, formatterOf(events.flatMap(({ start, end }) => [start, end]))]),
  )
  return (row: object) => (isEvent(row) ? (formats.get(row.series) ?? formatSecond) : formatDay)
}

const point = (row: object | null): void => {
  pointed.value = row !== null && isEvent(row) ? row : null
}

/**
 * Returns how many rows to draw. A page of 10,000 rows has 150,000 elements. So the table draws more rows when its end
 * comes into view.
 */
const useDrawn = (rows: readonly object[]) => {
  const [drawn, setDrawn] = useState(STEP)
  const end = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    setDrawn(STEP)
    // Paper has all rows of the page.
    const drawAll = () => setDrawn(rows.length)
    addEventListener('beforeprint', drawAll)
    return () => removeEventListener('beforeprint', drawAll)
  }, [rows])
  useEffect(() => {
    if (end.current === null || drawn >= rows.length) return
    // An observer reports an end that is still in view only once. So there is a new one after each step.
    const grow = ([entry]: readonly IntersectionObserverEntry[]) => entry?.isIntersecting && setDrawn(drawn + STEP)
    const seen = new IntersectionObserver(grow, { rootMargin: '1500px' })
    seen.observe(end.current)
    return () => seen.disconnect()
  }, [rows, drawn])
  return { drawn, end }
}

interface RowProps {
  readonly row: object
  readonly columns: readonly Drawn[]
  readonly context: CellContext
  readonly children: ComponentChildren
}

const Row = ({ row, columns, context, children }: RowProps) => {
  const mark = useComputed(() => (isEvent(row) && pointed.value?.id === row.id ? 'pointed' : ''))
  const enter = ({ currentTarget }: TargetedEvent<HTMLTableRowElement>) => {
    point(row)
    tellCut(currentTarget)
  }
  return (
    <tr class={mark} onMouseEnter={enter} onFocusIn={() => point(row)}>
      {columns.map((column, i) => (
        <Fragment key={column.name}>
          <td
            data-label={column.heading}
            data-unit={column.unit ?? undefined}
            class={column.style}
            style={barOf(column, row)}
          >
            {i === 0 ? <NameCell row={row} column={column} context={context} /> : cellIn(column, row, context)}
          </td>
          {i === 0 && children}
        </Fragment>
      ))}
    </tr>
  )
}

/** Gives each cut cell of a row its whole text as a title. */
const tellCut = (row: HTMLTableRowElement): void => {
  for (const cell of row.cells) if (cell.scrollWidth > cell.clientWidth) cell.title = cell.innerText
}

const cellIn = (column: Column, row: object, context: CellContext): ComponentChildren => {
  const cell = cellOf(column, row, context)
  return column.name === 'description' && typeof cell === 'string' ? sourceLast(cell) : cell
}

/** Returns the style of the bar behind a number. It is as long as its part of the greatest number. */
const barOf = (column: Drawn, row: object) => {
  const number = column.greatest === 0 ? null : numberIn(valuesIn(row), column)
  return number === null ? undefined : { '--part': `${(100 * Math.max(0, number)) / column.greatest}%` }
}

/** The first cell of a row, which links to its item. */
const NameCell = ({ row, column, context }: Omit<RowProps, 'columns' | 'children'> & { readonly column: Column }) => {
  if (isSeries(row)) return <SeriesLink {...row} />
  const { url, name = '' } = row as { readonly url?: string; readonly name?: string }
  // A link within the link of the row would be none.
  const cell = isOwner(column) && isEvent(row) ? row.seriesName : cellOf({ ...column, lookups: [] }, row, context)
  const shown = cell ?? (isEvent(row) ? texts().list.event(String(row.id)) : name)
  return typeof url === 'string' && url !== '' ? <a href={url}>{shown}</a> : shown
}

const EventsLink = ({ series, count }: { readonly series: Series; readonly count: number | undefined }) => {
  const t = texts().list
  return (
    <a href={hrefOf(eventsOf(prefix, uuidOf(series)))}>
      {count === undefined ? t.columns.events : formatCount(count)}
      <span class="unseen"> {t.ofSeries(count, series.name)}</span>
    </a>
  )
}

interface HeadingProps {
  readonly column: Drawn
  readonly place: PageAddress
  /** True: the Tab key stops here. The sorted column is a stop as well. */
  readonly isStop: boolean
}

/** Moves the focus to the heading beside it. So the headings are one stop of the Tab key. */
const stepOver = ({ key, currentTarget }: TargetedKeyboardEvent<HTMLElement>): void => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
  const all = [...currentTarget.querySelectorAll<HTMLElement>('.sort')]
  const at = all.findIndex((each) => each.matches(':focus'))
  if (step !== undefined) all[at + step]?.focus()
}

const Heading = ({ column, place, isStop }: HeadingProps) => {
  const { heading, order, style, space } = column
  const own = { class: style, scope: 'col', style: space } as const
  if (order === undefined) return <th {...own}>{heading}</th>
  const current = orderIn(place)
  const isUp = current === order
  const sorted = isUp ? 'ascending' : current === `-${order}` ? 'descending' : undefined
  return (
    <th {...own} aria-sort={sorted}>
      <button
        type="button"
        class="sort"
        tabIndex={isStop || sorted ? 0 : -1}
        onClick={() => go(changed(place, { [orderNameAt(place)]: isUp ? `-${order}` : order }))}
      >
        {heading}
      </button>
    </th>
  )
}
