import type { Row } from '../engine.ts'
import { MAX_BYTES } from '../limits.ts'

/**
 * A row comes with the `bytes` of its texts. A row with more than its share of MAX_BYTES is long: `isLong` is 1, and its
 * texts are null until they are read.
 */

/** Reads rows by id with all their texts. */
export type ReadWhole = (ids: readonly number[]) => Promise<readonly Row[]>

/** Returns as many rows from an index on as have MAX_BYTES of texts together, or one. */
export const firstRows = <R extends Row>(rows: readonly R[], from = 0): readonly R[] => {
  let [end, total] = [from, 0]
  for (; end < rows.length; end++) {
    total += Number(rows[end]?.bytes ?? 0)
    if (end > from && total > MAX_BYTES) break
  }
  return rows.slice(from, end)
}

/** Reads the texts that rows lack. Rows that do not come any more are left out. */
export const withTexts = async (read: ReadWhole, rows: readonly Row[]): Promise<readonly Row[]> => {
  const long = rows.filter(({ isLong }) => isLong === 1).map(({ id }) => Number(id))
  if (long.length === 0) return rows
  const whole = new Map((await read(long)).map((row) => [row.id, row]))
  return rows.flatMap<Row>((row) => (row.isLong === 1 ? (whole.get(row.id) ?? []) : row))
}

/** Reads the texts that rows lack, and returns all rows in batches of at most MAX_BYTES of texts. */
export async function* wholeRows(read: ReadWhole, rows: readonly Row[]): AsyncGenerator<readonly Row[], void> {
  for (let from = 0; from === 0 || from < rows.length; ) {
    const batch = firstRows(rows, from)
    yield await withTexts(read, batch)
    from += Math.max(1, batch.length)
  }
}
