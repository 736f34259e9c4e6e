import { ValueError } from '../../src/base/errors.ts'
import { MAX_LINE } from '../../src/store/records.ts'

export interface Dialect {
  /** One character. */
  readonly delimiter: string
  /** False: a quote is an ordinary character. */
  readonly isQuoted: boolean
}

/** A row of a table. `line` is the line of the file where it begins. */
export interface TextRow {
  readonly line: number
  readonly cells: readonly string[]
}

const LINE_END = /\r\n|\r|\n/g
/** Characters that may follow a closing quote, like the delimiter. Undefined: the text ends. */
const AFTER = ['\r', '\n', undefined]

export const countLines = (text: string): number => text.match(LINE_END)?.length ?? 0

/** Returns the index after so many lines. It is the length of the text if there are not more. */
export function indexAfter(text: string, lines: number): number {
  LINE_END.lastIndex = 0
  for (let line = 0; line < lines; line++) if (LINE_END.exec(text) === null) return text.length
  return LINE_END.lastIndex
}

/**
 * Splits the text of a table (RFC 4180) into rows, piece by piece. A line ends with CRLF, LF or CR, and a file may mix
 * them. Throws ValueError for wrong quotes, and then `line` is the line of the faulty row.
 */
export class RowSplitter {
  /** The line of the next row. */
  line: number
  #rest = ''
  readonly #dialect: Dialect

  constructor(dialect: Dialect, line: number) {
    this.#dialect = dialect
    this.line = line
  }

  /** Yields the rows that are complete. `isLast`: no piece follows, so the last row is complete, too. */
  *add(piece: string, isLast: boolean): Generator<TextRow> {
    const text = this.#rest + piece
    let from = 0
    while (from < text.length) {
      const row = this.#rowAt(text, from, isLast)
      if ((row?.end ?? text.length) - from > MAX_LINE)
        throw new ValueError(`more than ${MAX_LINE} characters, or a quote is not closed`)
      if (row === null) break
      yield { line: this.line, cells: row.cells }
      this.line += row.lines
      from = row.end
    }
    this.#rest = text.slice(from)
  }

  /** Reads the row at an index. Null: the row may continue in the next piece. */
  #rowAt(text: string, from: number, isLast: boolean) {
    const { delimiter, isQuoted } = this.#dialect
    LINE_END.lastIndex = from
    const until = LINE_END.exec(text)?.index ?? text.length
    // This makes a copy. A slice would keep the whole text in memory.
    const line = ` ${text.slice(from, until)}`.slice(1)
    if (isQuoted && line.includes('"'))
      try {
        return this.#quotedRowAt(text, from, isLast)
      } catch (error) {
        if (!line.startsWith('#')) throw error // A comment may have quotes of any kind.
      }
    return isOpen(text, until, isLast) ? null : { cells: line.split(delimiter), end: endAfter(text, until), lines: 1 }
  }

  #quotedRowAt(text: string, from: number, isLast: boolean) {
    const { delimiter } = this.#dialect
    const cells: string[] = []
    for (let at = from; ; at += 1) {
      const cell = text[at] === '"' ? quotedCellAt(text, at, isLast) : plainCellAt(text, at, delimiter)
      if (cell === null || isOpen(text, cell.end, isLast)) return null
      cells.push(cell.text)
      at = cell.end
      if (text[at] === delimiter) continue
      if (!AFTER.includes(text[at]))
        throw new ValueError('a quoted cell contains a single quote: write it twice, or use --quote none')
      return { cells, end: endAfter(text, at), lines: 1 + countLines(text.slice(from, at)) }
    }
  }
}

/** Tests if the text may continue at an index, or if the line end there may do so. */
const isOpen = (text: string, at: number, isLast: boolean): boolean =>
  !isLast && (at >= text.length || (text[at] === '\r' && at + 1 === text.length))

/** Returns the index after a line end. */
const endAfter = (text: string, at: number): number => at + (text.startsWith('\r\n', at) ? 2 : 1)

/** Reads a cell in quotes. Null: it may continue in the next piece. */
function quotedCellAt(text: string, from: number, isLast: boolean) {
  for (let close = text.indexOf('"', from + 1); close >= 0; close = text.indexOf('"', close + 2))
    if (text[close + 1] !== '"') return { text: text.slice(from + 1, close).replaceAll('""', '"'), end: close + 1 }
  if (isLast) throw new ValueError('a quote is not closed: close it, or use --quote none')
  return null
}

function plainCellAt(text: string, from: number, delimiter: string) {
  let end = from
  while (end < text.length && text[end] !== delimiter && text[end] !== '\r' && text[end] !== '\n') end += 1
  const cell = text.slice(from, end)
  if (cell.includes('"'))
    throw new ValueError(
      'a cell contains a quote: quote the cell, and write the quote twice, or use --quote none. If it is above the header, use --skip-lines',
    )
  return { text: cell, end }
}
