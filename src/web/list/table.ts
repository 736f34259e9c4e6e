import { fill, h, setAttribute } from '../app/dom.ts'
import { changed, givenIn, type PageAddress } from '../state/address.ts'
import { formatCount } from '../state/format.ts'
import type { SeriesById } from '../state/known.ts'
import { type Column, type Counts, columnsOf } from './columns.ts'

/** The number of rows that the table draws in one step. */
const ROWS = 100

export interface TableView {
  readonly element: HTMLElement
  readonly update: (place: PageAddress, rows: readonly object[]) => void
  /** Shows the names of the series in the rows of events. */
  readonly name: (series: SeriesById) => void
  /** Shows the numbers of events in the rows of series. */
  readonly count: (counts: Counts) => void
}

/** Makes the table of a page. The heading of a column is a button if the list can be ordered by it. */
export const makeTable = (
  title: string,
  orderings: readonly string[],
  prefix: string,
  go: (place: PageAddress) => void,
): TableView => {
  const head = h('tr', {})
  const body = h('tbody', {})
  const empty = h('p', { class: 'empty', hidden: true }, 'Nothing matches. Remove a filter, or make its range wider.')
  const table = h('table', {}, h('caption', { class: 'unseen' }, title), h('thead', {}, head), body)
  let [known, counts]: [SeriesById, Counts] = [new Map(), new Map()]
  let shown: readonly object[] = []
  const end = h('p', { class: 'more-rows', hidden: true })
  const element = h('div', { class: 'table', tabindex: '0', role: 'region', 'aria-label': title }, table, end, empty)
  let columns: readonly Column[] = []
  // A page of 10,000 rows has 150,000 elements. So the table makes rows when they come into view.
  const seen = new IntersectionObserver(
    (entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) draw(body.rows.length + ROWS)
    },
    { rootMargin: '1500px' },
  )
  /** Draws rows until the table has `most`. */
  const draw = (most: number) => {
    const from = body.rows.length
    body.append(...shown.slice(from, most).map((row) => rowOf(row, columns)))
    end.hidden = body.rows.length >= shown.length
    end.textContent = `Scroll to see ${formatCount(shown.length - body.rows.length)} more rows of this page`
    // An observer reports only changes. Observing the element once more reports an end that is still in view.
    seen.unobserve(end)
    seen.observe(end)
  }
  const redraw = (rows: number) => {
    columns = columnsOf(shown, known, counts, prefix)
    fill(body)
    draw(rows)
  }
  return {
    element,
    update: (place, rows) => {
      shown = rows
      redraw(ROWS)
      fill(
        head,
        columns.map((column) => heading(column, place, orderings, go)),
      )
      empty.hidden = rows.length > 0
      table.hidden = rows.length === 0
    },
    name: (series) => {
      known = series
      redraw(Math.max(ROWS, body.rows.length))
    },
    count: (found) => {
      counts = found
      redraw(Math.max(ROWS, body.rows.length))
    },
  }
}

const rowOf = (row: object, columns: readonly Column[]): HTMLElement =>
  h(
    'tr',
    {},
    columns.map(({ heading, cell, style }) => h('td', { 'data-label': heading, class: style }, cell(row as never))),
  )

const heading = (
  { heading: text, ordering, style }: Column,
  place: PageAddress,
  orderings: readonly string[],
  go: (place: PageAddress) => void,
) => {
  const cell = h('th', { scope: 'col', class: style }, text)
  const field = ordering?.find((each) => orderings.includes(each))
  if (field === undefined) return cell
  const current = givenIn(place, 'ordering') ?? 'id'
  const order = current === field ? 'ascending' : current === `-${field}` ? 'descending' : null
  setAttribute(cell, 'aria-sort', order)
  const next = order === 'ascending' ? `-${field}` : field
  fill(cell, h('button', { type: 'button', class: 'sort', click: () => go(changed(place, { ordering: next })) }, text))
  return cell
}
