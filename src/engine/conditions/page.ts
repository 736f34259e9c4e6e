import type { SQLWrapper } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { notFound } from '../../errors.ts'
import type { Condition } from '../../filters/filter.ts'
import { formatState, parseState, type State } from '../../state.ts'
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
  /** The cache key: requests with the same filters and access level share it. Null: nothing is cached. */
  readonly key: string | null
}

/** One page of the matching rows, and the number of all matches. */
export interface Page {
  readonly count: number
  /** The page number, from 1. */
  readonly number: number
  /** If the texts of a page exceed 8 MB, long rows lack theirs: see `completed` in long.ts. */
  readonly rows: readonly Row[]
  /** Links to the next and the previous page. They are null if there is no such page. */
  readonly next: PageLink | null
  readonly previous: PageLink | null
}

/** A link to another page. Without a cursor the page is found by its number. */
export interface PageLink {
  readonly cursor?: Cursor
}

export const invalidPage = () => notFound('Invalid page.')

/** Returns the number of the last page. */
export const lastOf = (count: number | undefined, pageSize: number): number =>
  Math.max(1, Math.ceil((count ?? 0) / pageSize))

/**
 * The order of a list: by a column, or by id if `column` is null. Rows with the same value are in ascending order of
 * id.
 */
export interface Order {
  readonly column: SQLWrapper | null
  readonly descending: boolean
}

/** A part of the list. It starts at a position, or after a number of rows. */
export interface Slice {
  readonly backward: boolean
  readonly from: RowPosition | null
  readonly offset: number
  readonly limit: number
}

/** Returns true if the values of the slice go down. */
export const isDown = ({ descending }: Order, { backward }: Pick<Slice, 'backward'>): boolean => descending !== backward

/** A position in the order. `value` is the value of the order column, or null for an order by id. */
export interface RowPosition {
  readonly value: number | null
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
  /** Rows scanned per match. 0: do not scan in order. */
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
  const position = [backward ? 'b' : 'a', from.value ?? '', from.id]
  const text = [...position, formatState(state), count, rowsPerMatch, check(request, page)].join('_')
  return `${text}_${await seal(`${text} ${request}`)}`
}

const CURSOR =
  /^(([ab])_(-?\d{1,16})?_(\d{1,16})_(\d+-[0-9a-z]+)_(\d{1,16})_(\d{1,9})_([0-9a-z]+))(?:_([0-9a-f]{16}))?$/

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
  const [, text, direction, rowValue, id, , count, rowsPerMatch, , sealed] = match
  // Sixteen digits can be greater than any value that the service writes.
  if (![rowValue ?? 0, id, count].every((digits) => Number.isSafeInteger(Number(digits)))) return null
  return {
    backward: direction === 'b',
    from: { value: rowValue === undefined ? null : Number(rowValue), id: Number(id) },
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
