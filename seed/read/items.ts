import { orUndefined, ValueError } from '../../src/base/errors.ts'
import { parseJson } from '../../src/base/json.ts'
import { isObject } from '../../src/model/kinds.ts'
import { KIND_FIELDS, MAX_LINE, parseRecord } from '../../src/store/records.ts'
import { LoadError, NeedError, optionError, shown } from '../load/error.ts'
import { type Head, headOf, isZip, LIKELY_ENCODING, linesOf, type ReadOptions, textsOf } from './bytes.ts'
import { featuresOf, isArray, listIn } from './collection.ts'
import { rowItems } from './columns.ts'
import { type DraftRecord, type EventOptions, eventReader, type FileEvent, type Item, keyOf } from './event.ts'
import { type FieldNames, usualOf } from './fields.ts'
import { featureItems, objectItems } from './json.ts'
import { asArgument } from './missing.ts'
import type { ColumnStatistics } from './statistics.ts'
import { type Layout, optionsOf, rowsOf, type Table, tableOf } from './table.ts'
import { zonedIn } from './zoned.ts'

const RECORD_SEPARATOR = 0x1e

/** The formats of files to load, with the name endings that identify them. */
const FORMATS = {
  ndjson: [],
  objects: [],
  geojson: [],
  json: [],
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
  /** The error of a table that is not UTF-8. Then its header is read in the encoding that is likely. */
  readonly wrongBytes: NeedError | null
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
  let start = isSheet ? NO_TEXT : await headOf(file, MAX_LINE, options.encoding)
  const found = isSheet ? 'xlsx' : (format ?? formatOf(file, start.head))
  const isTable = found === 'csv' || found === 'xlsx'
  const { names = {}, layout = {} } = options
  const wrongBytes = isTable && start.head.includes('\ufffd') ? await checkText(file, start.encoding) : null
  if (wrongBytes !== null) start = await headOf(file, MAX_LINE, LIKELY_ENCODING)
  const table = isTable ? await tableOf({ ...start, file, names, layout }, isSheet) : null
  if (table?.header.length === 0) {
    const other = layout.sheet === undefined ? '. --sheet names another one' : ''
    const sheet =
      'sheet' in table.form
        ? `the sheet ${shown(table.form.sheet)} is empty: fill it${other}`
        : 'the file is empty: get the whole file'
    throw new LoadError(`${file}: ${sheet}`)
  }
  return { ...start, format: found, table, wrongBytes }
}

/** Returns the error of a table whose head has wrong bytes, if another encoding is likely. Throws LoadError if none is. */
async function checkText(file: string, encoding: string | undefined): Promise<NeedError | null> {
  let length = 0
  try {
    for await (const text of textsOf(file, { encoding })) {
      length += text.length
      if (length >= MAX_LINE) break
    }
    return null
  } catch (error) {
    if (error instanceof NeedError) return error
    throw error
  }
}

const NO_TEXT: Head = { head: '', encoding: undefined, isWhole: true, isMarked: false }

function formatOf(file: string, head: string): FileFormat {
  const name = file.toLowerCase().replace(/\.gz$/, '')
  const named = NAMES.find((format) => FORMATS[format].some((end) => name.endsWith(end)))
  if (head.charCodeAt(0) === RECORD_SEPARATOR) return 'geojsonseq'
  if (named !== 'csv' && (isArray(head) || (/\.json$/.test(name) && head.trimStart().startsWith('[')))) return 'json'
  if (named === 'csv' || !head.trimStart().startsWith('{'))
    return named ?? (/\.(nd)?json|\.jsonl/.test(name) || head.trim() === '' ? 'ndjson' : 'csv')
  const first = firstObject(head)
  if (first !== null && typeof first.kind === 'string' && Object.hasOwn(KIND_FIELDS, first.kind)) return 'ndjson'
  if (first?.type === 'Feature') return 'geojsonl'
  if (first !== null && 'features' in first) return 'geojson'
  const list = listIn(head)
  if (list !== null && list !== 'features' && isAround(first, head)) return 'json'
  if (first !== null && 'results' in first) return 'geojson'
  if (first !== null && !('type' in first) && named === undefined) return 'objects'
  return named ?? (/\.geojson$|\.json$/.test(name) || first === null ? cutOff(head) : 'objects')
}

/** Tests if the object at the head of a file is no event, but has a list of others. `first` is the object on the first line. */
function isAround(first: Record<string, unknown> | null, head: string): boolean {
  if (first === null) return !/^\s*\{\s*"kind"|"type"\s*:\s*"Feature"/.test(head)
  const isAlone = !head.trim().includes('\n') && !usualOf('start').some((name) => name in first)
  return isAlone && !/"type"\s*:\s*"Feature"/.test(head)
}

/** Returns the format of a text that starts with an object of several lines, or with an object that is cut off. */
const cutOff = (head: string): FileFormat => (/^\s*\{\s*"kind"/.test(head) ? 'ndjson' : 'geojson')

function firstObject(head: string): Record<string, unknown> | null {
  const value = orUndefined(() => JSON.parse(head.trimStart().split('\n', 1).join('')))
  return isObject(value) ? value : null
}

/**
 * A record of a file, or the reason why it cannot be read, with its external id if that can be read. `number` counts
 * lines or features, from 1.
 */
type FileItem = { readonly number: number } & (
  | { readonly record: DraftRecord }
  | { readonly fault: string; readonly key?: string | null }
)

/** A file and the settings for reading it. */
export interface SourceFile extends Recognised {
  readonly file: string
  readonly options: EventOptions
  readonly statistics: ColumnStatistics
}

/** A file with a table. */
export interface SourceTable extends SourceFile {
  readonly table: Table
}

const TOO_LONG = `the line has more than ${MAX_LINE} characters: shorten its texts`

/** Returns the place of an item for messages. The first feature of a text sequence is item 2. */
export function placeOf({ file, format }: SourceFile, number: number): string {
  if (format === 'geojson') return `${file}, feature ${number}`
  if (format === 'json') return `${file}, object ${number}`
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
  const { file, format, options, encoding, head } = source
  const reading = { onBytes, encoding }
  const texts =
    format === 'geojson' || format === 'json'
      ? featuresOf(file, options.crs !== undefined, reading, format === 'json' ? (listIn(head) ?? '') : undefined)
      : linesOf(file, reading, format === 'geojsonseq' ? RECORD_SEPARATOR : undefined)
  for await (const { number, text, fault } of texts) {
    if (fault !== undefined) yield { number, content: text, fault }
    else if (text.length > MAX_LINE) yield { number, content: text, fault: TOO_LONG }
    else if (text.trim() !== '') yield { number, content: text }
  }
}

/** Reads all items of a file in order. Throws LoadError if the file cannot be read to its end. */
export async function* itemsOf(source: SourceFile, onBytes?: ReadOptions['onBytes']): AsyncGenerator<FileItem> {
  const { format, options, statistics, table } = source
  const zone = options.times?.zone ?? table?.header.flatMap((name) => zonedIn(name, options)?.zone ?? [])[0]
  const eventOf = eventReader({ ...options, times: { ...options.times, zone } }, (kind) => statistics.note(kind))
  let found: Item | null = null
  const read = (number: number, parse: () => DraftRecord | null) => {
    found = null
    return itemOf(number, parse, () => found && keyOf(found))
  }
  const readEvent = (item: Item): FileEvent => {
    found = item
    const event = eventOf(item)
    statistics.add(event, item)
    return event
  }
  if (table !== null) {
    for (const guess of table.guesses) statistics.guesses.add(guess)
    if (zone !== options.times?.zone) statistics.guesses.add(`Times are in the zone of their header, ${zone}`)
    for (const [option, value] of optionsOf(table)) statistics.found.set(option, value)
    const readRow = await rowItems({ ...source, table })
    for await (const row of rowsOf(source, table, onBytes)) {
      const item = read(row.line, () => {
        const cells = readRow(row)
        return cells && readEvent(cells)
      })
      // A sure comment is no item.
      const isCommon = item !== null && 'fault' in item && /^(#|\/\/|[%!;])/.test(String(row.cells[0]))
      const advice = isCommon
        ? `; if this line is a comment, use --comment ${asArgument(String(row.cells[0]).slice(0, 1))}`
        : ''
      if (item !== null) yield 'fault' in item ? { ...item, fault: item.fault + advice } : item
    }
    return
  }
  const [ofObject, ofFeature] = [objectItems(options, statistics), featureItems(options, statistics)]
  const isPlain = (value: unknown) => format === 'json' && !(isObject(value) && value.type === 'Feature')
  const readJson = (value: unknown) => (format === 'objects' || isPlain(value) ? ofObject : ofFeature)(value)
  const readText = format === 'ndjson' ? parseRecord : (text: string) => readEvent(readJson(parseJson(text)))
  for await (const { number, content, fault } of piecesOf(source, onBytes))
    yield (fault === undefined ? read(number, () => readText(content)) : null) ?? { number, fault: fault ?? '' }
}

/** Returns the item that `parse` reads, or its fault and the external id that `key` reads. Null: it is none. */
function itemOf(number: number, parse: () => DraftRecord | null, key: () => string | null): FileItem | null {
  try {
    const record = parse()
    return record && { number, record }
  } catch (error) {
    if (error instanceof ValueError) return { number, fault: error.message, key: key() }
    if (error instanceof SyntaxError)
      return { number, fault: 'not JSON: enter one whole object, such as {"type": "Feature", ...}' }
    throw error
  }
}
