import { databaseCopy } from '../follow/database.ts'
import { fileCopy } from '../follow/file.ts'
import { follow } from '../follow/follow.ts'
import { sourceOf } from '../follow/source.ts'
import { addressOf } from '../load/api.ts'
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
