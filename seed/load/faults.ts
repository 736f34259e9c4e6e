import { createWriteStream, existsSync, realpathSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { orUndefined } from '../../src/base/errors.ts'
import { parseJson } from '../../src/base/json.ts'
import { isObject } from '../../src/model/kinds.ts'
import { type Dialect, indexAfter } from '../read/csv.ts'
import { numberForm } from '../read/decimal.ts'
import { encoderOf } from '../read/encoding.ts'
import { REASON } from '../read/fields.ts'
import type { TableCell, TableRow } from '../read/header.ts'
import { piecesOf, placeOf, type SourceFile } from '../read/items.ts'
import { rowsOf, type Table } from '../read/table.ts'
import { LoadError } from './error.ts'

const SHOWN = 3
const { compare: byNumber } = new Intl.Collator('en', { numeric: true })
const MAX_KINDS = 20

/** Returns the kind of a fault. It is the reason without the faulty value and with 0 for each number. */
const kindOf = (reason: string): string => reason.replace(/ is .*: (enter|use) /s, ' is …: $1 ').replace(/\d+/g, '0')

export type OnFault = (reason: string, place: () => string) => void

/** Collects the faults in the records of files, grouped by kind. */
export function createFaults(onFault?: OnFault) {
  const kinds = new Map<string, { count: number; readonly first: string[] }>()
  let [count, others] = [0, 0]
  return {
    add: (reason: string, place: () => string): void => {
      count += 1
      onFault?.(reason, place)
      const name = kindOf(reason)
      const kind = kinds.get(name) ?? { count: 0, first: [] }
      if (kinds.size < MAX_KINDS) kinds.set(name, kind)
      if (!kinds.has(name)) others += 1
      kind.count += 1
      if (kind.first.length < SHOWN) kind.first.push(`${place()}: ${reason}`)
    },
    count: (): number => count,
    /** Returns the first three faults of each kind in the order of their places, and the numbers of the others. */
    lines: (): string[] => [
      ...Array.from(kinds.values(), ({ count, first }) =>
        first.map((line, i) =>
          i + 1 === SHOWN && count > SHOWN ? `${line}\n  and ${count - SHOWN} more like these` : line,
        ),
      )
        .flat()
        .sort(byNumber),
      ...(others > 0 ? [`and ${others} faults of other kinds`] : []),
    ],
  }
}

/** The reasons of rejected items by their places. */
type Reasons = ReadonlyMap<string, string>

/**
 * Collects the items that a load leaves out. `write` writes them from the source file in its form, so that the same
 * command loads them after a correction. Returns null without `--rejects`. Throws LoadError for several files, or if the
 * output would overwrite the source.
 */
export function rejectsOf(target: string | undefined, files: readonly string[]) {
  if (target === undefined) return null
  if (files.length > 1) throw new LoadError('--rejects needs the format of one FILE: load one file at a time')
  if (existsSync(target) && files.some((file) => existsSync(file) && realpathSync(file) === realpathSync(target)))
    throw new LoadError(`--rejects would overwrite ${target}: enter another name`)
  const reasons = new Map<string, string>()
  const onFault: OnFault = (reason, place) => reasons.set(place(), reason)
  const write = async (source: SourceFile): Promise<void> => {
    const encode = encoderOf(source.encoding)
    async function* bytes() {
      if (source.isMarked) yield encode('\ufeff')
      const rejected =
        source.table === null ? rejectedItems(source, reasons) : rejectedRows(source, source.table, reasons)
      for await (const text of rejected) yield encode(text)
    }
    await pipeline(Readable.from(bytes()), createWriteStream(target))
  }
  return { onFault, write }
}

/** Yields the rejected rows of a table as CSV, below the lines that the options skip. A last column has the reasons. */
async function* rejectedRows(source: SourceFile, table: Table, reasons: Reasons): AsyncGenerator<string> {
  const { header, skipped, form } = table
  const dialect = 'sheet' in form ? { delimiter: ',', isQuoted: true } : form
  // Rows that were rejected before get the new reason.
  const width = header.at(-1) === REASON ? header.length - 1 : header.length
  // The same options read the numbers of a workbook from its rejects.
  const { decimal } = numberForm(source.options, () => '.')
  const textOf = (cell: TableCell) => (typeof cell === 'number' ? String(cell).replace('.', decimal) : String(cell))
  const lineOf = (cells: TableRow['cells'], reason: string) =>
    `${[...cells, reason].map((cell) => quoted(textOf(cell), dialect)).join(dialect.delimiter)}\r\n`
  yield 'sheet' in form ? '\r\n'.repeat(skipped) : source.head.slice(0, indexAfter(source.head, skipped))
  yield lineOf(header.slice(0, width), REASON)
  for await (const { line, cells } of rowsOf(source, table)) {
    const reason = reasons.get(placeOf(source, line))
    if (reason !== undefined) yield lineOf(header.length === width ? cells : cells.slice(0, width), reason)
  }
}

/** Yields the rejected items of a file of JSON, in its format. */
async function* rejectedItems(source: SourceFile, reasons: Reasons): AsyncGenerator<string> {
  const { format, options } = source
  const [isCollection, isArray] = [format === 'geojson', format === 'json']
  const crs = options.crs && { crs: { type: 'name', properties: { name: `EPSG:${options.crs.srid}` } } }
  if (isCollection) yield JSON.stringify({ type: 'FeatureCollection', ...crs, features: [] }).slice(0, -2)
  if (isArray) yield '['
  let between = '\n'
  for await (const { number, content } of piecesOf(source)) {
    const reason = reasons.get(placeOf(source, number))
    if (reason === undefined) continue
    const text = format === 'ndjson' ? content : withReason(content, reason)
    if (isCollection || isArray) yield `${between}${text}`
    else yield `${format === 'geojsonseq' ? '\x1e' : ''}${text}\n`
    between = ',\n'
  }
  if (isCollection || isArray) yield isArray ? '\n]\n' : '\n]}\n'
}

/** Returns the JSON of an object on one line, with the reason. Returns any other text unchanged. */
function withReason(text: string, reason: string): string {
  const value = orUndefined(() => parseJson(text))
  return isObject(value) ? JSON.stringify({ ...value, [REASON]: reason }) : text
}

const quoted = (cell: string, { delimiter, isQuoted }: Dialect): string =>
  isQuoted && (cell.includes(delimiter) || /["\r\n]|^\s|\s$/.test(cell)) ? `"${cell.replaceAll('"', '""')}"` : cell
