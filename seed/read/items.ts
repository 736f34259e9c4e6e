import { ValueError } from '../../src/errors.ts'
import { isObject } from '../../src/model/kinds.ts'
import { FIELDS, MAX_LINE, parseRecord } from '../../src/store/records.ts'
import { optionError } from '../load/error.ts'
import { headOf, linesOf, type ReadOptions } from './bytes.ts'
import { featuresOf } from './collection.ts'
import { firstLineOf, rowItems, rowsOf } from './csv.ts'
import { type DraftRecord, type EventOptions, eventReader, type FileEvent, type Item } from './event.ts'
import { featureItems, objectItems } from './json.ts'
import type { ColumnStatistics } from './statistics.ts'

const RECORD_SEPARATOR = 0x1e

/** The formats of files to load, with the name endings that identify them. */
const FORMATS = {
  ndjson: [],
  objects: [],
  geojson: [],
  geojsonl: ['.geojsonl', '.ndgeojson', '.geojsonld'],
  geojsonseq: ['.geojsons', '.geojsonseq'],
  csv: ['.csv', '.tsv'],
} as const satisfies Record<string, readonly string[]>

type FileFormat = keyof typeof FORMATS

const NAMES = Object.keys(FORMATS) as FileFormat[]

export interface Recognised {
  readonly format: FileFormat
  readonly head: string
}

/** Returns the format and the start of a file. The option decides, then the content, then the name of the file. */
export async function recognise(file: string, option?: string, encoding?: string): Promise<Recognised> {
  const head = await headOf(file, MAX_LINE, encoding)
  if (option === undefined) return { format: formatOf(file, head), head }
  const format = NAMES.find((name) => name === option)
  if (format === undefined) throw optionError('--format', option, `enter ${NAMES.join(', ')}`)
  return { format, head }
}

function formatOf(file: string, head: string): FileFormat {
  const name = file.toLowerCase().replace(/\.gz$/, '')
  const named = NAMES.find((format) => FORMATS[format].some((end) => name.endsWith(end)))
  if (head.charCodeAt(0) === RECORD_SEPARATOR) return 'geojsonseq'
  if (named === 'csv' || !head.trimStart().startsWith('{'))
    return named ?? (/\.(nd)?json|\.jsonl/.test(name) || head.trim() === '' ? 'ndjson' : 'csv')
  const first = firstObject(head)
  if (first !== null && typeof first.kind === 'string' && Object.hasOwn(FIELDS, first.kind)) return 'ndjson'
  if (first?.type === 'Feature') return 'geojsonl'
  if (first !== null && ('features' in first || 'results' in first)) return 'geojson'
  if (first !== null && !('type' in first) && named === undefined) return 'objects'
  return named ?? (/\.geojson$|\.json$/.test(name) || first === null ? cutOff(head) : 'objects')
}

/** Returns the format of a text that starts with an object of several lines, or with an object that is cut off. */
const cutOff = (head: string): FileFormat => (/^\s*\{\s*"kind"/.test(head) ? 'ndjson' : 'geojson')

function firstObject(head: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(firstLineOf(head.trimStart()))
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
  /** The encoding of its text. Absent: UTF-8. */
  readonly encoding?: string | undefined
  readonly statistics: ColumnStatistics
}

const TOO_LONG = `the line has more than ${MAX_LINE} characters: shorten its texts`

/** Returns the place of an item for messages. The first feature of a text sequence is item 2. */
export function placeOf({ file, format }: SourceFile, number: number): string {
  if (format === 'geojson') return `${file}, feature ${number}`
  return format === 'geojsonseq' ? `${file}, feature ${number - 1}` : `${file}, line ${number}`
}

/** The content of one item before it is parsed: the cells of a row, or a text. */
interface Piece {
  readonly number: number
  readonly content: string | readonly string[]
  /** The reason why the content cannot be read. */
  readonly fault?: string
}

/** Reads the pieces of a file. The first one of a CSV file is its header. Throws LoadError if it cannot be read. */
export async function* piecesOf(source: SourceFile, onBytes?: ReadOptions['onBytes']): AsyncGenerator<Piece> {
  const { file, format, head, options, encoding } = source
  const reading = { onBytes, encoding }
  if (format === 'csv') {
    for await (const { number, cells } of rowsOf(file, head, reading)) yield { number, content: cells }
    return
  }
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
  const { format, options, statistics } = source
  const eventOf = eventReader(options)
  const readEvent = (item: Item): FileEvent => {
    const event = eventOf(item)
    statistics.add(event, item)
    return event
  }
  const readJson = (format === 'objects' ? objectItems : featureItems)(options, statistics)
  const readText = format === 'ndjson' ? parseRecord : (text: string) => readEvent(readJson(JSON.parse(text)))
  let readRow: ReturnType<typeof rowItems> | undefined
  for await (const { number, content, fault } of piecesOf(source, onBytes)) {
    if (fault !== undefined) yield { number, fault }
    else if (typeof content === 'string') yield itemOf(number, () => readText(content))
    else if (readRow === undefined) readRow = rowItems(source, content)
    else {
      const row = readRow
      yield itemOf(number, () => readEvent(row(content)))
    }
  }
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
