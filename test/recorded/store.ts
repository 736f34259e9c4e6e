import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import type { Answer } from './answer.ts'
import type { Request } from './service.ts'

export interface Exchange {
  readonly request: Request
  readonly answer: Answer
}

/** Requests in sequence, which start on the default data. */
export interface Sequence {
  /** Variables of the Worker. */
  readonly variables: Readonly<Record<string, string>>
  readonly exchanges: readonly Exchange[]
}

const FOLDER = join(import.meta.dirname, 'sequences')
const SUFFIX = '.ndjson.br'

/** Returns the names of the recorded sequences. */
export const sequenceNames = (): string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort()

export const readSequence = (name: string): Sequence => {
  const text = brotliDecompressSync(readFileSync(join(FOLDER, name + SUFFIX))).toString()
  const [first, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { variables: first, exchanges: lines }
}

/** Writes a sequence. Brotli finds equal parts 16 MB apart, and many answers are alike. */
export const writeSequence = (name: string, { variables, exchanges }: Sequence): void => {
  const lines = [variables, ...exchanges].map((line) => `${JSON.stringify(line)}\n`)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 9,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  }
  writeFileSync(join(FOLDER, name + SUFFIX), brotliCompressSync(lines.join(''), { params }))
}
