import { type SQL, sql } from 'drizzle-orm'
import { type Sorted, sortConditions } from './conditions.ts'
import type { State } from './database.ts'
import type { Hint } from './hint.ts'
import type { Order, Position } from './order.ts'
import { invalidPage, lastOf, type Page, type PageRequest } from './page.ts'
import type { Read } from './revision.ts'
import type { Row, Table, Ways } from './table.ts'
import { total } from './tally.ts'

/** The search for one page of a long list: what is asked, of what, and by whom. */
export interface Search extends Sorted {
  readonly read: Read
  readonly resource: Table
  readonly ways: Ways
  readonly level: number
  readonly visible: SQL | null
  readonly order: Order
  readonly size: number
  readonly page: number | 'last'
  readonly hint: Hint | null
  readonly known: Known | null
  /** Of what is remembered of it; null: nothing is to be. */
  readonly key: string | null
}

/** What is known of the matches before they are counted: from the page before, or from an earlier request. */
export interface Known {
  readonly count: number
  readonly gap: number
  /** Whether it is true of the data in this state. */
  readonly holds: (state: State | null) => boolean
}

/** The search for a page that is asked for. */
export const searchOf = (
  read: Read,
  resource: Table,
  ways: Ways,
  request: PageRequest,
  level: number,
  known: Known | null = null,
): Search => {
  const { order, page, pageSize: size, hint, key } = request
  const visible = resource.visible(level)
  return {
    ...sortConditions(request.conditions),
    read,
    resource,
    ways,
    level,
    visible,
    order,
    size,
    page,
    hint,
    key,
    known,
  }
}

/** The part of the order that is wanted: from a position, or from a number of rows on. */
export interface Slice {
  readonly backward: boolean
  readonly from: Position | null
  readonly offset: number
  /** One more than a page, to see whether there is a next. */
  readonly limit: number
}

/** The slice of a page. The count is asked for where the last page is wanted, which is read from its end. */
export const sliceOf = ({ hint, page, size }: Search, count: number): Slice => {
  if (hint !== null) return { backward: hint.backward, from: hint.from, offset: 0, limit: size + 1 }
  if (page !== 'last') return { backward: false, from: null, offset: (page - 1) * size, limit: size + 1 }
  return { backward: true, from: null, offset: 0, limit: Math.max(1, count - (lastOf(count, size) - 1) * size) }
}

/** The page of the rows that a slice gave. Every row has its `rowId` and `rowAt`, its position in the order. */
export const pageOf = (search: Search, slice: Slice, rows: readonly Row[], count: number, gap = 0): Page => {
  const { hint, size } = search
  const number = search.page === 'last' ? lastOf(count, size) : search.page
  if (hint === null && number > 1 && rows.length === 0) throw invalidPage()
  const kept = slice.backward ? rows.slice(0, size).reverse() : rows.slice(0, size)
  const more = hint?.backward === true || (search.page !== 'last' && rows.length > size)
  const turn = (row: Row | undefined, backward: boolean) =>
    row === undefined
      ? {}
      : {
          hint: {
            backward,
            from: { value: row.rowAt, id: row.rowId },
            revision: search.read.state()?.revision ?? 0,
            count,
            gap,
          },
        }
  return {
    count,
    number,
    rows: kept,
    next: more ? turn(kept.at(-1), false) : null,
    previous: number === 1 ? null : number === 2 ? {} : turn(kept[0], true),
  }
}

/** What tells a row's position in the order, and its place. */
export const positionColumns = ({ resource, order, ways: { place } }: Search): SQL =>
  sql`${resource.id} AS "rowId", ${order.column ?? sql`NULL`} AS "rowAt", ${place.x} AS "placeX", ${place.y} AS "placeY"`

/** A query of one number, named count. */
export const asCount = (expression: SQL): SQL => sql`SELECT ${expression} AS count`

/** A query of all that the caller sees. */
export const totalQuery = ({ ways, level }: Search): SQL => asCount(total(ways, level))

export const numberOf = (rows: readonly Row[] | undefined): number => rows?.[0]?.count ?? 0
