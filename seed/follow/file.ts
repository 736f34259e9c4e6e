import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { orUndefined } from '../../src/base/errors.ts'
import { fileRecordOf } from '../load/conversion.ts'
import { LoadError } from '../load/error.ts'
import type { Copy } from './follow.ts'
import type { Step } from './source.ts'

/**
 * Opens the copy in a file of lines. A line is a record of an export, a deletion or a mark. A mark ends the lines that
 * belong to it. Lines after the last mark are cut off, because an interrupted run wrote them.
 */
export function fileCopy(path: string, source: string): Copy {
  const next = `${path}.partial`
  let file = existsSync(path) ? openSync(path, 'a+') : null
  const found = file === null ? null : lastMark(file, path, source)
  let mark = found?.mark ?? null
  if (file !== null && found !== null) ftruncateSync(file, found.end)
  const append = (lines: readonly object[]): void => {
    if (file === null) throw new Error('The copy is not open.')
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    fsyncSync(file)
  }
  const close = (): void => {
    if (file !== null) closeSync(file)
    file = null
  }
  return {
    mark: () => mark,
    restart: async () => {
      close()
      file = openSync(next, 'w')
    },
    apply: async ({ steps, mark: last }) => {
      append([...steps.map(lineOf), ...(last === null ? [] : [{ kind: 'mark', source, mark: last }])])
      mark = last ?? mark
    },
    finish: async () => renameSync(next, path),
    close: async () => close(),
  }
}

const lineOf = (step: Step): object => (step.kind === 'gone' || step.kind === 'dropped' ? step : fileRecordOf(step))

/** The longest line with a mark, in bytes. */
const MARK_LENGTH = 4096

/** Reads the last mark of a file, and the place after its line. Throws LoadError for a file that is no copy of the service. */
function lastMark(file: number, path: string, source: string): { readonly mark: string; readonly end: number } {
  const block = Buffer.alloc(1 << 20)
  let text = Buffer.alloc(0)
  for (let from = fstatSync(file).size; from > 0; ) {
    const start = Math.max(0, from - block.length)
    const read = readSync(file, block, 0, from - start, start)
    text = Buffer.concat([block.subarray(0, read), text.subarray(0, MARK_LENGTH)])
    for (let end = text.lastIndexOf('\n'); end > 0; end = text.lastIndexOf('\n', end - 1)) {
      const line = text.subarray(text.lastIndexOf('\n', end - 1) + 1, end)
      const { kind, mark, source: own } = orUndefined(() => JSON.parse(line.toString())) ?? {}
      if (kind !== 'mark') continue
      if (own === source) return { mark, end: start + end + 1 }
      throw new LoadError(`${path} follows ${own}: enter that address after --from, or another file`)
    }
    from = start
  }
  throw new LoadError(`${path} is no copy of a service: enter the name of a new file`)
}
