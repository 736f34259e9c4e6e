import { type SQL, sql } from 'drizzle-orm'
import { isSame, type State } from '../state.ts'
import type { SentCursor } from './cursor.ts'
import type { Cache, Finding } from './db/cache.ts'
import { total } from './db/counts.ts'
import type { Database } from './db/d1.ts'
import type { Read } from './db/snapshot.ts'
import { asCount } from './db/sql.ts'
import type { Order, Position } from './order.ts'
import { invalidPage, lastOf, type Page, type PageRequest } from './page.ts'
import { type Criteria, criteriaOf } from './plan/conditions.ts'
import type { Access, Row, Table } from './table.ts'

/** The search for one page of a large table: what is asked, of what, and by whom. */
export interface Search {
  readonly read: Read
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
  /** What is known of the matches before they are counted: from the page before, or from an earlier request. */
  readonly known: Finding | null
  /** The state of the data that this is true of. */
  readonly knownAt: State | null
  /** It is taken as it is, whatever was written since. */
  readonly trusted: boolean
}

/** The search for a page that is asked for. */
export const searchOf = (
  { cache }: Pick<Database, 'cache'>,
  read: Read,
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

/** Whether what is known of the matches is true of the data that was read. */
export const isKnown = ({ known, knownAt, trusted, read }: Search): boolean =>
  known !== null && (trusted || isSame(read.state(), knownAt))

/** The part of the order that is wanted: from a position, or from a number of rows on. */
export interface Slice {
  readonly backward: boolean
  readonly from: Position | null
  readonly offset: number
  /** One more than a page, to see whether there is a next. */
  readonly limit: number
}

/** The slice of a page. The count is asked for where the last page is wanted, which is read from its end. */
export const sliceOf = ({ cursor, page, size }: Search, count: number): Slice => {
  if (cursor !== null) return { backward: cursor.backward, from: cursor.from, offset: 0, limit: size + 1 }
  if (page !== 'last') return { backward: false, from: null, offset: (page - 1) * size, limit: size + 1 }
  return { backward: true, from: null, offset: 0, limit: Math.max(1, count - (lastOf(count, size) - 1) * size) }
}

/** The page of the rows that a slice gave. Every row has its `rowId` and `rowAt`, its position in the order. */
export const pageOf = (search: Search, slice: Slice, rows: readonly Row[], count: number, rowsPerMatch = 0): Page => {
  const { cursor, size } = search
  const number = search.page === 'last' ? lastOf(count, size) : search.page
  if (cursor === null && number > 1 && rows.length === 0) throw invalidPage()
  const kept = slice.backward ? rows.slice(0, size).reverse() : rows.slice(0, size)
  const more = cursor?.backward === true || (search.page !== 'last' && rows.length > size)
  const state = search.read.state() ?? { revision: 0, changed: 0 }
  const turn = (row: Row | undefined, backward: boolean) =>
    row === undefined
      ? {}
      : { cursor: { backward, from: { value: row.rowAt, id: row.rowId }, state, count, rowsPerMatch } }
  return {
    count,
    number,
    rows: kept,
    next: more ? turn(kept.at(-1), false) : null,
    previous: number === 1 ? null : number === 2 ? {} : turn(kept[0], true),
  }
}

/** What tells a row's position in the order, and its place. */
export const positionColumns = ({ table, order, access: { place } }: Search): SQL =>
  sql`${table.id} AS "rowId", ${order.column ?? sql`NULL`} AS "rowAt", ${place.x} AS "placeX", ${place.y} AS "placeY"`

/** A query of all that the caller sees. */
export const totalQuery = ({ access, level }: Pick<Search, 'access' | 'level'>): SQL => asCount(total(access, level))
