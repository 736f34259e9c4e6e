import { pipeline, Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { ValueError } from '../../src/errors.ts'
import { NUMBER, restored } from '../../src/formats/csv.ts'
import { nearest } from '../../src/http/nearest.ts'
import { type EventRecord, MAX_LINE } from '../../src/store/records.ts'
import { LoadError } from '../load/error.ts'
import { chunksOf, NOT_UTF8, type OnBytes } from './bytes.ts'
import { eventOf, type NameOf, type Names, USUAL } from './event.ts'
import { type FeatureOptions, inDegrees, isOwn, SHOWN, seriesIn, type Unread } from './feature.ts'
import { timeReader } from './time.ts'

/** A row of a file, and the line that it begins on. */
export type CsvRow = { readonly number: number; readonly cells: readonly string[] }

const DELIMITERS = [',', ';', '\t', '|']

const REASONS: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quote stands within a quoted cell: double it',
  INVALID_OPENING_QUOTE: 'a quote stands within a cell: quote the cell, and double it',
  CSV_MAX_RECORD_SIZE: `more than ${MAX_LINE} characters, or a quote that is not closed`,
}

/** The rows of a CSV file (RFC 4180), its header first. Throws LoadError for what is none. */
export async function* rowsOf(file: string, head: string, onBytes?: OnBytes): AsyncGenerator<CsvRow> {
  const at = { line: 1 }
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(head),
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE,
    on_record: (cells: string[], { lines }) => {
      const number = at.line
      at.line = lines + 1
      return { number, cells } as unknown as string[] // what on_record answers is what the parser gives
    },
  })
  pipeline(
    Readable.from(
      decoded(file, () => at.line, onBytes),
      { highWaterMark: 1 },
    ),
    parser,
    () => {},
  )
  try {
    yield* parser as AsyncIterable<CsvRow>
  } catch (error) {
    if (error instanceof LoadError) throw error
    const reason = REASONS[String((error as CsvError).code)] ?? 'not CSV'
    throw new LoadError(`${file}, line ${at.line}: ${reason}`, { cause: error })
  }
}

async function* decoded(file: string, line: () => number, onBytes?: OnBytes): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    for await (const chunk of chunksOf(file, onBytes)) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    throw error instanceof LoadError ? error : new LoadError(`${file}, line ${line()} or after: ${NOT_UTF8}`)
  }
}

/** What separates the columns of the first line, a comma if nothing does. */
function delimiterOf(head: string): string {
  const line = head.split('\n', 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** What reads a row of a file with this header. Throws LoadError for a column that is not there. */
export function rowReader(
  file: string,
  header: readonly string[],
  options: FeatureOptions,
  unread: Unread = new Set(),
): (cells: CsvRow['cells']) => EventRecord {
  const columns = header.map((name) => name.trim())
  const places = Object.fromEntries(
    (Object.keys(USUAL) as NameOf[]).map((field) => [field, placeOf(file, columns, options.names, field)]),
  ) as Record<NameOf, number>
  for (const field of ['start', 'x', 'y'] as const)
    if (places[field] < 0)
      throw new LoadError(`${file}: no column for ${field} among ${columns.join(', ')}: say --${field} COLUMN`)
  const read = new Set(Object.values(places))
  for (const [place, name] of columns.entries()) if (!read.has(place) && !SHOWN.includes(name)) unread.add(name)
  const { times = {} } = options
  const readTime = timeReader(isOwn(columns) ? { ...times, unit: times.unit ?? 'ms' } : times)
  const called = (field: NameOf) => columns[places[field]] ?? field
  const names = {
    ...{ id: called('id'), series: called('series'), category: called('category'), value: called('value') },
    ...{ start: called('start'), end: called('end'), coordinates: `${called('x')}, ${called('y')}` },
    object: `${called('model')}, ${called('object')}`,
    external: called('external'),
  }
  return (cells) => {
    if (cells.length !== columns.length)
      throw new ValueError(`${cells.length} cells, and the header has ${columns.length}: put as many`)
    const of = (field: NameOf): string | null => cells[places[field]] || null
    const raw = {
      ...{ id: options.newIds ? null : numberOf(of('id')), series: seriesIn(options, numberOf(of('series'))) },
      ...{ category: plainOf(of('category')), value: plainOf(of('value')), start: of('start'), end: of('end') },
      coordinates: inDegrees(positionOf(of('x'), of('y'), of('z')), options.toDegrees),
      object: of('model') === null && of('object') === null ? null : { model: of('model'), id: numberOf(of('object')) },
      external: plainOf(of('external')),
    }
    return eventOf(raw, names, options.series, readTime)
  }
}

/** Where a column is: the one that was named, or the first with a usual name; -1 when there is none. */
function placeOf(file: string, columns: readonly string[], names: Names, field: NameOf): number {
  const name = names[field]
  const lower = columns.map((column) => column.toLowerCase())
  if (name === null) return USUAL[field].map((usual) => lower.indexOf(usual)).find((place) => place >= 0) ?? -1
  const place = columns.indexOf(name)
  if (place >= 0) return place
  const near = nearest(name, columns)
  const meant = near === null ? `there are ${columns.join(', ')}` : `did you mean ${near}?`
  throw new LoadError(`${file}: no column ${JSON.stringify(name)}: ${meant}`)
}

const numberOf = (cell: string | null): unknown => (cell !== null && NUMBER.test(cell.trim()) ? Number(cell) : cell)

const plainOf = (cell: string | null): string | null => (cell === null ? null : restored(cell))

const positionOf = (x: string | null, y: string | null, z: string | null): unknown => {
  if (x === null && y === null) return null
  return [numberOf(x), numberOf(y), ...(z === null ? [] : [numberOf(z)])]
}
