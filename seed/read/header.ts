import { type FieldNames, USUAL } from './fields.ts'

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
  const lower = isAbove ? above.findLastIndex(({ cells }) => filledIn(cells) >= filled && hasNames(cells)) : 0
  const place = Math.max(lower, 0)
  const { cells = [], line = 0 } = rows[place] ?? {}
  const header = cells.map((cell) => String(cell).trim())
  header[0] = header[0]?.replace(/^#\s*(?=\S)/, '') ?? ''
  const sample = rows.slice(place + 1)
  const isOne = cells.length === 1 // Any text is a table of one column.
  const fitting = sample.filter((row) => row.cells.length === cells.length).length
  return {
    header: cells.length === 0 ? [] : header,
    headerLine: line,
    sample,
    guesses:
      place > 0 ? [`Line ${line} is the header. Lines before it are left out. --skip-lines names their number`] : [],
    fit: [knownIn(header, names), isOne ? 0 : fitting, header.length],
  }
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
