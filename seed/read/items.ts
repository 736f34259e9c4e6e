import { ValueError } from '../../src/base/errors.ts'
import { parseJson } from '../../src/model/json.ts'
import { isObject } from '../../src/model/kinds.ts'
import { KIND_FIELDS, MAX_LINE, parseRecord } from '../../src/store/records.ts'
import { optionError } from '../load/error.ts'
import { type Head, headOf, isZip, linesOf, type ReadOptions } from './bytes.ts'
import { featuresOf } from './collection.ts'
import { rowItems } from './columns.ts'
import { type DraftRecord, type EventOptions, eventReader, type FileEvent, type Item } from './event.ts'
import type { FieldNames } from './fields.ts'
import { featureItems, objectItems } from './json.ts'
import type { ColumnStatistics } from './statistics.ts'
import { type Layout, optionsOf, rowsOf, type Table, tableOf } from './table.ts'

const RECORD_SEPARATOR = 0x1e

/** The formats of files to load, with the name endings that identify them. */
const FORMATS = {
  ndjson: [],
  objects: [],
  geojson: [],
  geojsonl: ['.geojsonl', '.ndgeojson', '.geojsonld'],
  geojsonseq: ['.geojsons', '.geojsonseq'],
  csv: ['.csv', '.tsv'],
  xlsx: ['.xlsx', '.xlsm'],
} as const satisfies Record<string, readonly string[]>

type FileFormat = keyof typeof FORMATS

const NAMES = Object.keys(FORMATS) as FileFormat[]

export interface Recognised extends Head {
  readonly format: FileFormat
  /** Null: the file is no table. */
  readonly table: Table | null
}

/** How a file is to be read. Without `format`, the content decides, then the name of the file. */
export interface FormOptions {
  readonly format?: string | undefined
  readonly encoding?: string | undefined
  readonly names?: FieldNames | undefined
  readonly layout?: Layout | undefined
}

/** Recognises the format of a file, and finds the header of a table. Throws LoadError for a wrong option. */
export async function recognise(file: string, options: FormOptions = {}): Promise<Recognised> {
  const format = NAMES.find((name) => name === options.format)
  if (options.format !== undefined && format === undefined)
    throw optionError('--format', options.format, `enter ${NAMES.join(', ')}`)
  const isSheet = isZip(file)
  const start = isSheet ? NO_TEXT : await headOf(file, MAX_LINE, options.encoding)
  const found = isSheet ? 'xlsx' : (format ?? formatOf(file, start.head))
  const isTable = found === 'csv' || found === 'xlsx'
  const { names = {}, layout = {} } = options
  return { ...start, format: found, table: isTable ? await tableOf({ ...start, file, names, layout }, isSheet) : null }
}

const NO_TEXT: Head = { head: '', encoding: undefined, isWhole: true, isMarked: false }

function formatOf(file: string, head: string): FileFormat {
  const name = file.toLowerCase().replace(/\.gz$/, '')
  const named = NAMES.find((format) => FORMATS[format].some((end) => name.endsWith(end)))
  if (head.charCodeAt(0) === RECORD_SEPARATOR) return 'geojsonseq'
  if (named === 'csv' || !head.trimStart().startsWith('{'))
    return named ?? (/\.(nd)?json|\.jsonl/.test(name) || head.trim() === '' ? 'ndjson' : 'csv')
  const first = firstObject(head)
  if (first !== null && typeof first.kind === 'string' && Object.hasOwn(KIND_FIELDS, first.kind)) return 'ndjson'
  if (first?.type === 'Feature') return 'geojsonl'
  if (first !== null && ('features' in first || 'results' in first)) return 'geojson'
  if (first !== null && !('type' in first) && named === undefined) return 'objects'
  return named ?? (/\.geojson$|\.json$/.test(name) || first === null ? cutOff(head) : 'objects')
}

/** Returns the format of a text that starts with an object of several lines, or with an object that is cut off. */
const cutOff = (head: string): FileFormat => (/^\s*\{\s*"kind"/.test(head) ? 'ndjson' : 'geojson')

function firstObject(head: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(head.trimStart().split('\n', 1).join(''))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** A record of a file, or the reason why it cannot be read. `number` counts lines or features, from 1. */
type FileItem = { readonly number: number } & ({ readonly record: DraftRecord } | { readonly fault: string })

/** A file and the settings for reading it. */
export interface SourceFile extends Recognised {
  readonly file: string
  readonly options: EventOptions
  readonly statistics: ColumnStatistics
}

const TOO_LONG = `the line has more than ${MAX_LINE} characters: shorten its texts`

/** Returns the place of an item for messages. The first feature of a text sequence is item 2. */
export function placeOf({ file, format }: SourceFile, number: number): string {
  if (format === 'geojson') return `${file}, feature ${number}`
  return format === 'geojsonseq' ? `${file}, feature ${number - 1}` : `${file}, line ${number}`
}

/** A text before it is parsed. */
interface Piece {
  readonly number: number
  readonly content: string
  /** The reason why the content cannot be read. */
  readonly fault?: string
}

/** Reads the texts of a file of JSON. Throws LoadError if it cannot be read. */
export async function* piecesOf(source: SourceFile, onBytes?: ReadOptions['onBytes']): AsyncGenerator<Piece> {
  const { file, format, options, encoding } = source
  const reading = { onBytes, encoding }
  const texts =
    format === 'geojson'
      ? featuresOf(file, options.crs !== undefined, reading)
      : linesOf(file, reading, format === 'geojsonseq' ? RECORD_SEPARATOR : undefined)
  for await (const { number, text, fault } of texts) {
    if (fault !== undefined) yield { number, content: text, fault }
    else if (text.length > MAX_LINE) yield { number, content: text, fault: TOO_LONG }
    else if (text.trim() !== '') yield { number, content: text }
  }
}

/** Reads all items of a file in order. Throws LoadError if the file cannot be read to its end. */
export async function* itemsOf(source: SourceFile, onBytes?: ReadOptions['onBytes']): AsyncGenerator<FileItem> {
  const { file, format, options, statistics, table } = source
  const eventOf = eventReader(options, (kind) => statistics.note(kind))
  const readEvent = (item: Item): FileEvent => {
    const event = eventOf(item)
    statistics.add(event, item)
    return event
  }
  if (table !== null) {
    for (const guess of table.guesses) statistics.guesses.add(guess)
    for (const [option, value] of optionsOf(table)) statistics.found.set(option, value)
    const readRow = rowItems({ file, table, options, statistics })
    for await (const row of rowsOf(source, table, onBytes)) yield itemOf(row.line, () => readEvent(readRow(row)))
    return
  }
  const readJson = (format === 'objects' ? objectItems : featureItems)(options, statistics)
  const readText = format === 'ndjson' ? parseRecord : (text: string) => readEvent(readJson(parseJson(text)))
  for await (const { number, content, fault } of piecesOf(source, onBytes))
    yield fault === undefined ? itemOf(number, () => readText(content)) : { number, fault }
}

function itemOf(number: number, parse: () => DraftRecord): FileItem {
  try {
    return { number, record: parse() }
  } catch (error) {
    if (error instanceof ValueError) return { number, fault: error.message }
    if (error instanceof SyntaxError)
      return { number, fault: 'not JSON: enter one whole object, such as {"type": "Feature", ...}' }
    throw error
  }
}
