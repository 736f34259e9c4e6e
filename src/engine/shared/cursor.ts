import { at } from '../../base/collections.ts'
import type { Hint, RowPosition } from '../../question/question.ts'
import { formatState, parseState, type State } from '../state.ts'

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

/** A cursor that a client sent. `state` is null if somebody changed it. Then the Worker uses only its position. */
export type SentCursor = Omit<Cursor, 'state'> & { readonly state: State | null }

/** Writes a cursor as a hint. It starts with `a` for "after" or `b` for "before". */
export const formatCursor = ({ backward, from, state, count, rowsPerMatch }: Cursor): string =>
  [backward ? 'b' : 'a', formatValue(from.value), from.id, formatState(state), count, rowsPerMatch].join('_')

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

const CURSOR = /^([ab])_([^_]*)_(\d{1,16})_(\d+-[0-9a-z]+)_(\d{1,16})_(\d{1,9})$/

/** Reads a hint. Returns null if it is no cursor. */
export const parseCursor = ({ text, isOwn }: Hint): SentCursor | null => {
  const match = CURSOR.exec(text)
  const state = match && parseState(at(match, 4))
  if (match === null || state === null) return null
  const [, direction, rowValue = '', id, , count, rowsPerMatch] = match
  const position = parseValue(rowValue)
  if (position === undefined || ![id, count].every((digits) => Number.isSafeInteger(Number(digits)))) return null
  return {
    backward: direction === 'b',
    from: { value: position, id: Number(id) },
    state: isOwn ? state : null,
    count: Number(count),
    rowsPerMatch: Number(rowsPerMatch),
  }
}
