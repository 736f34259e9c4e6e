import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Span } from '../../filters/filter.ts'
import { isIn } from '../../filters/lookups.ts'
import type { Statistics } from '../db/cache.ts'
import { within } from '../db/sql.ts'
import type { Search } from '../search.ts'
import { extentOf } from './conditions.ts'
import { by, indexOn, LOOKED_UP, type Path, partOf } from './paths.ts'

/** What part of the rows a condition is taken to leave of which nothing is known. */
export const UNKNOWN = 1 / 10
/** Up to how many rows are looked up of a column of which no counts are kept. */
export const MAX_LOOKED_UP = 500

/** Of columns that are looked up, how many rows are within what is asked of them: exact below MAX_LOOKED_UP. */
export type Found = ReadonlyMap<SQLWrapper, number>

/** A query of how many rows are within what is asked of a column, up to the limit. */
export const lookUp = (search: Search, { column, extent }: Span): SQL =>
  sql`SELECT count(*) AS count FROM (SELECT 1 FROM ${by(search, indexOn(search.access, column, false))}
    WHERE ${within(column, extent)} LIMIT ${MAX_LOOKED_UP})`

/** The ways by the id, and by columns that were looked up. */
export const columnPaths = (search: Search, found: Found, statistics: Statistics): Path[] => [
  ...byId(search, statistics),
  ...Array.from(found, ([column, rows]) => byColumn(search, column, rows, statistics)),
]

/** What parts of the rows these leave. */
export const columnParts = ({ criteria, table }: Search, found: Found, { total, inId }: Statistics): number[] => [
  partOf(inId(extentOf(criteria, table.id)), total),
  ...Array.from(found.values(), (rows) => (rows < MAX_LOOKED_UP ? partOf(rows, total) : UNKNOWN)),
]

const byId = (search: Search, { inId }: Statistics): Path[] => {
  const { criteria, table } = search
  const values = criteria.lists.find(({ column }) => column === table.id)?.values
  const extent = extentOf(criteria, table.id)
  if (values === undefined && extent.every((bound) => bound === null)) return []
  const enter = values === undefined ? within(table.id, extent) : isIn(table.id, values)
  return [{ source: by(search, null), enter, rows: LOOKED_UP * (values?.length ?? inId(extent)), keys: null }]
}

const byColumn = (search: Search, column: SQLWrapper, found: number, { total }: Statistics): Path => {
  const isGuess = found >= MAX_LOOKED_UP
  return {
    source: by(search, indexOn(search.access, column, false)),
    enter: within(column, extentOf(search.criteria, column)),
    rows: LOOKED_UP * (isGuess ? Math.max(found, total * UNKNOWN) : found),
    isGuess,
    keys: null,
  }
}
