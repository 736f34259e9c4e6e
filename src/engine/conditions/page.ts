import type { RowPosition } from '../../question/question.ts'
import type { Cursor, SentCursor } from './cursor.ts'
import type { Search } from './search.ts'
import type { ColumnOrder } from './table.ts'

/** A question about a table, as D1 reads it. */
export interface PageRequest {
  readonly search: Search
  readonly order: ColumnOrder
  readonly limit: number
  /** The number of rows before the slice. `isEnd`: it is the last slice, wherever it starts. */
  readonly offset: number
  readonly isEnd: boolean
  /** The start of the slice. Null: the offset counts. */
  readonly cursor: SentCursor | null
  /**
   * It is a batch of a stream. The count of its cursor holds even if the data has changed since. Its rows may have more
   * than MAX_BYTES of texts, because they are read in parts.
   */
  readonly isBatch?: boolean
}

/** A slice of the matching rows, and the number of all matches. Long rows lack their texts, see `wholeRows`. */
export interface FoundPage<R> {
  readonly rows: readonly R[]
  readonly count: number
  /** True if the text of the rows ended the slice before its limit. */
  readonly isCut: boolean
  /** The starts of the next and the previous slice. They are null if there is no such slice. */
  readonly next: Neighbour | null
  readonly previous: Neighbour | null
}

/** The start of another slice. Without a cursor it is found by its offset. */
export type Neighbour = { readonly cursor?: Cursor }

/** A part of the matches of a search in an order. It starts at a position, or after a number of rows. */
export interface List {
  readonly search: Search
  readonly order: ColumnOrder
  readonly backward: boolean
  readonly from: RowPosition | null
  readonly offset: number
  readonly limit: number
}
