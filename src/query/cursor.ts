import { formatState, parseState, type State } from '../state.ts'
import type { Position } from './order.ts'

/**
 * What `next` and `previous` carry beside `page`, so that walking costs a page at any depth: where the page before ended,
 * and what was known then. One that does not fit the request is not used, and what it says of counts only holds in the
 * state that it names.
 */
export interface Cursor {
  readonly backward: boolean
  readonly from: Position
  readonly state: State
  readonly count: number
  /** How many rows were looked at for one that matches; 0: reading in the order is not the way. */
  readonly rowsPerMatch: number
}

/** The cursor as the value of a parameter, for this page of this request only: `a`fter or `b`efore, and the rest in turn. */
export const formatCursor = ({ backward, from, state, count, rowsPerMatch }: Cursor, request: string, page: number) =>
  [backward ? 'b' : 'a', from.value ?? '', from.id, formatState(state), count, rowsPerMatch, check(request, page)].join(
    '_',
  )

const CURSOR = /^([ab])_(-?\d{1,16})?_(\d{1,16})_(\d+-[0-9a-z]+)_(\d{1,16})_(\d{1,9})_([0-9a-z]+)$/

/** The cursor of a value, null where it is none or does not fit the page of the request. */
export const parseCursor = (value: string, request: string, page: number): Cursor | null => {
  const match = CURSOR.exec(value)
  const state = parseState(match?.[4] ?? '')
  if (match === null || state === null || match[7] !== check(request, page)) return null
  const [, direction, at, id, , count, rowsPerMatch] = match
  return {
    backward: direction === 'b',
    from: { value: at === undefined ? null : Number(at), id: Number(id) },
    state,
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
