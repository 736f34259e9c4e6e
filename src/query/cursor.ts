import { formatState, parseState, type State } from '../state.ts'
import type { Position } from './order.ts'

/**
 * The position of a page, and the count of all rows in one state of the data. `next` and `previous` carry it, so a page far
 * on costs as little as the first. The count holds only in that state.
 */
export interface Cursor {
  readonly backward: boolean
  readonly from: Position
  readonly state: State
  readonly count: number
  /** How many rows were looked at for one that matches; 0: reading in the order is not the way. */
  readonly rowsPerMatch: number
}

/** A cursor that a client sent. `state` is null if its seal is wrong: then only its position is used. */
export type SentCursor = Omit<Cursor, 'state'> & { readonly state: State | null }

/** Returns a code for a text that a client cannot compute: 16 hexadecimal digits. */
export type Seal = (text: string) => Promise<string>

/** The cursor as the value of a parameter, for this page of this request only: `a`fter or `b`efore, and the rest in turn. */
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

/** The cursor of a value, null where it is none or does not fit the page of the request. */
export const parseCursor = async (
  value: string,
  request: string,
  page: number,
  seal: Seal,
): Promise<SentCursor | null> => {
  const match = CURSOR.exec(value)
  const state = parseState(match?.[5] ?? '')
  if (match === null || state === null || match[8] !== check(request, page)) return null
  const [, text, direction, at, id, , count, rowsPerMatch, , sealed] = match
  return {
    backward: direction === 'b',
    from: { value: at === undefined ? null : Number(at), id: Number(id) },
    state: sealed === (await seal(`${text} ${request}`)) ? state : null,
    count: Number(count),
    rowsPerMatch: Number(rowsPerMatch),
  }
}

/** 32 bits of FNV-1a: a cursor of another request or page is to be noticed, not to be made impossible. */
const check = (request: string, page: number): string => {
  const text = `${page} ${request}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36)
}
