import { isUtf8 } from 'node:buffer'
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { LoadError } from '../load/error.ts'

const CHUNK = 256 * 1024
const GZIP = 0x1f8b
const REPLACEMENT = '\ufffd'

/** Hears of each piece that is read from the disk, as it is there. */
export type OnBytes = (bytes: Buffer) => void

/** The bytes of a file, decompressed if they are gzip, whatever its name. Throws LoadError for what cannot be read. */
export async function* chunksOf(file: string, onBytes: OnBytes = () => {}): AsyncGenerator<Buffer> {
  const source = createReadStream(file, { highWaterMark: CHUNK })
  source.on('data', (chunk) => onBytes(chunk as Buffer))
  const stream = isGzip(file) ? pipeline(source, createGunzip({ chunkSize: CHUNK }), () => {}) : source
  try {
    yield* stream
  } catch (cause) {
    throw new LoadError(`cannot read ${file}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

function isGzip(file: string): boolean {
  const start = Buffer.alloc(2)
  const descriptor = openSync(file, 'r')
  try {
    return readSync(descriptor, start) === 2 && start.readUInt16BE() === GZIP
  } finally {
    closeSync(descriptor)
  }
}

/** The first bytes of a file, at least so many if it has them. */
export async function headOf(file: string, length: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let read = 0
  for await (const chunk of chunksOf(file)) {
    chunks.push(Buffer.from(chunk))
    read += chunk.length
    if (read >= length) break
  }
  return Buffer.concat(chunks)
}

/** The text of UTF-8, or null for what is none: malformed bytes decode to U+FFFD, which a text may also hold rightly. */
export function textOf(bytes: Buffer): string | null {
  const text = bytes.toString('utf8')
  return text.includes(REPLACEMENT) && !isUtf8(bytes) ? null : text
}

/** Why a place of a file is refused that `textOf` gives no text of. */
export const NOT_UTF8 = 'not UTF-8: convert it'
