import type { SQL } from 'drizzle-orm'
import type { Condition } from '../../filters/filter.ts'
import type { ColumnRange } from '../../filters/sql.ts'
import type { State } from '../../state.ts'
import { type Criteria, criteriaOf, extentOf, type TimeBounds, timeBounds } from './criteria.ts'
import { lastOf, type Order, type PageRequest, type SentCursor, type Slice } from './page.ts'
import { type Access, indexIn, type Table } from './table.ts'

/** Later requests reuse these results of a search: the count, and the rows scanned per match. */
export interface Finding {
  readonly count: number
  /** 0: a scan in list order does not reach a page quickly. */
  readonly rowsPerMatch: number
}

/** The matches are the rows of `whole` that do not meet `part`. */
export interface Difference {
  readonly whole: readonly Condition[]
  readonly part: readonly Condition[]
}

/**
 * Takes one complement out of some conditions. An index must find the rows that it leaves out, because SQL alone would
 * read all rows once more.
 */
const differenceOf = (conditions: readonly Condition[]): Difference | null => {
  const complement = conditions.find(
    (each) => each.kind === 'complement' && each.of.every(({ kind }) => kind !== 'sql'),
  )
  const whole = conditions.filter((each) => each !== complement)
  return complement?.kind === 'complement' ? { whole, part: [...whole, ...complement.of] } : null
}

/** A search in a large table: the table, the caller, the merged conditions, and the wanted page. */
export interface Search {
  readonly table: Table
  readonly access: Access
  readonly level: number
  readonly visible: SQL | null
  readonly criteria: Criteria
  /** Bounds on the time of every match. */
  readonly bounds: TimeBounds
  readonly order: Order
  readonly size: number
  readonly page: number | 'last'
  readonly cursor: SentCursor | null
  /** The count from the cursor or from an earlier request. Null if there is none. */
  readonly known: Finding | null
  /** The state of the data for which `known` is valid. */
  readonly knownAt: State | null
  /** Uses the known count even if the data has changed since. */
  readonly trusted: boolean
  /** One complement as a difference of two searches. Null: there is no complement. */
  readonly difference: Difference | null
}

const FIRST_PAGE = {
  order: { column: null, descending: false },
  page: 1,
  pageSize: 1,
  cursor: null,
  key: null,
} as const

/** Builds the search for a page, or for all matches. `latest` is the state that the isolate read last. */
export const searchOf = (
  table: Table,
  access: Access,
  level: number,
  request: Partial<PageRequest> & { readonly conditions: readonly Condition[] },
  known: Finding | null = null,
  latest: State | null = null,
): Search => {
  const {
    conditions,
    order,
    page,
    pageSize: size,
    cursor,
    countOfCursor: trusted = false,
  } = { ...FIRST_PAGE, ...request }
  const criteria = criteriaOf(conditions)
  const { start, end, duration } = access.time
  return {
    table,
    access,
    level,
    visible: table.visible(level),
    criteria,
    bounds: timeBounds(extentOf(criteria, start), extentOf(criteria, end), extentOf(criteria, duration)),
    order,
    size,
    page,
    cursor,
    known: cursor?.state ? cursor : known,
    knownAt: cursor?.state ?? latest,
    trusted,
    difference: differenceOf(conditions),
  }
}

/**
 * Returns the slice of a page, with one more row than the page. That row shows if there is a next page. The last page
 * is read from its end, which needs the count.
 */
export const sliceOf = ({ cursor, page, size }: Search, count: number): Slice => {
  if (cursor !== null) return { backward: cursor.backward, from: cursor.from, offset: 0, limit: size + 1 }
  if (page !== 'last') return { backward: false, from: null, offset: (page - 1) * size, limit: size + 1 }
  return { backward: true, from: null, offset: 0, limit: Math.max(1, count - (lastOf(count, size) - 1) * size) }
}

/** Returns the durations that a search asks for, if this is its only condition. Otherwise it returns null. */
export const durationsOf = ({ criteria, access: { time } }: Search): readonly ColumnRange[] | null => {
  const { plain, spans, lists, groups, area } = criteria
  const [only, ...others] = [...spans, ...lists]
  if (plain.length + groups.length + others.length > 0 || area !== null || only?.column !== time.duration) return null
  return only.kind === 'span' ? [only.extent] : only.values.map((value) => [value, value])
}

/** Returns true if an index has the rows in list order. Otherwise each page sorts them. */
export const hasIndex = ({ order: { column }, access }: Pick<Search, 'order' | 'access'>): boolean =>
  column === null || indexIn(access, column, false) !== null

/** A tree of counts that has the order of a list. */
export type OrderTree = 'id' | 'start' | 'end'

/** Returns the tree with the order of the search, or null if there is none. */
export const treeOf = ({ order, access: { time } }: Search): OrderTree | null => {
  if (order.column === null) return 'id'
  return order.column === time.start ? 'start' : order.column === time.end ? 'end' : null
}
