import { lastOf, type RowPosition } from '../../question/question.ts'
import { type Page, Refused, type Row, tooLong } from '../engine.ts'
import { MAX_BYTES, MAX_SORTED } from '../limits.ts'
import { type Cut, formatStart, isLast, type KnownCount } from './cut.ts'

/** A row of a list, with its position in the order. A row that is gone has nothing else. */
export type ListedRow = Row & {
  readonly rowId: number
  readonly rowAt: RowPosition['value']
  readonly isGone?: boolean
}

/**
 * Builds a page from rows, in the order of the read. One more row shows that others follow. `known` becomes part of the
 * hints of the neighbours. `isPart`: others follow in any case.
 */
export const pageIn = (
  cut: Cut,
  rows: readonly ListedRow[],
  known: KnownCount,
  { isBatch = false, isPart = false } = {},
): Page => {
  const { after, skip, take, backward } = cut
  const { count } = known
  const isEnd = isLast(cut)
  // The last page is read backward, so it may have rows of the page before.
  const own = rows.slice(0, isEnd ? Math.max(1, count - (lastOf(count, take) - 1) * take) : take)
  const inOrder = backward ? [...own].reverse() : own
  const pageRows = isBatch ? inOrder : firstRows(inOrder)
  const isFirst = after === null && (isEnd ? count <= take : skip === 0)
  const isCut = pageRows.length < inOrder.length
  const hasMore = (backward && !isEnd) || isPart || (!isEnd && rows.length > take) || isCut
  // An event that moves into a cell after its point was tested comes twice.
  const present = new Map(pageRows.filter(({ isGone }) => !isGone).map((row) => [row.rowId, row]))
  const hintAt = (row: ListedRow | undefined, before: boolean): string =>
    row === undefined ? '' : formatStart(before, { value: row.rowAt, id: row.rowId }, known)
  return {
    count,
    rows: [...present.values()],
    isCut,
    next: hasMore ? hintAt(pageRows.at(-1), false) : null,
    previous: isFirst ? null : hintAt(pageRows[0], true),
    included: [],
  }
}

/** Reads each series of some events once, in the order of their ids. */
export const seriesOf = async (
  events: readonly Row[],
  read: (ids: readonly number[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> => {
  const ids = new Set(events.map(({ series }) => Number(series)))
  const rows = await read([...ids].sort((a, b) => a - b))
  if (firstRows(rows).length < rows.length) throw tooLong()
  return rows
}

/** Returns as many rows from an index on as have MAX_BYTES of texts together, or one. */
export const firstRows = <R extends Row>(rows: readonly R[], from = 0): readonly R[] => {
  let [end, total] = [from, 0]
  for (; end < rows.length; end++) {
    total += Number(rows[end]?.bytes ?? 0)
    if (end > from && total > MAX_BYTES) break
  }
  return rows.slice(from, end)
}

const MOST = MAX_SORTED.toLocaleString('en')

/** Throws Refused if a page would sort, or skip, too many rows. */
export const refuseOrder = (sorted: number, skipped: number): void => {
  if (sorted > MAX_SORTED)
    throw new Refused(
      'order',
      `More than ${MOST} items match, too many to sort in this order. Choose another order, or add a filter.`,
    )
  if (skipped > MAX_SORTED)
    throw new Refused(
      'order',
      `In this order, a page after ${MOST} others cannot be found by its number. Follow next, or add a filter.`,
    )
}
