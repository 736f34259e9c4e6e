import { isUtf8 } from 'node:buffer'
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { MAX_LINE } from '../../src/store/records.ts'
import { LoadError, reasonOf } from '../load/error.ts'
import { countLines } from './csv.ts'
import { decoderOf, markedEncoding } from './encoding.ts'

const CHUNK = 256 * 1024
const GZIP = '1f8b'
const NEWLINE = 0x0a
const REPLACEMENT = '\ufffd'
/** A NUL among so many first characters shows that a file is no text. */
const TESTED = 64

/** The first bytes of a workbook, which is a zip file. */
const ZIP = '504b0304'
/** Kinds of files that the loader does not read, with their first bytes. */
const FOREIGN = [
  ['d0cf11e0', 'an old Excel workbook: save it as .xlsx or CSV'],
  ['53514c69746520666f726d6174', 'a GeoPackage or another SQLite database'],
  ['0000270a', 'a Shapefile'],
  ['664762', 'a FlatGeobuf file'],
  ['50415231', 'a Parquet file'],
] as const

export interface ReadOptions {
  /** Receives each chunk from the disk before it is decompressed. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined
  /** The encoding of the text, such as windows-1252. Absent: UTF-8. */
  readonly encoding?: string | undefined
}

/**
 * Reads the bytes of a file. It recognises gzip by the content and decompresses it. Throws LoadError if the file cannot be
 * read, or is of a kind that the loader does not read.
 */
export async function* chunksOf(file: string, onBytes?: ReadOptions['onBytes']): AsyncGenerator<Buffer> {
  const magic = startOf(file)
  const foreign = FOREIGN.find(([start]) => magic.startsWith(start))?.[1]
  if (foreign !== undefined) throw new LoadError(`${file} is ${foreign}${foreign.includes(':') ? '' : adviceFor(file)}`)
  const source = createReadStream(file, { highWaterMark: CHUNK })
  if (onBytes !== undefined) source.on('data', (chunk) => onBytes(chunk as Buffer))
  const stream = magic.startsWith(GZIP) ? pipeline(source, createGunzip({ chunkSize: CHUNK }), () => {}) : source
  try {
    yield* stream
  } catch (cause) {
    throw new LoadError(`cannot read ${file}: ${reasonOf(cause)}`, { cause })
  }
}

/** Returns the command that converts a file of geodata to GeoJSON. */
const adviceFor = (file: string): string =>
  `: convert it, such as by ogr2ogr -t_srs EPSG:4326 ${JSON.stringify(file.replace(/(\.\w+)?$/, '.geojson'))} ${JSON.stringify(file)}`

export const isZip = (file: string): boolean => startOf(file).startsWith(ZIP)

/** Returns the first 16 bytes of a file in hex. */
function startOf(file: string): string {
  const start = Buffer.alloc(16)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, start)
    return start.toString('hex')
  } finally {
    closeSync(descriptor)
  }
}

/** Reads a file as UTF-8, from any encoding. Bytes that are wrong in UTF-8 stay. */
export async function* utf8Of(file: string, { onBytes, encoding }: ReadOptions): AsyncGenerator<Buffer> {
  if (encoding === undefined) return yield* chunksOf(file, onBytes)
  for await (const text of textsOf(file, { onBytes, encoding })) yield Buffer.from(text)
}

/** Decodes a file piece by piece. Throws LoadError that names the first line with wrong bytes. */
export async function* textsOf(file: string, { onBytes, encoding }: ReadOptions): AsyncGenerator<string> {
  const decoder = decoderOf(encoding ?? 'utf-8')
  try {
    for await (const chunk of chunksOf(file, onBytes)) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    const { line, head } = await firstWrong(file, encoding ?? 'utf-8')
    const advice = encoding === undefined ? NOT_UTF8 : `not ${encoding}: name the encoding that the file has`
    throw new LoadError(`${file}, line ${line}: ${head.includes('\0') ? NUL : advice}`, { cause })
  }
}

const NOT_UTF8 = 'not UTF-8: name the encoding, such as --encoding windows-1252'
const NUL = 'not a text, or UTF-16: name the encoding, such as --encoding utf-16le'

/** Finds the first line with bytes that an encoding lacks. */
async function firstWrong(file: string, encoding: string): Promise<{ line: number; head: string }> {
  const decoder = new TextDecoder(encoding)
  let [line, carried] = [1, '']
  for await (const chunk of chunksOf(file)) {
    const text = carried + decoder.decode(chunk, { stream: true })
    const wrong = text.indexOf(REPLACEMENT)
    if (wrong >= 0) return { line: line + countLines(text.slice(0, wrong)), head: text }
    carried = text.endsWith('\r') ? '\r' : '' // A line feed may follow.
    line += countLines(text.slice(0, text.length - carried.length))
  }
  return { line, head: '' }
}

/** The start of a file as text, and its encoding. The byte order mark decides, then the option. Absent: UTF-8. */
export interface Head {
  readonly head: string
  readonly encoding: string | undefined
  /** True: the head is the whole file. */
  readonly isWhole: boolean
  /** True: the file begins with a byte order mark. */
  readonly isMarked: boolean
}

/** Reads the start of a file until it has `length` bytes. The head may be longer. Wrong bytes become U+FFFD. */
export async function headOf(file: string, length: number, option?: string): Promise<Head> {
  let [bytes, isWhole] = [Buffer.alloc(0), true]
  for await (const chunk of chunksOf(file)) {
    isWhole = bytes.length < length
    if (!isWhole) break
    bytes = Buffer.concat([bytes, chunk])
  }
  const marked = markedEncoding(bytes)
  if (option !== undefined) decoderOf(option) // It refuses an unknown encoding.
  const encoding = marked === 'utf-8' ? undefined : (marked ?? option)
  const head = new TextDecoder(encoding).decode(bytes, { stream: !isWhole })
  if (head.slice(0, TESTED).includes('\0')) throw new LoadError(`${file}: ${NUL}`)
  return { head, encoding, isWhole, isMarked: marked !== undefined }
}

/** A line or a feature, and its number from 1. `fault` says why the text cannot be read. */
export type Text = { readonly number: number; readonly text: string; readonly fault?: string }

/** Decodes a line or a feature. U+FFFD alone proves no fault, because a valid text may contain it. */
export function textOf(number: number, bytes: Buffer): Text {
  const text = bytes.toString('utf8')
  if (text.includes(REPLACEMENT) && !isUtf8(bytes)) return { number, text, fault: NOT_UTF8 }
  return { number, text: number === 1 ? text.replace(/^\ufeff/, '') : text }
}

/**
 * Reads the lines of a text file. `end` is the byte that ends each line. Throws LoadError if the file cannot be read,
 * or if a line is more than 6 MB long.
 */
export async function* linesOf(file: string, options: ReadOptions, end = NEWLINE): AsyncGenerator<Text> {
  let number = 0
  let rest = Buffer.alloc(0)
  for await (const chunk of utf8Of(file, options)) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let from = 0
    for (let to = bytes.indexOf(end); to >= 0; to = bytes.indexOf(end, from)) {
      number += 1
      yield textOf(number, bytes.subarray(from, to))
      from = to + 1
    }
    rest = bytes.subarray(from)
    if (rest.length > 3 * MAX_LINE) throw new LoadError(`${file}, line ${number + 1}: more than ${MAX_LINE} characters`)
  }
  if (rest.length > 0) yield textOf(number + 1, rest)
}
