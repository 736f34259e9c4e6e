import { type SQL, sql } from 'drizzle-orm'
import { asCount } from '../filters/sql.ts'
import { isSame, NO_STATE, type State } from '../state.ts'
import { type Criteria, criteriaOf } from './conditions/criteria.ts'
import type { SentCursor } from './conditions/cursor.ts'
import type { Order, RowPosition } from './conditions/order.ts'
import { invalidPage, lastOf, type Page, type PageRequest } from './conditions/page.ts'
import type { Access, Row, Table } from './conditions/table.ts'
import type { Cache, Finding } from './run/cache.ts'
import type { Database } from './run/database.ts'
import type { SnapshotReader } from './run/snapshot.ts'
import { total } from './sql/counts.ts'

/** The search for one page of a large table: the request, the table and the caller. */
export interface Search {
  readonly read: SnapshotReader
  readonly cache: Cache
  readonly table: Table
  readonly access: Access
  readonly level: number
  readonly visible: SQL | null
  readonly criteria: Criteria
  readonly order: Order
  readonly size: number
  readonly page: number | 'last'
  readonly cursor: SentCursor | null
  /** The count from the cursor or from an earlier request. It is null if there is none. */
  readonly known: Finding | null
  /** The state of the data for which `known` is valid. */
  readonly knownAt: State | null
  /** Uses the known count even if the data has changed since. */
  readonly trusted: boolean
}

/** Builds the search for a page. */
export const searchOf = (
  { cache }: Pick<Database, 'cache'>,
  read: SnapshotReader,
  table: Table,
  access: Access,
  { conditions, order, page, pageSize: size, cursor, key, countOfCursor: trusted = false }: PageRequest,
  level: number,
): Search => ({
  read,
  cache,
  table,
  access,
  level,
  visible: table.visible(level),
  criteria: criteriaOf(conditions),
  order,
  size,
  page,
  cursor,
  known: cursor?.state ? cursor : cache.recall(key, cache.latest()),
  knownAt: cursor?.state ?? cache.latest(),
  trusted,
})

/** Returns true if the known count is valid for the data that was read. */
export const isKnown = ({ known, knownAt, trusted, read }: Search): boolean =>
  known !== null && (trusted || isSame(read.state(), knownAt))

/** A part of the list. It starts at a position, or after a number of rows. */
export interface Slice {
  readonly backward: boolean
  readonly from: RowPosition | null
  readonly offset: number
  /** One more row than a page has. It shows if there is a next page. */
  readonly limit: number
}

/** Returns the slice of a page. The last page is read from its end, which needs the count. */
export const sliceOf = ({ cursor, page, size }: Search, count: number): Slice => {
  if (cursor !== null) return { backward: cursor.backward, from: cursor.from, offset: 0, limit: size + 1 }
  if (page !== 'last') return { backward: false, from: null, offset: (page - 1) * size, limit: size + 1 }
  return { backward: true, from: null, offset: 0, limit: Math.max(1, count - (lastOf(count, size) - 1) * size) }
}

/**
 * Builds the page from the rows of a slice. Every row has its id as `rowId`, and as `rowAt` its value in the order
 * column.
 */
export const pageOf = (search: Search, slice: Slice, rows: readonly Row[], count: number, rowsPerMatch = 0): Page => {
  const { cursor, size } = search
  const number = search.page === 'last' ? lastOf(count, size) : search.page
  if (cursor === null && number > 1 && rows.length === 0) throw invalidPage()
  const pageRows = slice.backward ? rows.slice(0, size).reverse() : rows.slice(0, size)
  const more = cursor?.backward === true || (search.page !== 'last' && rows.length > size)
  const state = search.read.state() ?? NO_STATE
  const linkFrom = (row: Row | undefined, backward: boolean) =>
    row === undefined
      ? {}
      : { cursor: { backward, from: { value: row.rowAt, id: row.rowId }, state, count, rowsPerMatch } }
  return {
    count,
    number,
    rows: pageRows,
    next: more ? linkFrom(pageRows.at(-1), false) : null,
    previous: number === 1 ? null : number === 2 ? {} : linkFrom(pageRows[0], true),
  }
}

/** Selects the position of a row in the order, and its coordinates. */
export const positionColumns = ({ table, order, access: { place } }: Search): SQL =>
  sql`${table.id} AS "rowId", ${order.column ?? sql`NULL`} AS "rowAt", ${place.x} AS "placeX", ${place.y} AS "placeY"`

/** Counts all rows that the caller sees. */
export const totalQuery = ({ access, level }: Pick<Search, 'access' | 'level'>): SQL => asCount(total(access, level))
