import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Span } from '../../filters/filter.ts'
import { isIn, within } from '../../filters/sql.ts'
import { extentOf } from '../conditions/criteria.ts'
import type { Statistics } from '../run/cache.ts'
import type { Search } from '../search.ts'
import { fromIndex, indexOn, LOOKED_UP, type Path, partOf } from './paths.ts'

/** The estimated part of the rows that satisfies a condition without statistics. */
export const UNKNOWN = 1 / 10
/** The most rows that are counted in the index of a column without stored counts. */
export const MAX_LOOKED_UP = 500

/** The number of rows in the extent of each such column. Exact below MAX_LOOKED_UP. */
export type LookedUpRows = ReadonlyMap<SQLWrapper, number>

/** Counts the rows in the extent of a column, up to the limit. */
export const lookUp = (search: Search, { column, extent }: Span): SQL =>
  sql`SELECT count(*) AS count FROM (SELECT 1 FROM ${fromIndex(search, indexOn(search.access, column, false))}
    WHERE ${within(column, extent)} LIMIT ${MAX_LOOKED_UP})`

/** Returns the paths by id, and by columns that were looked up. */
export const columnPaths = (search: Search, rowsByColumn: LookedUpRows, statistics: Statistics): Path[] => [
  ...byId(search, statistics),
  ...Array.from(rowsByColumn, ([column, rows]) => byColumn(search, column, rows, statistics)),
]

/** Returns the estimated part of all rows that each of these conditions leaves. */
export const columnParts = (
  { criteria, table }: Search,
  rowsByColumn: LookedUpRows,
  { total, inId }: Statistics,
): number[] => [
  partOf(inId(extentOf(criteria, table.id)), total),
  ...Array.from(rowsByColumn.values(), (rows) => (rows < MAX_LOOKED_UP ? partOf(rows, total) : UNKNOWN)),
]

const byId = (search: Search, { inId }: Statistics): Path[] => {
  const { criteria, table } = search
  const values = criteria.lists.find(({ column }) => column === table.id)?.values
  const extent = extentOf(criteria, table.id)
  if (values === undefined && extent.every((bound) => bound === null)) return []
  const enter = values === undefined ? within(table.id, extent) : isIn(table.id, values)
  return [{ source: fromIndex(search, null), enter, rows: LOOKED_UP * (values?.length ?? inId(extent)), keys: null }]
}

const byColumn = (search: Search, column: SQLWrapper, rows: number, { total }: Statistics): Path => {
  const isGuess = rows >= MAX_LOOKED_UP
  return {
    source: fromIndex(search, indexOn(search.access, column, false)),
    enter: within(column, extentOf(search.criteria, column)),
    rows: LOOKED_UP * (isGuess ? Math.max(rows, total * UNKNOWN) : rows),
    isGuess,
    keys: null,
  }
}
