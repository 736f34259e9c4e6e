import type { SQLWrapper } from 'drizzle-orm'
import { notFound } from '../../errors.ts'
import type { Condition } from '../../filters/filter.ts'
import type { Cursor, RowPosition, SentCursor } from './cursor.ts'
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
  /** The cache key: requests with the same filters and access level share it. Null: nothing is cached. */
  readonly key: string | null
}

/** One page of the matching rows, and the number of all matches. */
export interface Page {
  readonly count: number
  /** The page number, from 1. */
  readonly number: number
  /** If the texts of a page exceed 8 MB, long rows lack theirs: see `completed` in long.ts. */
  readonly rows: readonly Row[]
  /** Links to the next and the previous page. They are null if there is no such page. */
  readonly next: PageLink | null
  readonly previous: PageLink | null
}

/** A link to another page. Without a cursor the page is found by its number. */
export interface PageLink {
  readonly cursor?: Cursor
}

export const invalidPage = () => notFound('Invalid page.')

/** Returns the number of the last page. */
export const lastOf = (count: number | undefined, pageSize: number): number =>
  Math.max(1, Math.ceil((count ?? 0) / pageSize))

/**
 * The order of a list: by a column, or by id if `column` is null. Rows with the same value are in ascending order of
 * id.
 */
export interface Order {
  readonly column: SQLWrapper | null
  readonly descending: boolean
}

/** A part of the list. It starts at a position, or after a number of rows. */
export interface Slice {
  readonly backward: boolean
  readonly from: RowPosition | null
  readonly offset: number
  readonly limit: number
}

/** Returns true if the values of the slice go down. */
export const isDown = ({ descending }: Order, { backward }: Pick<Slice, 'backward'>): boolean => descending !== backward
