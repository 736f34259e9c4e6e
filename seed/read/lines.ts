import { MAX_LINE } from '../../src/store/records.ts'
import { LoadError } from '../load/error.ts'
import { chunksOf, NOT_UTF8, type ReadOptions, textOf } from './bytes.ts'

/** A line without its end, and its number from 1. `fault` says why the text cannot be read. */
export type Line = { readonly number: number; readonly text: string; readonly fault?: string }

const NEWLINE = 0x0a

/**
 * Reads the lines of a text file. `end` is the byte that ends each line. Throws LoadError if the file cannot be read,
 * or if a line is more than 6 MB long.
 */
export async function* linesOf(file: string, options?: ReadOptions, end = NEWLINE): AsyncGenerator<Line> {
  let number = 0
  let rest: Uint8Array = new Uint8Array()
  for await (const chunk of chunksOf(file, options)) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let from = 0
    for (let to = bytes.indexOf(end); to >= 0; to = bytes.indexOf(end, from)) {
      number += 1
      yield lineOf(number, bytes.subarray(from, to))
      from = to + 1
    }
    rest = bytes.subarray(from)
    if (rest.length > 3 * MAX_LINE) throw new LoadError(`${file}, line ${number + 1}: more than ${MAX_LINE} characters`)
  }
  if (rest.length > 0) yield lineOf(number + 1, Buffer.from(rest))
}

function lineOf(number: number, bytes: Buffer): Line {
  const text = textOf(bytes)
  if (text === null) return { number, text: bytes.toString(), fault: NOT_UTF8 }
  return { number, text: number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text }
}
