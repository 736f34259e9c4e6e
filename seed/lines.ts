import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { MAX_LINE } from '../src/write/records.ts'
import { LoadError } from './error.ts'

/** A line of a file, without its end, and its number from 1. */
export type Line = { readonly text: string; readonly number: number }

const CHUNK = 256 * 1024
const NEWLINE = 0x0a
const REPLACEMENT = '\ufffd'

/**
 * The lines of a UTF-8 text file, decompressed if its name ends in `.gz`; `onBytes` hears of each piece read from the
 * disk. Throws LoadError for a file that cannot be read, for a line that is not UTF-8 and for one that is far too long.
 */
export async function* linesOf(file: string, onBytes: (bytes: number) => void): AsyncGenerator<Line> {
  let number = 0
  let rest: Uint8Array = new Uint8Array()
  for await (const chunk of chunksOf(file, onBytes)) {
    const bytes = Buffer.concat([rest, chunk])
    let from = 0
    for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
      number += 1
      yield { text: decode(file, number, bytes.subarray(from, to)), number }
      from = to + 1
    }
    rest = bytes.subarray(from)
    if (rest.length > 3 * MAX_LINE) throw new LoadError(`${file}, line ${number + 1}: more than ${MAX_LINE} characters`)
  }
  if (rest.length > 0) yield { text: decode(file, number + 1, Buffer.from(rest)), number: number + 1 }
}

async function* chunksOf(file: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  const source = createReadStream(file, { highWaterMark: CHUNK })
  source.on('data', (chunk) => onBytes(chunk.length))
  const stream = file.endsWith('.gz') ? pipeline(source, createGunzip({ chunkSize: CHUNK }), () => {}) : source
  try {
    yield* stream
  } catch (cause) {
    throw new LoadError(`cannot read ${file}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

/** Malformed bytes decode to U+FFFD, which a text may also hold rightly. */
function decode(file: string, number: number, bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (text.includes(REPLACEMENT) && !isUtf8(bytes))
    throw new LoadError(`${file}, line ${number}: not UTF-8: convert it`)
  return number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text
}
