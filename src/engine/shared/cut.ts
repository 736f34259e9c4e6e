import { at } from '../../base/collections.ts'
import { orUndefined } from '../../base/errors.ts'
import type { Hint, RowPosition, Slice } from '../../question/question.ts'
import { formatState, isSame, NO_STATE, parseState, type State } from '../state.ts'

/** A slice as an engine reads it: some rows after a position, and after a number of rows. */
export interface Cut {
  /** Null: the start of the list, or its end if it is read backward. */
  readonly after: RowPosition | null
  readonly skip: number
  /** The most rows. The last slice of a list may have fewer than are read. */
  readonly take: number
  readonly backward: boolean
  /** The count that an earlier slice found. Null: there is none, or the client has changed it. */
  readonly known: KnownCount | null
}

/** A count of all matches, which holds in one state of the data. */
export interface KnownCount {
  /** Null: it holds in any state. */
  readonly state: State | null
  readonly count: number
  /** The rows in list order for each match, where an area is tested. 0: the rows in list order are not tested. */
  readonly rowsPerMatch: number
}

/** Returns the cut of a slice of a question. */
export const cutOf = ({ from, limit }: Slice): Cut => {
  const cut = { after: null, skip: 0, take: limit, backward: from === 'end', known: null }
  if (from === 'end') return cut
  // The matches after a position are counted again.
  if ('after' in from) return { ...cut, after: from.after }
  const { offset, hint = null } = from
  return (hint && parseStart(hint, limit)) ?? { ...cut, skip: offset }
}

/** Tests if a cut is the last slice, wherever it starts. It is read from the end. */
export const isLast = ({ after, backward }: Cut): boolean => after === null && backward

/** Returns how many rows are read. One more than the slice has shows that others follow. */
export const rowsOf = (cut: Cut): number => (isLast(cut) ? cut.take : cut.take + 1)

/** Tests if the count of an earlier slice holds in a state of the data. */
export const holdsIn = ({ state }: KnownCount, now: State | null): boolean => state === null || isSame(now, state)

/** Writes the start of another slice as a hint. It starts with `a` for "after" or `b` for "before". */
export const formatStart = (
  backward: boolean,
  { value, id }: RowPosition,
  { state, count, rowsPerMatch }: KnownCount,
): string =>
  [backward ? 'b' : 'a', formatValue(value), id, formatState(state ?? NO_STATE), count, rowsPerMatch].join('_')

/** Writes a value as JSON without underscores. It does not change integers. */
const formatValue = (value: RowPosition['value']): string =>
  value === null ? '' : encodeURIComponent(JSON.stringify(value)).replace(/[_~%]/g, (sign) => SIGNS[sign] ?? sign)

const SIGNS: Readonly<Record<string, string>> = { _: '~5F', '~': '~7E', '%': '~' }

/** Reads the value of a position. Undefined: it is no such value. */
const parseValue = (text: string): RowPosition['value'] | undefined => {
  if (text === '') return null
  const value = orUndefined((): unknown => JSON.parse(decodeURIComponent(text.replaceAll('~', '%'))))
  if (typeof value === 'string') return value
  // Sixteen digits can be greater than any integer that the service writes.
  const isNumber = typeof value === 'number' && Number.isFinite(value)
  return isNumber && (Number.isSafeInteger(value) || !/^-?\d{1,16}$/.test(text)) ? value : undefined
}

const HINT = /^([ab])_([^_]*)_(\d{1,16})_(\d+-[0-9a-z]+)_(\d{1,16})_(\d{1,9})$/

/** Reads a hint as the cut that it starts. Returns null if it is none. */
export const parseStart = ({ text, isOwn }: Hint, take: number): Cut | null => {
  const match = HINT.exec(text)
  const state = match && parseState(at(match, 4))
  if (match === null || state === null) return null
  const [, direction, , id, , count, rowsPerMatch] = match
  const value = parseValue(at(match, 2))
  if (value === undefined || ![id, count].every((digits) => Number.isSafeInteger(Number(digits)))) return null
  return {
    after: { value, id: Number(id) },
    skip: 0,
    take,
    backward: direction === 'b',
    known: isOwn ? { state, count: Number(count), rowsPerMatch: Number(rowsPerMatch) } : null,
  }
}
