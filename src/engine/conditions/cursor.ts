import { at } from '../../collections.ts'
import { formatState, parseState, type State } from '../../state.ts'

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

/** A `p` marks the cursor of a posted query, see `POSTED` in src/request/read.ts. */
const CURSOR = /^p?(([ab])_([^_]*)_(\d{1,16})_(\d+-[0-9a-z]+)_(\d{1,16})_(\d{1,9})_([0-9a-z]+))(?:_([0-9a-f]{16}))?$/

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
