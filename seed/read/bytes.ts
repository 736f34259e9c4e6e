import { isUtf8 } from 'node:buffer'
import { closeSync, createReadStream, openSync, readFileSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { orUndefined } from '../../src/base/errors.ts'
import { MAX_LINE } from '../../src/store/records.ts'
import { LoadError, NeedError, reasonOf } from '../load/error.ts'
import { decoderOf, markedEncoding } from './encoding.ts'

const CHUNK = 256 * 1024
const GZIP = '1f8b'
const NEWLINE = 0x0a
const REPLACEMENT = '\ufffd'
/** A NUL among so many first characters shows that a file is no text. */
const TESTED = 64

/** The first bytes of a workbook, which is a zip file. */
const ZIP = '504b0304'
const OLE = 'd0cf11e0'
/** A workbook with a password has this name in a container of the old kind. */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le')
/** Kinds of files that the loader does not read, with their first bytes. */
const FOREIGN = [
  [OLE, 'an old Excel workbook: save it as .xlsx or CSV'],
  ['53514c69746520666f726d6174', 'a GeoPackage or another SQLite database'],
  ['0000270a', 'a Shapefile'],
  ['666762', 'a FlatGeobuf file'],
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
  const isSecret = magic.startsWith(OLE) && readFileSync(file).includes(ENCRYPTED)
  if (isSecret) throw new LoadError(`${file} is a workbook with a password: save it without one`)
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

/** Returns the command that converts a file of geodata to GeoJSON. `source` is its name for ogr2ogr, with a layer. */
export const adviceFor = (file: string, source = JSON.stringify(file)): string =>
  `: convert it, such as by ogr2ogr -t_srs EPSG:4326 ${JSON.stringify(file.replace(/(\.\w+)?$/, '.geojson'))} ${source}`

const MARKUP = /^\s*<(?:\?xml|!doctype|html|gpx|kml|osm|rss|feed|\w+:\w+)\b/i
/** The layers of a GPX file, by the elements of their points. */
const LAYERS = [
  ['trkpt', 'track_points'],
  ['rtept', 'route_points'],
  ['wpt', 'waypoints'],
] as const

/** Throws LoadError for a text of XML or HTML. */
function refuseMarkup(file: string, head: string): void {
  if (!MARKUP.test(head)) return
  if (/^\s*<(!doctype )?html/i.test(head)) throw new LoadError(`${file} is a web page: download the data itself`)
  const [, kind = 'XML'] = /<(gpx|kml)\b/i.exec(head) ?? []
  const layer = kind.toLowerCase() === 'gpx' ? LAYERS.find(([element]) => head.includes(`<${element}`))?.[1] : undefined
  const source = `${JSON.stringify(file)}${layer === undefined ? '' : ` ${layer}`}`
  throw new LoadError(`${file} is a file of ${kind.toUpperCase()}${adviceFor(file, source)}`)
}

export const isZip = (file: string): boolean => startOf(file).startsWith(ZIP)

/** Returns the first 16 bytes of a file in hex. */
function startOf(file: string): string {
  const start = Buffer.alloc(16)
  try {
    const descriptor = openSync(file, 'r')
    readSync(descriptor, start)
    closeSync(descriptor)
  } catch (cause) {
    throw new LoadError(`cannot read ${file}: ${reasonOf(cause)}`, { cause })
  }
  return start.toString('hex')
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
    throw await wrongBytes(file, encoding, cause)
  }
}

/** Returns the error of a file with bytes that its encoding lacks. It names the first line with them. */
async function wrongBytes(file: string, encoding?: string, cause?: unknown): Promise<LoadError> {
  const { line, text, isMixed } = await firstWrong(file, encoding ?? 'utf-8')
  const place = `${file}, line ${line}`
  if (text.includes('\0')) return new LoadError(`${place}: ${NUL}`, { cause })
  if (encoding !== undefined)
    return new LoadError(`${place}: not ${encoding}: name the encoding that the file has`, { cause })
  const run = Array.from(text.matchAll(HIGH)).find(([bytes]) => !isUtf8(Buffer.from(bytes, 'latin1')))
  const hex = Buffer.from(run?.[0] ?? '', 'latin1')
    .toString('hex', 0, 8)
    .replace(/..(?=.)/g, '$& ')
  const around = text.slice(Math.max(0, (run?.index ?? 0) - BEFORE)).slice(0, 2 * BEFORE)
  const shown = JSON.stringify(decoderOf(LIKELY_ENCODING).decode(Buffer.from(around, 'latin1')))
  const fault = `${place}: the bytes ${hex} are not UTF-8: `
  if (isMixed) return new LoadError(`${fault}the lines before it are, so correct these bytes`, { cause })
  const advice = `name the encoding, such as --encoding ${LIKELY_ENCODING}, which reads ${shown}`
  return new NeedError(fault + advice, ['--encoding', LIKELY_ENCODING], { cause })
}

/** The encoding of most files that are not UTF-8. */
export const LIKELY_ENCODING = 'windows-1252'

const HIGH = /[\x80-\xff]+/g
const BEFORE = 20 // characters that a message shows before a wrong one

const NOT_UTF8 = 'not UTF-8: name the encoding, such as --encoding windows-1252'
const NUL = 'not a text, or UTF-16: name the encoding, such as --encoding utf-16le'

/** Finds the first line with bytes that an encoding lacks, in latin1. `isMixed`: a line before it has right bytes beyond ASCII. */
async function firstWrong(file: string, encoding: string) {
  const decoder = decoderOf(encoding)
  let [line, rest, isMixed] = [1, '', false]
  for await (const chunk of chunksOf(file)) {
    const all = rest + chunk.toString('latin1')
    const open = all.endsWith('\r') ? '\r' : '' // A line feed may follow.
    const lines = all.slice(0, all.length - open.length).split(/\r\n|\r|\n/)
    rest = (lines.pop() ?? '') + open
    for (const text of lines) {
      if (orUndefined(() => decoder.decode(Buffer.from(text, 'latin1'))) === undefined) return { line, text, isMixed }
      isMixed ||= /[\x80-\xff]/.test(text)
      line += 1
    }
  }
  return { line, text: rest, isMixed }
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
  refuseMarkup(file, head)
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
export const linesOf = (file: string, options: ReadOptions, end = NEWLINE): AsyncGenerator<Text> =>
  linesIn(utf8Of(file, options), file, end)

/** Splits the bytes of a text. `name` is for the error of a line that is too long. */
export async function* linesIn(chunks: AsyncIterable<Buffer>, name: string, end = NEWLINE): AsyncGenerator<Text> {
  let number = 0
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let from = 0
    for (let to = bytes.indexOf(end); to >= 0; to = bytes.indexOf(end, from)) {
      number += 1
      yield textOf(number, bytes.subarray(from, to))
      from = to + 1
    }
    rest = bytes.subarray(from)
    if (rest.length > 3 * MAX_LINE) throw new LoadError(`${name}, line ${number + 1}: more than ${MAX_LINE} characters`)
  }
  if (rest.length > 0) yield textOf(number + 1, rest)
}
