import { at } from '../../src/base/collections.ts'
import { ValueError } from '../../src/base/errors.ts'
import { LoadError, optionError, reasonOf, shown } from '../load/error.ts'
import { type Head, type ReadOptions, textsOf } from './bytes.ts'
import { type Dialect, indexAfter, RowSplitter } from './csv.ts'
import type { FieldNames } from './fields.ts'
import { isBetter, isEmpty, located, type TableRow } from './header.ts'
import { sheetNames, sheetRows } from './workbook.ts'

/** The options for the form of a table. Absent ones are guessed from the first rows. */
export interface Layout {
  readonly delimiter?: string | undefined
  /** `none`: a quote is an ordinary character. */
  readonly quote?: string | undefined
  /** The number of lines before the header. */
  readonly skipLines?: string | undefined
  /** The name of the sheet of a workbook. Absent: the first one. */
  readonly sheet?: string | undefined
}

/** A table as its options and its first rows show it. */
export interface Table {
  readonly header: readonly string[]
  readonly headerLine: number
  /** Some rows below the header. */
  readonly sample: readonly TableRow[]
  /** The line below the header that has units. 0: there is none. */
  readonly unitsLine: number
  /** How its text has cells, or the sheet of a workbook. There each cell has a type. */
  readonly form: Dialect | { readonly sheet: string }
  /** The number of lines that are no rows. */
  readonly skipped: number
  /** Sentences about what was guessed. */
  readonly guesses: readonly string[]
}

interface TableFile extends Head {
  readonly file: string
  readonly names: FieldNames
  readonly layout?: Layout | undefined
}

const DELIMITERS = [',', ';', '\t', '|']
const SAMPLE_ROWS = 1000
/** The line by which a file names its delimiter to Excel. */
const SEPARATOR = /^sep=([^\r\n])[\r\n]/i

/** Reads the rows below the header. Rows without any cell are left out. Throws LoadError if the file is no table. */
export async function* rowsOf(
  { file, encoding }: Pick<TableFile, 'file' | 'encoding'>,
  { form, skipped, header, headerLine, unitsLine }: Table,
  onBytes?: ReadOptions['onBytes'],
): AsyncGenerator<TableRow> {
  const isSheet = 'sheet' in form
  const rows = isSheet ? sheetRows(file, form.sheet, onBytes) : textRows(file, { encoding, onBytes }, form, skipped)
  for await (const { line, cells } of rows)
    if (line > headerLine && line !== unitsLine && !cells.every(isEmpty))
      yield { line, cells: fitted(cells, header.length, isSheet) }
}

/** Removes empty cells beyond the header. A workbook has no empty cells at the end of a row, so this adds them. */
function fitted(cells: TableRow['cells'], width: number, isSheet: boolean): TableRow['cells'] {
  if (cells.length > width && cells.slice(width).every(isEmpty)) return cells.slice(0, width)
  return isSheet && cells.length < width ? [...cells, ...Array(width - cells.length).fill('')] : cells
}

/** Reads the rows of a text after so many lines. */
async function* textRows(file: string, options: ReadOptions, dialect: Dialect, skipped: number) {
  const splitter = new RowSplitter(dialect, skipped + 1)
  let [before, isStarted] = ['', skipped === 0]
  try {
    for await (const piece of textsOf(file, options)) {
      const text = before + piece
      const start = isStarted ? 0 : indexAfter(text, skipped)
      // The line end may continue in the next piece.
      isStarted ||= start < text.length
      before = isStarted ? '' : text
      if (isStarted) yield* splitter.add(text.slice(start), false)
    }
    yield* splitter.add('', true)
  } catch (error) {
    if (error instanceof ValueError) throw new LoadError(`${file}, line ${splitter.line}: ${error.message}`)
    throw error
  }
}

type Option = readonly [name: string, value: string]

/** Returns the options that would name the form of a table. */
export function optionsOf({ form, skipped, headerLine, guesses }: Table): readonly Option[] {
  const lines = guesses.length > 0 ? headerLine - 1 : skipped
  const skip: Option[] = lines > 0 ? [['skip-lines', String(lines)]] : []
  if ('sheet' in form) return [['sheet', form.sheet], ...skip]
  const delimiter = form.delimiter === '\t' ? 'tab' : form.delimiter
  const quote: Option[] = form.isQuoted ? [] : [['quote', 'none']]
  return [['delimiter', delimiter], ...quote, ...skip]
}

/** Finds the header of a table and the form of its rows. Throws LoadError for a wrong option. */
export async function tableOf(source: TableFile, isSheet: boolean): Promise<Table> {
  const { layout = {} } = source
  const { delimiter, skipLines, quote } = layout
  if (delimiter !== undefined && delimiter.length !== 1 && delimiter !== 'tab')
    throw optionError('--delimiter', delimiter, 'enter one character, such as ";", or tab')
  if (quote !== undefined && quote !== 'none') throw optionError('--quote', quote, 'enter none')
  if (skipLines !== undefined && !/^\d{1,6}$/.test(skipLines))
    throw optionError('--skip-lines', skipLines, 'enter the number of lines before the header, such as 3')
  if (isSheet) return sheetTable(source)
  const table = textTable(source)
  return layout.sheet === undefined ? table : { ...table, guesses: [...table.guesses, NO_SHEET] }
}

/** The rejects of a workbook are CSV, and the same command loads them. */
const NO_SHEET = 'The file is no workbook, so --sheet has no effect'

async function sheetTable({ file, names, layout }: TableFile): Promise<Table> {
  const sheets = await sheetNames(file)
  const sheet = layout?.sheet ?? at(sheets, 0)
  if (!sheets.includes(sheet)) throw optionError('--sheet', sheet, `enter ${sheets.map(shown).join(' or ')}`)
  const guess = `The sheet ${shown(sheet)} is read, the first of ${sheets.length}. --sheet names another one`
  const skipped = Number(layout?.skipLines ?? 0)
  const rows: TableRow[] = []
  for await (const row of sheetRows(file, sheet))
    if (row.line > skipped && !row.cells.every(isEmpty) && rows.push(row) === SAMPLE_ROWS) break
  const table = located(rows, layout?.skipLines === undefined, names)
  const isGuessed = layout?.sheet === undefined && sheets.length > 1
  return { ...table, form: { sheet }, skipped, guesses: [...(isGuessed ? [guess] : []), ...table.guesses] }
}

function textTable({ file, head, isWhole, names, layout = {} }: TableFile): Table {
  const given = layout.delimiter === 'tab' ? '\t' : layout.delimiter
  const before = indexAfter(head, Number(layout.skipLines ?? 0))
  const [, named] = SEPARATOR.exec(head.slice(before, before + 6)) ?? []
  const skipped = Number(layout.skipLines ?? 0) + (named === undefined ? 0 : 1)
  const text = head.slice(indexAfter(head, skipped))
  const one = given ?? named
  const tables = (one === undefined ? DELIMITERS : [one]).map((delimiter) => {
    const dialect = dialectIn(text, delimiter, layout.quote === undefined)
    const { rows, fault } = sampleOf(text, dialect, skipped + 1, isWhole)
    const filled = rows.filter(({ cells }) => !cells.every(isEmpty))
    const table = located(filled, layout.skipLines === undefined, names)
    const isTold = layout.quote !== undefined || delimiter !== '\t' || !text.includes('"')
    return {
      ...table,
      fault,
      form: dialect,
      skipped,
      guesses: [...table.guesses, ...(isTold ? [] : [quotes(dialect)])],
    }
  })
  const best = tables.reduce((best, table) => (isBetter(table, best) ? table : best))
  if (text.trim() === '' && skipped > 0)
    throw new LoadError(`${file} has no line after the first ${skipped}: enter fewer with --skip-lines`)
  if (best.header.length === 0 && best.fault !== null) throw new LoadError(`${file}, ${best.fault}`)
  return best
}

/** Says how the quotes in a file with tabs are read. */
const quotes = ({ isQuoted }: Dialect): string =>
  isQuoted ? 'Quotes around cells are left out. --quote none keeps them' : 'Quotes are ordinary characters'

/** In TSV a quote is ordinary, unless all cells with quotes are quoted as a whole. */
function dialectIn(text: string, delimiter: string, mayQuote: boolean): Dialect {
  const quoted = { delimiter, isQuoted: mayQuote }
  const isPlain = mayQuote && delimiter === '\t' && text.includes('\t') && sampleOf(text, quoted, 1).fault !== null
  return isPlain ? { delimiter, isQuoted: false } : quoted
}

/** Splits the first rows of a text. They end at the first fault. */
function sampleOf(text: string, dialect: Dialect, line: number, isWhole = false) {
  const rows: TableRow[] = []
  const splitter = new RowSplitter(dialect, line)
  try {
    for (const row of splitter.add(text, isWhole)) if (rows.push(row) === SAMPLE_ROWS) break
    return { rows, fault: null }
  } catch (error) {
    return { rows, fault: `line ${splitter.line}: ${reasonOf(error)}` }
  }
}
