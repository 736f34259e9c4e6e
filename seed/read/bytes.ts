import { isUtf8 } from 'node:buffer'
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { MAX_LINE } from '../../src/store/records.ts'
import { LoadError, optionError, reasonOf } from '../load/error.ts'

const CHUNK = 256 * 1024
const GZIP = 0x1f8b
/** The first bytes of .xlsx and .zip files, and of .xls files. */
const WORKBOOKS = [0x504b0304, 0xd0cf11e0]
const NEWLINE = 0x0a
const REPLACEMENT = '\ufffd'
/** Stands for a character that an encoding lacks. */
const UNKNOWN = Buffer.from('?')

export interface ReadOptions {
  /** Receives each chunk from the disk before it is decompressed. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined
  /** The encoding of the text, such as windows-1252. Absent: UTF-8. */
  readonly encoding?: string | undefined
}

/**
 * Reads the bytes of a file. It recognises gzip by the content and decompresses it. Text in another encoding becomes
 * UTF-8. Throws LoadError if the file cannot be read, or is a workbook.
 */
export async function* chunksOf(file: string, { onBytes, encoding }: ReadOptions = {}): AsyncGenerator<Buffer> {
  const magic = magicOf(file)
  if (WORKBOOKS.includes(magic))
    throw new LoadError(`${file} is an Excel workbook or a zip file: save it as CSV, or unpack it`)
  const source = createReadStream(file, { highWaterMark: CHUNK })
  if (onBytes !== undefined) source.on('data', (chunk) => onBytes(chunk as Buffer))
  const stream = magic >>> 16 === GZIP ? pipeline(source, createGunzip({ chunkSize: CHUNK }), () => {}) : source
  try {
    yield* encoding === undefined ? stream : inUtf8(stream, encoding)
  } catch (cause) {
    if (cause instanceof LoadError) throw cause
    throw new LoadError(`cannot read ${file}: ${reasonOf(cause)}`, { cause })
  }
}

async function* inUtf8(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = decoderOf(encoding)
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false })
  } catch {
    const advice = 'enter the name of an encoding, such as windows-1252, iso-8859-15 or utf-16le'
    throw optionError('--encoding', encoding, advice)
  }
}

/** Returns the first four bytes of a file as a number. */
function magicOf(file: string): number {
  const start = Buffer.alloc(4)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, start)
    return start.readUInt32BE()
  } finally {
    closeSync(descriptor)
  }
}

/** Tests if a file begins with a byte order mark. Spreadsheets recognise UTF-8 and UTF-16 by it. */
export async function hasMark(file: string): Promise<boolean> {
  for await (const chunk of chunksOf(file))
    return /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/.test(chunk.toString('latin1', 0, 3))
  return false
}

/** Returns a function that writes text in an encoding. Without a name, it is UTF-8. */
export function encoderOf(name = 'utf-8'): (text: string) => Buffer {
  const decoder = decoderOf(name)
  if (decoder.encoding === 'utf-8') return (text) => Buffer.from(text)
  if (decoder.encoding === 'utf-16le') return (text) => Buffer.from(text, 'utf16le')
  if (decoder.encoding === 'utf-16be') return (text) => Buffer.from(text, 'utf16le').swap16()
  const bytesOf = tableOf(decoder)
  return (text) => Buffer.concat(Array.from(text, (character) => bytesOf.get(character) ?? UNKNOWN))
}

/** Returns the bytes of each character. Node has no encoders, so this asks the decoder for all sequences. */
function tableOf(decoder: TextDecoder): Map<string, Buffer> {
  const table = new Map<string, Buffer>()
  /** Returns false if the bytes are no character, but perhaps the start of one. */
  const add = (...bytes: number[]): boolean => {
    const buffer = Buffer.from(bytes)
    try {
      const text = decoder.decode(buffer)
      if (!table.has(text)) table.set(text, buffer)
      return true
    } catch {
      return false
    }
  }
  for (let first = 0; first < 256; first++)
    if (!add(first)) for (let second = 0x40; second < 256; second++) add(first, second)
  return table
}

/** Reads the start of a file until it has `length` bytes. The result may be longer, or the whole of a shorter file. */
export async function headOf(file: string, length: number, encoding?: string): Promise<string> {
  let head = Buffer.alloc(0)
  for await (const chunk of chunksOf(file, { encoding })) {
    head = Buffer.concat([head, chunk])
    if (head.length >= length) break
  }
  return head.toString('utf8').replace(/^\ufeff/, '')
}

/** A line or a feature, and its number from 1. `fault` says why the text cannot be read. */
export type Text = { readonly number: number; readonly text: string; readonly fault?: string }

/** Decodes a line or a feature. U+FFFD alone proves no fault, because a valid text may contain it. */
export function textOf(number: number, bytes: Buffer): Text {
  const text = bytes.toString('utf8')
  if (text.includes(REPLACEMENT) && !isUtf8(bytes))
    return { number, text, fault: 'not UTF-8: name the encoding, such as --encoding windows-1252' }
  return { number, text: number === 1 ? text.replace(/^\ufeff/, '') : text }
}

/**
 * Reads the lines of a text file. `end` is the byte that ends each line. Throws LoadError if the file cannot be read,
 * or if a line is more than 6 MB long.
 */
export async function* linesOf(file: string, options?: ReadOptions, end = NEWLINE): AsyncGenerator<Text> {
  let number = 0
  let rest = Buffer.alloc(0)
  for await (const chunk of chunksOf(file, options)) {
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
