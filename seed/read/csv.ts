import { pipeline, Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { ValueError } from '../../src/errors.ts'
import type { DecimalMark } from '../../src/formats/csv.ts'
import { pointText, restored } from '../../src/formats/csv.ts'
import { nearest } from '../../src/request/suggestion.ts'
import { MAX_LINE } from '../../src/store/records.ts'
import { LoadError } from '../load/error.ts'
import { attributeIn, attributeNamer, isAttribute, withAttributes } from './attributes.ts'
import { linesOf, type ReadOptions } from './bytes.ts'
import { decimalMarkOf, numberIn, plainNumberIn, recogniseDecimalMark } from './decimal.ts'
import { type FieldNames, type Item, isOwn, SHOWN, USUAL, usualOf } from './event.ts'
import type { SourceFile } from './items.ts'

const DELIMITERS = [',', ';', '\t', '|']
const CHUNK = 64 * 1024 // characters

const REASONS: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quoted cell contains a single quote: write it twice',
  INVALID_OPENING_QUOTE: 'a cell contains a quote: quote the cell, and write the quote twice',
  CSV_MAX_RECORD_SIZE: `more than ${MAX_LINE} characters, or a quote is not closed`,
}

type Row = { readonly number: number; readonly cells: readonly string[] }

/** Reads the rows of a CSV file (RFC 4180), starting with the header. Throws LoadError if it is not CSV. */
export async function* rowsOf(file: string, head: string, options?: ReadOptions): AsyncGenerator<Row> {
  let [line, number] = [1, 1]
  const parser = parse({
    info: true,
    delimiter: delimiterOf(head),
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE,
    on_record: (row, { lines }) => {
      line = lines + 1 // The parser is ahead of the loop below.
      return row
    },
  })
  pipeline(Readable.from(textOf(file, options), { highWaterMark: 1 }), parser, () => {})
  const rows: AsyncIterable<{ readonly record: string[]; readonly info: { readonly lines: number } }> = parser
  try {
    for await (const { record, info } of rows) {
      yield { number, cells: record }
      number = info.lines + 1
    }
  } catch (error) {
    if (error instanceof LoadError) throw error
    const reason = REASONS[String((error as CsvError).code)] ?? 'not CSV'
    throw new LoadError(`${file}, line ${line}: ${reason}`, { cause: error })
  }
}

/** Reads the text of a file. Throws LoadError that names the first line that is not UTF-8. */
async function* textOf(file: string, options?: ReadOptions): AsyncGenerator<string> {
  let chunk = ''
  for await (const { number, text, fault } of linesOf(file, options)) {
    if (fault !== undefined) throw new LoadError(`${file}, line ${number}: ${fault}`)
    chunk += `${text}\n`
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

export const firstLineOf = (text: string): string => text.slice(0, text.search(/\n|$/))

/** Returns the delimiter that is most frequent in the first line. It is a comma if the line has no delimiter. */
export const delimiterOf = (head: string): string => {
  const countOf = (delimiter: string) => firstLineOf(head).split(delimiter).length
  return DELIMITERS.reduce((best, delimiter) => (countOf(delimiter) > countOf(best) ? delimiter : best))
}

/** Returns a function that reads rows under this header. Throws LoadError if a column is missing. */
export function rowItems(
  { file, head, options, statistics }: Pick<SourceFile, 'file' | 'head' | 'options' | 'statistics'>,
  header: readonly string[],
): (cells: readonly string[]) => Item {
  const columns = header.map((name) => name.trim())
  const places = new Map([...USUAL.keys()].map((field) => [field, placeOf(file, columns, options.names, field)]))
  const placeIn = (field: string): number => places.get(field) ?? -1
  for (const field of requiredOf(placeIn, options.partial ?? false))
    if (placeIn(field) < 0)
      throw new LoadError(`${file}: no column for ${field} among ${columns.join(', ')}: name it with --${field} COLUMN`)
  const known = new Set(places.values())
  const { attributes } = options
  for (const name of attributes === '*' ? [] : (attributes ?? [])) placeOf(file, columns, { [name]: name }, name)
  const isField = (name: string, place: number) => known.has(place) || SHOWN.includes(name)
  const others = [...columns.entries()].filter(([place, name]) => isAttribute(attributes, name, isField(name, place)))
  for (const [place, name] of columns.entries())
    if (!isField(name, place) && !isAttribute(attributes, name, false)) statistics.unread.add(name)
  const delimiter = delimiterOf(head)
  // Only the spreadsheet with decimal commas has semicolons. Its texts of numbers have commas too.
  const isSheet = isDownload(columns) && delimiter === ';'
  const mark =
    options.decimal === undefined
      ? recogniseDecimalMark(head, delimiter, ['x', 'y', 'z'].map(placeIn), isSheet ? ',' : '.')
      : decimalMarkOf(options.decimal)
  const read = cellReader(mark, isSheet)
  const shared = { nameOf: (field: string) => columns[placeIn(field)] ?? field, isOwn: isOwn(columns) }
  const names = attributeNamer(statistics.renamed)(others.map(([, name]) => name))
  /** An empty cell is no attribute. */
  const attributesIn = (cells: readonly string[]) =>
    others.flatMap(([place], i): [string, unknown][] => {
      const cell = cells[place]
      return cell ? [[names[i] ?? '', attributeIn(cell, mark)]] : []
    })
  return (cells) => {
    if (cells.length !== columns.length)
      throw new ValueError(`${cells.length} cells, but the header has ${columns.length}: write the same number`)
    const valueIn = (field: string): unknown => {
      const cell = cells[placeIn(field)] // It is undefined without a column.
      if (field === 'attributes' && attributes !== undefined)
        return withAttributes(cell ? read(field, cell) : undefined, attributesIn(cells))
      return cell ? read(field, cell) : cell === undefined ? undefined : null
    }
    const isNumber = () => plainNumberIn(cells[placeIn('value')] ?? '', mark) !== null
    return { ...shared, valueIn, isNumber }
  }
}

/** Returns true if the names show that a list wrote the file, in any version. */
const isDownload = (columns: readonly string[]): boolean =>
  ['category', 'value', 'last_modified', 'url'].every((name) => columns.includes(name))

function cellReader(mark: DecimalMark, isSheet: boolean) {
  const textOf = isSheet && mark === ',' ? pointText : restored
  // With a decimal point, each value stays as it is.
  const pointedOf = (cell: string) => (mark === ',' && !isSheet ? plainNumberIn(cell, mark) : null)
  return (field: string, cell: string): unknown => {
    if (['id', 'series', 'object_id'].includes(field)) return numberOr(cell, '.')
    if (['x', 'y', 'z'].includes(field)) return numberOr(cell, mark)
    if (['start', 'end'].includes(field)) return numberIn(cell, mark) ?? cell
    if (field === 'value') return pointedOf(cell) ?? textOf(cell)
    return field === 'model' ? cell : textOf(cell)
  }
}

/** Reads the number in a cell. Returns the cell if it is none. */
const numberOr = (cell: string, mark: DecimalMark): string | number => {
  const number = numberIn(cell, mark)
  return number === null ? cell : Number(number)
}

/** Returns the fields that need a column. Rows that change stored events need none, or both x and y. */
function requiredOf(placeIn: (field: string) => number, partial: boolean): readonly ('start' | 'x' | 'y')[] {
  if (!partial) return ['start', 'x', 'y']
  return placeIn('x') < 0 && placeIn('y') < 0 ? [] : ['x', 'y']
}

/** Returns the index of the column that an option names, or of the first with a usual name. -1: there is none. */
function placeOf(file: string, columns: readonly string[], names: FieldNames, field: string): number {
  const name = names[field]
  const lower = columns.map((column) => column.toLowerCase())
  if (name === undefined)
    return (
      usualOf(field)
        .map((usual) => lower.indexOf(usual))
        .find((place) => place >= 0) ?? -1
    )
  const place = columns.indexOf(name)
  if (place >= 0) return place
  const near = nearest(name, columns)
  const meant = near === null ? `the columns are ${columns.join(', ')}` : `did you mean ${near}?`
  throw new LoadError(`${file}: no column ${JSON.stringify(name)}: ${meant}`)
}
