import { setTimeout } from 'node:timers/promises'
import { databaseCopy } from '../follow/database.ts'
import { fileCopy } from '../follow/file.ts'
import { sourceOf } from '../follow/source.ts'
import type { Copy } from '../follow/target.ts'
import { addressOf, RefusedRequest } from '../load/api.ts'
import { LoadError } from '../load/error.ts'
import { interruption, keyIn, runCommand } from './command.ts'

const USAGE = `Usage: npm run follow -- [FILE] --from URL [OPTION...]

Copies a service, and keeps the copy equal: also deletions, and series that are hidden or shown. The copy is a database, or
FILE with a line for each record and each deletion. See docs/loading.md. If the service cannot tell the changes any
more, it reads everything again into a new place, and then replaces the copy.

  --from URL        the service
  --key KEY         also the series that this key may see. Default: the variable EVENTS_KEY, which does not show in the list
                    of processes
  --persist-to DIR  keep a database in DIR, which nothing serves meanwhile
  --once            end when the copy is equal to the service, for cron
  --every SECONDS   ask so often (default 10)
  --quiet           print nothing, except a failure
  --help            show this text`

/** The status if the service cannot tell the changes after a mark. */
const GONE = 410

/** The longest pause before everything is read again, in seconds. */
const MOST_PAUSE = 3600

await runCommand({ name: 'follow', usage: USAGE, files: 1, mayLack: true }, async (options, [file]) => {
  const { text, flag } = options
  const [from, folder] = [text('from'), text('persist-to')]
  if (from === undefined) throw new LoadError('--from is missing: enter the address of the service')
  if ((file === undefined) === (folder === undefined))
    throw new LoadError('enter FILE, or a folder after --persist-to, but not both')
  const api = { address: addressOf('--from', from), key: keyIn(options) }
  const pause = Number(text('every') ?? 10)
  if (!(pause > 0 && pause <= 86_400)) throw new LoadError('--every needs a number of seconds up to 86400, such as 10')
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

interface Following {
  readonly signal: AbortSignal
  readonly isOnce: boolean
  readonly pause: number
  readonly say: (line: string) => void
}

/** Follows a service until a signal, or until the copy is equal. */
async function follow(copy: Copy, source: ReturnType<typeof sourceOf>, { signal, isOnce, pause, say }: Following) {
  const wait = (seconds: number) => setTimeout(1000 * seconds, undefined, { signal }).catch(() => {})
  let refusals = 0
  while (!signal.aborted) {
    const mark = copy.mark()
    const left = mark === null ? 'everything' : await applyChanges(copy, source, mark, say)
    if (left !== 'everything') refusals = 0
    if (left === 'nothing' && isOnce) return
    if (left === 'nothing') await wait(pause)
    if (left !== 'everything') continue
    if (mark !== null) say('The service cannot tell the changes since the last mark: reading everything again.')
    // A service that refuses each new mark is not read without end.
    if (refusals > 1) await wait(Math.min(MOST_PAUSE, 60 * 2 ** refusals))
    refusals += 1
    await readWhole(copy, source, signal, say)
  }
}

async function readWhole(copy: Copy, source: ReturnType<typeof sourceOf>, signal: AbortSignal, say: Following['say']) {
  await copy.restart()
  let records = 0
  for await (const part of source.whole()) {
    if (signal.aborted) return
    await copy.apply(part)
    records += part.steps.length
  }
  await copy.finish()
  say(`Read ${records.toLocaleString('en')} records.`)
}

/** Applies the changes of one answer. Returns the part that is left: `everything` if the service cannot tell the changes. */
async function applyChanges(
  copy: Copy,
  source: ReturnType<typeof sourceOf>,
  mark: string,
  say: Following['say'],
): Promise<'nothing' | 'more' | 'everything'> {
  const parts = source.after(mark)
  try {
    for (let steps = 0; ; ) {
      const { value, done } = await parts.next()
      if (done) {
        if (steps > 0) say(`Applied ${steps.toLocaleString('en')} changes.`)
        return value ? 'nothing' : 'more'
      }
      if (value.steps.length > 0 || value.mark !== mark) await copy.apply(value)
      steps += value.steps.length
    }
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === GONE) return 'everything'
    throw error
  }
}
