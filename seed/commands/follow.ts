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
import { databaseCopy } from '../follow/database.ts'
import { type Copy, follow } from '../follow/follow.ts'
import { type Step, sourceOf } from '../follow/source.ts'
import { addressOf } from '../load/api.ts'
import { fileRecordOf } from '../load/conversion.ts'
import { LoadError } from '../load/error.ts'
import { interruption, keyIn, pauseIn, runCommand } from './command.ts'

const USAGE = `Usage: npm run follow -- [FILE] --from URL [OPTION...]

Copies a service, and keeps the copy equal: also deletions, and series that are hidden or shown. The copy is a database, or
FILE with a line for each record and each deletion. See docs/loading.md. If the service cannot tell the changes any
more, it reads everything again into a new place, and then replaces the copy.

  --from URL        the service
  --key KEY         also the series that this key may see. Default: the variable EVENTS_KEY, which does not show in the list
                    of processes
  --persist-to DIR  keep a database in DIR. npm run serve -- --follow keeps one and serves it
  --once            end when the copy is equal to the service, for cron
  --every SECONDS   ask so often (default 10)
  --quiet           print nothing, except a failure
  --help            show this text`

/**
 * Opens the copy in a file of lines. A line is a record of an export, a deletion or a mark. A mark ends the lines that
 * belong to it. Lines after the last mark are cut off, because an interrupted run wrote them.
 */
function fileCopy(path: string, source: string): Copy {
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

await runCommand({ name: 'follow', usage: USAGE, files: 1, mayLack: true }, async (options, [file]) => {
  const { text, flag } = options
  const [from, folder] = [text('from'), text('persist-to')]
  if (from === undefined) throw new LoadError('--from is missing: enter the address of the service')
  if ((file === undefined) === (folder === undefined))
    throw new LoadError('enter FILE, or a folder after --persist-to, but not both')
  const api = { address: addressOf('--from', from), key: keyIn(options) }
  const pause = pauseIn(text('every'))
  const copy = folder === undefined ? fileCopy(file ?? '', api.address) : await databaseCopy(folder, api.address)
  const signal = interruption()
  const say = (line: string): void => {
    if (!flag('quiet')) console.log(line)
  }
  try {
    await follow(copy, sourceOf(api), { signal, isOnce: flag('once'), pause, say })
  } finally {
    await copy.close()
  }
})
