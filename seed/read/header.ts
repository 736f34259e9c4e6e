import { type FieldNames, REASON, USUAL } from './fields.ts'
import { isMark } from './missing.ts'

/** The content of a cell. Only workbooks have numbers and booleans. */
export type TableCell = string | number | boolean

/** A row of a table. `line` is the line of the file or the sheet where it begins. */
export interface TableRow {
  readonly line: number
  readonly cells: readonly TableCell[]
}

export const isEmpty = (cell: TableCell | undefined): boolean =>
  cell === undefined || (typeof cell === 'string' && cell.trim() === '')

/** The header of a table, as its first rows show it. */
export interface Located {
  readonly header: readonly string[]
  readonly headerLine: number
  /** Some rows below the header. */
  readonly sample: readonly TableRow[]
  /** The line below the header that has the units of the columns. 0: there is none. */
  readonly unitsLine: number
  /** Sentences about what was guessed. */
  readonly guesses: readonly string[]
  /** The number of known columns, the number of rows with as many cells as the header, and the number of columns. */
  readonly fit: readonly [known: number, rows: number, columns: number]
}

/** Tests if a table fits its text better than another one. */
export const isBetter = ({ fit }: Located, { fit: other }: Located): boolean => {
  const first = fit.findIndex((number, i) => number !== other[i])
  return (fit[first] ?? 0) > (other[first] ?? 0)
}

/**
 * Finds the header among the rows of a file. It is the first row, unless that has fewer cells than the table. Then it is the
 * last row of names above the data. `mayGuess` is false if an option names its line.
 */
export function located(rows: readonly TableRow[], mayGuess: boolean, names: FieldNames): Located {
  const usual = usualRows(rows)
  const width = usual[0]?.cells.length ?? 0
  const filled = usual.reduce((most, { cells }) => Math.max(most, filledIn(cells)), 0)
  const data = rows.findIndex(({ cells }) => cells.length === width && !hasNames(cells))
  const above = rows.slice(0, Math.max(data, 0))
  const isAbove = mayGuess && filledIn(rows[0]?.cells ?? []) < filled
  const full = isAbove ? above.filter(({ cells }) => filledIn(cells) >= filled && hasNames(cells)) : []
  const headers = full.map(({ cells }) => cells.map((cell) => String(cell).trim()))
  const known = headers.map((each) => knownIn(each, names))
  // Units may stand below the header.
  const lower = isAbove ? above.indexOf(full[known.lastIndexOf(Math.max(...known))] ?? NO_ROW) : 0
  const place = Math.max(lower, 0)
  const { cells = [], line = 0 } = rows[place] ?? {}
  const header = cells.map((cell) => String(cell).trim())
  header[0] = header[0]?.replace(/^#\s*(?=\S)/, '') ?? ''
  const below = rows.slice(place + 1).filter((row) => !isComment(row.cells, cells.length))
  const units = header.includes(REASON) ? undefined : unitsIn(below)
  const sample = units === undefined ? below : below.slice(1)
  const isOne = cells.length === 1 // Any text is a table of one column.
  const fitting = sample.filter((row) => row.cells.length === cells.length).length
  return {
    header: cells.length === 0 ? [] : header,
    headerLine: line,
    sample,
    unitsLine: units?.line ?? 0,
    guesses: [
      ...(place > 0
        ? [`Line ${line} is the header. Lines before it are left out. --skip-lines names their number`]
        : []),
      ...(units === undefined ? [] : [`Line ${units.line} has the units of the columns, and is left out`]),
    ],
    fit: [knownIn(header, names), isOne ? 0 : fitting, header.length],
  }
}

const NO_ROW: TableRow = { line: 0, cells: [] }

/** Tests if a row is surely a comment between the rows of a table: it begins with #, and has another number of cells. */
export const isComment = (cells: readonly TableCell[], width: number): boolean =>
  String(cells[0] ?? '').startsWith('#') && width > 1 && (cells.length !== width || cells.slice(1).every(isEmpty))

/**
 * Returns the first row if it surely has units. Either each cell is one of RDB, such as 15s. Or names stand above numbers, and
 * no cell has a date, or a mark for a missing value.
 */
function unitsIn([first, ...others]: readonly TableRow[]): TableRow | undefined {
  if (first === undefined || others.length === 0) return undefined
  const texts = first.cells.map((cell) => String(cell).trim())
  if (texts.every((text) => /^\d+[sdn]$/.test(text))) return first
  const isName = texts.every((text) => !/^([-+.]?\d|#|\/\/)|\d\d/.test(text))
  const isNumbers = (place: number) => {
    const filled = others.map(({ cells }) => cells[place]).filter((cell) => !isEmpty(cell))
    return (
      filled.length > 0 &&
      filled.every((cell) => typeof cell === 'number' || /^-?\d+([.,]\d+)?$/.test(String(cell).trim()))
    )
  }
  const above = texts.filter((text, place) => text !== '' && isNumbers(place))
  return isName && above.length > 0 && !texts.some(isMark) ? first : undefined
}

/** Returns the rows with the most frequent number of cells, or with the greatest one of them. */
function usualRows(rows: readonly TableRow[]): readonly TableRow[] {
  const widthOf = (group: readonly TableRow[]) => group[0]?.cells.length ?? 0
  const groups = [...Map.groupBy(rows, ({ cells }) => cells.length).values()]
  return groups.sort((a, b) => b.length - a.length || widthOf(b) - widthOf(a))[0] ?? []
}

/** Returns the number of cells without the empty ones at the end. */
const filledIn = (cells: readonly TableCell[]): number => cells.findLastIndex((cell) => !isEmpty(cell)) + 1

/** Tests if the cells of a row could be names of columns. */
const hasNames = (cells: readonly TableCell[]): boolean =>
  cells.slice(0, filledIn(cells)).every((cell) => typeof cell === 'string' && !/^\s*([-+.]?\d|$)/.test(cell))

function knownIn(header: readonly string[], names: FieldNames): number {
  const given = Object.values(names)
  const usual = [...USUAL.values()].flat()
  return header.filter((name) => given.includes(name) || usual.includes(name.toLowerCase())).length
}
