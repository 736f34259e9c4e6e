import type { TableCell } from './header.ts'

/** Texts that programs and people write for a value that is missing. */
const MARK = /^(n\.?[abv]\.?|#?n\/a|nan|nil|null|none|\\n|missing|unknown|onbekend|[-–—.?*/_]{1,3})$/i

export const isMark = (text: string): boolean => MARK.test(text)

/** Reads the value of `--null`: marks with commas between them. */
export const marksIn = (option = ''): ReadonlySet<string> =>
  new Set(option.split(',').flatMap((mark) => mark.trim() || []))

/** Returns the content of a cell or a member. It is empty if that is a mark for a missing value. */
export const unlessMissing = <T>(marks: ReadonlySet<string>, cell: T, empty: T): T =>
  marks.size > 0 && ['string', 'number'].includes(typeof cell) && marks.has(String(cell).trim()) ? empty : cell

/** Empties the cells of a row that have marks. */
export const withoutMarks = (marks: ReadonlySet<string>, cells: readonly TableCell[]): readonly TableCell[] =>
  marks.size === 0 ? cells : cells.map((cell) => unlessMissing(marks, cell, ''))

/** Returns a hint for texts that stand for missing values. It is empty if there are none. */
export function missingHint(values: readonly unknown[]): string {
  const marks = new Set(
    values.flatMap((value) => (typeof value === 'string' && isMark(value.trim()) ? value.trim() : [])),
  )
  return marks.size === 0 ? '' : `; for missing values use --null ${asArgument([...marks].join(','))}`
}

/** Writes an argument of a command, in quotes if a shell needs them. */
export const asArgument = (text: string): string =>
  /^[\w.,/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
