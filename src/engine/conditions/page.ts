import type { SQLWrapper } from 'drizzle-orm'
import { notFound } from '../../errors.ts'
import type { LonLat } from '../../geometry/bbox.ts'
import type { Condition } from '../d1/condition.ts'
import type { OrderColumn } from '../d1/sql.ts'
import type { Cursor, RowPosition, SentCursor } from './cursor.ts'
import type { Search } from './search.ts'
import type { Row } from './table.ts'

/** A request for one page of a list. */
export interface PageRequest {
  readonly conditions: readonly Condition[]
  readonly order: Order
  readonly page: number | 'last'
  readonly pageSize: number
  readonly cursor: SentCursor | null
  /** Uses the count of the cursor even if the data has changed since. */
  readonly countOfCursor?: boolean
}

/** One page of the matching rows, and the number of all matches. */
export interface Page {
  readonly count: number
  /** The page number, from 1. */
  readonly number: number
  /** Long rows of a large page lack their texts: see `wholeRows`. */
  readonly rows: readonly Row[]
  /** Links to the next and the previous page. They are null if there is no such page. */
  readonly next: PageLink | null
  readonly previous: PageLink | null
}

/** A link to another page. Without a cursor the page is found by its number. */
type PageLink = { readonly cursor?: Cursor }

export const invalidPage = () => notFound('Invalid page.')

/** Returns the number of the last page. */
export const lastOf = (count: number, pageSize: number): number => Math.max(1, Math.ceil(count / pageSize))

/**
 * The order of a list: by a column and then by id, or by id alone if `column` is null. A descending order is the exact
 * reverse, except that rows without a value stay at the end.
 */
export interface Order extends Omit<OrderColumn, 'column'> {
  readonly column: SQLWrapper | null
  readonly descending: boolean
  /** Sorts by the distance from this longitude and latitude. `column` is then null. Absent: it sorts by `column`. */
  readonly near?: LonLat
  /** The parameter that names the order. A message about too many rows suggests the filters. Absent: no limit. */
  readonly asked?: { readonly parameter: string; readonly filters: string }
}

/** A part of the matches of a search in an order. It starts at a position, or after a number of rows. */
export interface List {
  readonly search: Search
  readonly order: Order
  readonly backward: boolean
  readonly from: RowPosition | null
  readonly offset: number
  readonly limit: number
}

/** Returns true if the values of the list go down. */
export const isDown = ({ order, backward }: Pick<List, 'order' | 'backward'>): boolean => order.descending !== backward
