import { at } from '../../collections.ts'
import { formatState, parseState, type State } from '../../state.ts'

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
