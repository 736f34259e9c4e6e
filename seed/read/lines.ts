import { MAX_LINE } from '../../src/store/records.ts'
import { LoadError } from '../load/error.ts'
import { chunksOf, type ReadOptions, type Text, textOf } from './bytes.ts'

const NEWLINE = 0x0a

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
