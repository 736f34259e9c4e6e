import type { RowPosition } from '../../question/question.ts'
import type { SentCursor } from '../shared/cursor.ts'
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

/** A part of the matches of a search in an order. It starts at a position, or after a number of rows. */
export interface List {
  readonly search: Search
  readonly order: ColumnOrder
  readonly backward: boolean
  readonly from: RowPosition | null
  readonly offset: number
  readonly limit: number
}
