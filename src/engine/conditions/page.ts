import type { SQLWrapper } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { notFound } from '../../errors.ts'
import type { Condition } from '../../filters/filter.ts'
import type { OrderColumn } from '../../filters/sql.ts'
import type { LonLat } from '../../geometry/bbox.ts'
import { formatState, parseState, type State } from '../../state.ts'
import type { Search } from './search.ts'
import type { Row } from './table.ts'

/** A request for one page of a list. */
export interface PageRequest {
  readonly conditions: readonly Condition[]
  readonly order: Order
  readonly page: number | 'last'
  readonly pageSize: number
  readonly cursor: SentCursor | null
  /** Uses the count of the cursor even if the data has changed since. */
  readonly countOfCursor?: boolean
}

/** One page of the matching rows, and the number of all matches. */
export interface Page {
  readonly count: number
  /** The page number, from 1. */
  readonly number: number
  /** Long rows of a large page lack their texts: see `wholeRows`. */
  readonly rows: readonly Row[]
  /** Links to the next and the previous page. They are null if there is no such page. */
  readonly next: PageLink | null
  readonly previous: PageLink | null
}

/** A link to another page. Without a cursor the page is found by its number. */
export type PageLink = { readonly cursor?: Cursor }

export const invalidPage = () => notFound('Invalid page.')

/** Returns the number of the last page. */
export const lastOf = (count: number, pageSize: number): number => Math.max(1, Math.ceil(count / pageSize))

/**
 * The order of a list: by a column and then by id, or by id alone if `column` is null. A descending order is the exact
 * reverse, except that rows without a value stay at the end.
 */
export interface Order extends Omit<OrderColumn, 'column'> {
  readonly column: SQLWrapper | null
  readonly descending: boolean
  /** Sorts by the distance from this longitude and latitude. `column` is then null. Absent: it sorts by `column`. */
  readonly near?: LonLat
  /** The parameter that names the order. A message about too many rows suggests the filters. Absent: no limit. */
  readonly asked?: { readonly parameter: string; readonly filters: string }
}

/** A part of the matches of a search in an order. It starts at a position, or after a number of rows. */
export interface List {
  readonly search: Search
  readonly order: Order
  readonly backward: boolean
  readonly from: RowPosition | null
  readonly offset: number
  readonly limit: number
}

/**
 * Returns the part of a page, with one more row than the page. That row shows if there is a next page. The last page is
 * read backward from the end, where it may have fewer rows than the part.
 */
export const listOf = (search: Search, { cursor, order, page, pageSize }: PageRequest): List => {
  const list = { search, order, backward: false, from: null, offset: 0, limit: pageSize + 1 }
  if (cursor !== null) return { ...list, backward: cursor.backward, from: cursor.from }
  return page === 'last' ? { ...list, backward: true, limit: pageSize } : { ...list, offset: (page - 1) * pageSize }
}

/** Returns true if the values of the list go down. */
export const isDown = ({ order, backward }: Pick<List, 'order' | 'backward'>): boolean => order.descending !== backward

/** A position in the order. */
export interface RowPosition {
  /** The value of the order column, or the first POSITION_CHARACTERS of a text. Null without one, and in the order of ids. */
  readonly value: number | string | null
  readonly id: number
}

/**
 * The start of a page, and the count of all rows in one state of the data. `next` and `previous` carry it, so a far
 * page costs as little as the first. The count is valid only in that state.
 */
export interface Cursor {
  readonly backward: boolean
  readonly from: RowPosition
  readonly state: State
  readonly count: number
  /** The rows in list order for each match, where an area is tested. 0: the rows in list order are not tested. */
  readonly rowsPerMatch: number
}

/** A cursor that a client sent. `state` is null if its seal is wrong. Then the Worker uses only its position. */
export type SentCursor = Omit<Cursor, 'state'> & { readonly state: State | null }

/** Returns a code of 16 hexadecimal digits for a text. A client cannot compute it. */
export type Seal = (text: string) => Promise<string>

/**
 * Writes a cursor as the value of a parameter. It is valid for this page of this request only. It starts with `a` for
 * "after" or `b` for "before".
 */
export const formatCursor = async (
  { backward, from, state, count, rowsPerMatch }: Cursor,
  request: string,
  page: number,
  seal: Seal,
): Promise<string> => {
  const position = [backward ? 'b' : 'a', formatValue(from.value), from.id]
  const text = [...position, formatState(state), count, rowsPerMatch, check(request, page)].join('_')
  return `${text}_${await seal(`${text} ${request}`)}`
}

/** Writes a value as JSON without underscores. It does not change integers. */
const formatValue = (value: RowPosition['value']): string =>
  value === null ? '' : encodeURIComponent(JSON.stringify(value)).replace(/[_~%]/g, (sign) => SIGNS[sign] ?? sign)

const SIGNS: Readonly<Record<string, string>> = { _: '~5F', '~': '~7E', '%': '~' }

/** Reads the value of a cursor. Undefined: it is no such value. */
const parseValue = (text: string): RowPosition['value'] | undefined => {
  if (text === '') return null
  try {
    const value: unknown = JSON.parse(decodeURIComponent(text.replaceAll('~', '%')))
    if (typeof value === 'string') return value
    // Sixteen digits can be greater than any integer that the service writes.
    const isNumber = typeof value === 'number' && Number.isFinite(value)
    return isNumber && (Number.isSafeInteger(value) || !/^-?\d{1,16}$/.test(text)) ? value : undefined
  } catch {
    return undefined
  }
}

const CURSOR = /^(([ab])_([^_]*)_(\d{1,16})_(\d+-[0-9a-z]+)_(\d{1,16})_(\d{1,9})_([0-9a-z]+))(?:_([0-9a-f]{16}))?$/

/** Reads a cursor. Returns null if the value is not a cursor, or belongs to another request or page. */
export const parseCursor = async (
  value: string,
  request: string,
  page: number,
  seal: Seal,
): Promise<SentCursor | null> => {
  const match = CURSOR.exec(value)
  const state = match && parseState(at(match, 5))
  if (match === null || state === null || match[8] !== check(request, page)) return null
  const [, text, direction, rowValue = '', id, , count, rowsPerMatch, , sealed] = match
  const position = parseValue(rowValue)
  if (position === undefined || ![id, count].every((digits) => Number.isSafeInteger(Number(digits)))) return null
  return {
    backward: direction === 'b',
    from: { value: position, id: Number(id) },
    state: sealed === (await seal(`${text} ${request}`)) ? state : null,
    count: Number(count),
    rowsPerMatch: Number(rowsPerMatch),
  }
}

/**
 * Returns a 32-bit FNV-1a hash. It detects a cursor of another request by mistake, but it is no protection against
 * forgery.
 */
const check = (request: string, page: number): string => {
  const text = `${page} ${request}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36)
}
