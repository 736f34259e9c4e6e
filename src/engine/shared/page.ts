import { lastOf, type RowPosition } from '../../question/question.ts'
import { type Cursor, formatCursor, type SentCursor } from './cursor.ts'
import { firstRows, type SharedRow } from './shares.ts'

/** A row of a list, with its position in the order. A row that is gone has nothing else. */
export type ListedRow = SharedRow & {
  readonly rowId: number
  readonly rowAt: RowPosition['value']
  readonly isGone?: boolean
}

/** A slice of the matching rows, and the number of all matches. Long rows lack their texts, see shares.ts. */
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

/** The slice of a list that a page has. */
interface AskedPage {
  readonly limit: number
  /** The number of rows before the slice. `isEnd`: it is the last slice, wherever it starts. */
  readonly offset: number
  readonly isEnd: boolean
  /** The start of the slice. Null: the offset counts. */
  readonly cursor: SentCursor | null
  /** It is a batch of a stream, which may have more than MAX_BYTES of texts. */
  readonly isBatch?: boolean
}

/**
 * Builds a page from rows, in the order of the read. One more row shows that others follow. `known` becomes part of the
 * cursors of the neighbours. `isPart`: others follow in any case.
 */
export const pageIn = (
  { cursor, limit, isBatch = false, isEnd, offset }: AskedPage,
  rows: readonly ListedRow[],
  known: Pick<Cursor, 'state' | 'count' | 'rowsPerMatch'>,
  isPart = false,
): FoundPage<ListedRow> => {
  const { count } = known
  const isBackward = cursor?.backward ?? isEnd
  // The last page is read backward, so it may have rows of the page before.
  const own = rows.slice(0, isEnd ? Math.max(1, count - (lastOf(count, limit) - 1) * limit) : limit)
  const inOrder = isBackward ? [...own].reverse() : own
  const pageRows = isBatch ? inOrder : firstRows(inOrder)
  const isFirst = cursor === null && (isEnd ? count <= limit : offset === 0)
  const isCut = pageRows.length < inOrder.length
  const more = cursor?.backward === true || isPart || (!isEnd && rows.length > limit) || isCut
  // An event that moves into a cell after its point was tested comes twice.
  const present = new Map(pageRows.filter(({ isGone }) => !isGone).map((row) => [row.rowId, row]))
  const linkFrom = (row: ListedRow | undefined, backward: boolean): Neighbour =>
    row === undefined ? {} : { cursor: { backward, from: { value: row.rowAt, id: row.rowId }, ...known } }
  return {
    count,
    rows: [...present.values()],
    isCut,
    next: more ? linkFrom(pageRows.at(-1), false) : null,
    previous: isFirst ? null : linkFrom(pageRows[0], true),
  }
}

/** Writes the hint of a neighbour in the words of an engine. Null: there is none. */
export const hintOf = (link: Neighbour | null): string | null =>
  link && (link.cursor === undefined ? '' : formatCursor(link.cursor))
