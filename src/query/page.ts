import { notFound } from '../errors.ts'
import type { Condition } from '../filters/filter.ts'
import type { Cursor, SentCursor } from './cursor.ts'
import type { Order } from './order.ts'
import type { Row } from './table.ts'

/** Which page of which rows is wanted, in which order. */
export interface PageRequest {
  readonly conditions: readonly Condition[]
  readonly order: Order
  readonly page: number | 'last'
  readonly pageSize: number
  readonly cursor: SentCursor | null
  /** The count of the cursor is taken as it is, whatever was written since. */
  readonly countOfCursor?: boolean
  /** Shared by all requests for these rows at this level, which share what is remembered; null: nothing is remembered. */
  readonly key: string | null
}

/** One page of the rows that match, and how many match in all. */
export interface Page {
  readonly count: number
  /** From 1. */
  readonly number: number
  /** If their texts have more than 8 MB together, long rows lack their texts: see `completed` in long.ts. */
  readonly rows: readonly Row[]
  /** Whether there is a page after and before this one, and how best to go there. */
  readonly next: Turn | null
  readonly previous: Turn | null
}

/** The way to another page; without a cursor it is found by its number alone. */
export interface Turn {
  readonly cursor?: Cursor
}

export const invalidPage = () => notFound('Invalid page.')

/** The number of the last page. */
export const lastOf = (count: number | undefined, pageSize: number): number =>
  Math.max(1, Math.ceil((count ?? 0) / pageSize))
