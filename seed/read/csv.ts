import { isUtf8 } from 'node:buffer'
import { pipeline, Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { ValueError } from '../../src/errors.ts'
import { restored } from '../../src/formats/csv.ts'
import { nearest } from '../../src/request/nearest.ts'
import { MAX_LINE } from '../../src/store/records.ts'
import { LoadError } from '../load/error.ts'
import { chunksOf, NOT_UTF8, type ReadOptions } from './bytes.ts'
import { type DecimalMark, decimalMarkOf, numberIn, recogniseDecimalMark, withPoint } from './decimal.ts'
import { eventOf, type FieldNames, type FileEvent, type NameOf, USUAL } from './event.ts'
import { type FeatureOptions, inDegrees, isOwn, objectOf, SHOWN, seriesIn, type Unread } from './feature.ts'
import { timeReader } from './time.ts'

/** A row of a file and the number of its first line. */
export type CsvRow = { readonly number: number; readonly cells: readonly string[] }

const DELIMITERS = [',', ';', '\t', '|']

const REASONS: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quoted cell contains a single quote: write it twice',
  INVALID_OPENING_QUOTE: 'a cell contains a quote: quote the cell, and write the quote twice',
  CSV_MAX_RECORD_SIZE: `more than ${MAX_LINE} characters, or a quote is not closed`,
}

/** Reads the rows of a CSV file (RFC 4180), starting with the header. Throws LoadError if it is not CSV. */
export async function* rowsOf(file: string, head: string, options?: ReadOptions): AsyncGenerator<CsvRow> {
  const position = { line: 1 }
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(head),
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE,
    on_record: (cells: string[], { lines }) => {
      const number = position.line
      position.line = lines + 1
      return { number, cells } as unknown as string[] // The parser yields this value.
    },
  })
  pipeline(Readable.from(decoded(file, options), { highWaterMark: 1 }), parser, () => {})
  try {
    yield* parser as AsyncIterable<CsvRow>
  } catch (error) {
    if (error instanceof LoadError) throw error
    const reason = REASONS[String((error as CsvError).code)] ?? 'not CSV'
    throw new LoadError(`${file}, line ${position.line}: ${reason}`, { cause: error })
  }
}

/** Decodes a file as UTF-8. Throws LoadError that names the first line with malformed bytes. */
async function* decoded(file: string, options?: ReadOptions): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let line = 1
  const decode = (chunk: Buffer, stream: boolean): string => {
    try {
      return decoder.decode(chunk, { stream })
    } catch (cause) {
      throw new LoadError(`${file}, line ${line + linesBeforeFault(chunk)}: ${NOT_UTF8}`, { cause })
    }
  }
  for await (const chunk of chunksOf(file, options)) {
    yield decode(chunk, true)
    line += linesOfBytes(chunk).length - 1
  }
  yield decode(Buffer.alloc(0), false)
}

const linesOfBytes = (bytes: Buffer): string[] => bytes.toString('latin1').split('\n')

/**
 * Counts the lines before the first malformed line of a chunk. A character at the start of the chunk may be cut, and is
 * not a fault.
 */
const linesBeforeFault = (chunk: Buffer): number => {
  const lines = linesOfBytes(chunk)
  const first = lines.findIndex(
    (line, i) => !isUtf8(Buffer.from(i === 0 ? line.replace(CONTINUED, '') : line, 'latin1')),
  )
  return Math.max(first, 0)
}
/** The rest of a character from the chunk before, read as latin1. */
const CONTINUED = /^[\x80-\xbf]{1,3}/

/** Returns the delimiter that is most frequent in the first line. It is a comma if the line has no delimiter. */
function delimiterOf(head: string): string {
  const line = head.split('\n', 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Returns a function that reads rows under this header. Throws LoadError if a column is missing. */
export function rowReader(
  file: string,
  head: string,
  header: readonly string[],
  options: FeatureOptions,
  unread: Unread = new Set(),
): (cells: CsvRow['cells']) => FileEvent {
  const columns = header.map((name) => name.trim())
  const places = Object.fromEntries(
    (Object.keys(USUAL) as NameOf[]).map((field) => [field, placeOf(file, columns, options.names, field)]),
  ) as Record<NameOf, number>
  for (const field of requiredOf(places, options.partial ?? false))
    if (places[field] < 0)
      throw new LoadError(`${file}: no column for ${field} among ${columns.join(', ')}: name it with --${field} COLUMN`)
  const read = new Set(Object.values(places))
  for (const [place, name] of columns.entries()) if (!read.has(place) && !SHOWN.includes(name)) unread.add(name)
  const { times = {}, decimal } = options
  const mark =
    decimal === undefined
      ? recogniseDecimalMark(head, delimiterOf(head), [places.x, places.y, places.z])
      : decimalMarkOf(decimal)
  const readTime = timeReader(isOwn(columns) ? { ...times, unit: times.unit ?? 'ms' } : times)
  const nameIn = (field: NameOf) => columns[places[field]] ?? field
  const names = {
    ...{ id: nameIn('id'), series: nameIn('series'), category: nameIn('category'), value: nameIn('value') },
    ...{ start: nameIn('start'), end: nameIn('end'), coordinates: `${nameIn('x')}, ${nameIn('y')}` },
    object: `${nameIn('model')}, ${nameIn('object')}`,
    external: nameIn('external'),
  }
  return (cells) => {
    if (cells.length !== columns.length)
      throw new ValueError(`${cells.length} cells, but the header has ${columns.length}: write the same number`)
    // It is undefined without a column, and null for an empty cell.
    const cellOf = (field: NameOf): Cell => (places[field] < 0 ? undefined : cells[places[field]] || null)
    const timeOf = (field: 'start' | 'end'): Cell => {
      const cell = cellOf(field)
      return cell ? withPoint(cell, mark) : cell
    }
    const raw = {
      ...{ id: options.newIds ? null : numberOf(cellOf('id')), series: seriesIn(options, numberOf(cellOf('series'))) },
      ...{
        category: plainOf(cellOf('category')),
        value: plainOf(cellOf('value')),
        start: timeOf('start'),
        end: timeOf('end'),
      },
      coordinates: inDegrees(positionOf(cellOf('x'), cellOf('y'), cellOf('z'), mark), options.crs),
      object: objectOf(cellOf('model'), numberOf(cellOf('object'))),
      external: plainOf(cellOf('external')),
    }
    return eventOf(raw, names, { series: options.series, partial: options.partial ?? false, readTime })
  }
}

/**
 * Returns the fields that need a column. Rows that change stored events need none. But if there is a column for x or y,
 * both are needed.
 */
function requiredOf(places: Readonly<Record<NameOf, number>>, partial: boolean): readonly ('start' | 'x' | 'y')[] {
  if (!partial) return ['start', 'x', 'y']
  return places.x < 0 && places.y < 0 ? [] : ['x', 'y']
}

/**
 * Returns the index of a column: the column that an option names, or the first with a usual name. It is -1 if there is
 * none.
 */
function placeOf(file: string, columns: readonly string[], names: FieldNames, field: NameOf): number {
  const name = names[field]
  const lower = columns.map((column) => column.toLowerCase())
  if (name === null) return USUAL[field].map((usual) => lower.indexOf(usual)).find((place) => place >= 0) ?? -1
  const place = columns.indexOf(name)
  if (place >= 0) return place
  const near = nearest(name, columns)
  const meant = near === null ? `the columns are ${columns.join(', ')}` : `did you mean ${near}?`
  throw new LoadError(`${file}: no column ${JSON.stringify(name)}: ${meant}`)
}

type Cell = string | null | undefined

const numberOf = (cell: Cell, mark: DecimalMark = '.'): unknown => (cell ? numberIn(cell, mark) : cell)

const plainOf = (cell: Cell): Cell => (cell ? restored(cell) : cell)

/** Returns a position of two or three coordinates. It is undefined without columns, and null for empty cells. */
const positionOf = (x: Cell, y: Cell, z: Cell, mark: DecimalMark): unknown => {
  if (x === undefined || (x === null && y === null)) return x
  return [numberOf(x, mark), numberOf(y, mark), ...(z ? [numberOf(z, mark)] : [])]
}
