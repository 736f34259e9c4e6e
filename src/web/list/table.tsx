import { useComputed } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { changed, givenIn, type PageAddress } from '../state/address.ts'
import type { About, Titles } from '../state/fields.ts'
import type { SeriesById } from '../state/known.ts'
import { isEvent } from '../state/rows.ts'
import { go, pointed } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { type Column, type Counts, columnsOf } from './columns.tsx'

/** The number of rows that the table draws in one step. */
const STEP = 100

interface TableProps {
  readonly place: PageAddress
  readonly about: About
  readonly title: string
  readonly rows: readonly object[]
  readonly series: SeriesById
  readonly counts: Counts
  readonly titles: Titles
}

/** The table of a page. The heading of a column is a button if the list can be ordered by it. */
export const Table = (props: TableProps) => {
  const { place, about, title, rows, series, counts, titles } = props
  const { fields = [], ordering = [] } = about
  const columns = columnsOf({ rows, fields, context: { series, titles, list: place }, counts })
  const { drawn, end } = useDrawn(rows)
  const left = rows.length - drawn
  return (
    <section class="table" aria-label={title}>
      <table>
        <caption class="unseen">{title}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.name} column={column} place={place} orderings={ordering} />
            ))}
          </tr>
        </thead>
        <tbody onMouseLeave={() => point(null)}>
          {rows.slice(0, drawn).map((row, i) => (
            <Row key={isEvent(row) ? row.id : i} row={row} columns={columns} />
          ))}
        </tbody>
      </table>
      <p class="more-rows" ref={end} hidden={left <= 0}>
        {texts().list.moreRows(left)}
      </p>
    </section>
  )
}

const point = (id: number | null): void => {
  pointed.value = id
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

const Row = ({ row, columns }: { readonly row: object; readonly columns: readonly Column[] }) => {
  const id = isEvent(row) ? row.id : null
  const mark = useComputed(() => (id !== null && pointed.value === id ? 'pointed' : ''))
  return (
    <tr class={mark} onMouseEnter={() => point(id)} onFocusIn={() => point(id)}>
      {columns.map(({ name, heading, cell, style }) => {
        const value = cell(row)
        return (
          <td key={name} data-label={heading} class={value === null ? `${style} no-value` : style}>
            {value ?? '–'}
          </td>
        )
      })}
    </tr>
  )
}

interface HeadingProps {
  readonly column: Column
  readonly place: PageAddress
  /** The names that the list can be ordered by. */
  readonly orderings: readonly string[]
}

const Heading = ({ column: { heading, order, style }, place, orderings }: HeadingProps) => {
  if (order === undefined || !orderings.includes(order))
    return (
      <th scope="col" class={style}>
        {heading}
      </th>
    )
  const current = givenIn(place, 'ordering') ?? 'id'
  const isUp = current === order
  const sorted = isUp ? 'ascending' : current === `-${order}` ? 'descending' : undefined
  return (
    <th scope="col" class={style} aria-sort={sorted}>
      <button type="button" class="sort" onClick={() => go(changed(place, { ordering: isUp ? `-${order}` : order }))}>
        {heading}
      </button>
    </th>
  )
}
