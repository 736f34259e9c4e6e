import type { LonLat } from '../geometry/bbox.ts'
import type { Condition, FieldRef } from './condition.ts'

/**
 * A question is a request for rows of a list, as plain data. Times are in ticks, and lengths in metres. The rule: printed,
 * a stranger can read what was asked (test/question/print.ts).
 */
export interface Question extends Selection {
  readonly order: Order
  readonly slice: Slice
}

/** The rows that a question is about. */
export interface Selection {
  readonly where: Condition
  /**
   * `series`: only the row of each series that starts last, among the rows that meet `where`. It depends on all other
   * conditions, so it is no condition itself.
   */
  readonly latest: 'series' | null
}

/**
 * The order of the rows. Ties stand in the order of ids, or in its reverse if the order is descending. In the order of an
 * attribute, numbers come before texts, and true and false are the numbers 1 and 0.
 */
export interface Order {
  readonly by: FieldRef | 'distance'
  /** Distances are measured from this position. */
  readonly from?: LonLat
  readonly descending: boolean
  /** `last`: rows without a value are at the end in both directions. `least`: null is the least value. */
  readonly nulls: 'last' | 'least'
}

/**
 * A slice has at most `limit` rows. It starts after a number of rows or after a position. `end`: it is the last one, if
 * all rows are divided into slices.
 */
export interface Slice {
  readonly from: { readonly offset: number; readonly hint?: Hint | null } | { readonly after: RowPosition } | 'end'
  readonly limit: number
}

/** Returns the number of the last slice, from 1. */
export const lastOf = (count: number, limit: number): number => Math.max(1, Math.ceil(count / limit))

/** Returns the number of rows before a slice. 0: it is the first one, or starts after a position, or is the last one. */
export const offsetOf = ({ from }: Slice): number => (from !== 'end' && 'offset' in from ? from.offset : 0)

/** A text of the engine that finds a slice faster than its offset. `isOwn`: nobody has changed it. */
export interface Hint {
  readonly text: string
  readonly isOwn: boolean
}

/** The position of a row in an order. The value is null in the order of ids, and for a row without a value. */
export interface RowPosition {
  readonly value: number | string | null
  readonly id: number
}

export const BY_ID: Order = { by: 'id', descending: false, nulls: 'last' }
