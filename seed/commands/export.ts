import { at } from '../../src/base/collections.ts'
import { type ApiAccess, addressOf, asks, readsOf } from '../load/api.ts'
import { LoadError } from '../load/error.ts'
import { checkName, databaseSource, exportTo, serviceSource } from '../load/export.ts'
import { openStored } from '../local/database.ts'
import { counted } from '../read/statistics.ts'
import { interruption, keyIn, type Options, runCommand } from './command.ts'

const USAGE = `Usage: npm run export -- FILE [OPTION...]

Writes all observation types, event series and events to FILE as newline-delimited JSON. If the name ends in .gz, the
file is compressed with gzip. npm run load restores the same data from it. The file shows the data of one moment. If the
data changes during the export, it waits and starts again, for up to 30 minutes. FILE appears when it is complete.

  --persist-to DIR  export the local database in DIR, as for npm start (default .wrangler/state)
  --from URL        export from a service, through its API: only the series that everyone may see
  --key KEY         with --from: also the series that this key may see; a key that reads Hidden sees all. Default: the
                    variable EVENTS_KEY, which does not show in the list of processes
  --complete        with --from: fail if the key does not see all series
  --remote          export the deployed database, see docs/operating.md
  --quiet           print nothing, except a failure
  --help            show this text`

await runCommand({ name: 'export', usage: USAGE, files: 1 }, async (options, files) => {
  const file = at(files, 0)
  checkName(file)
  const { source, missing, close } = await open(options)
  try {
    if (options.flag('complete') && missing !== null)
      throw new LoadError(`${missing}. For --complete, enter --key KEY with a key that reads Hidden`)
    const { event, event_series } = await exportTo(source, file, { signal: interruption() })
    if (options.flag('quiet')) return
    console.log(`Wrote ${counted(event, 'event')} and ${event_series} event series to ${file}.`)
    if (missing !== null) console.log(`The file is not complete: ${missing}.`)
  } finally {
    await close()
  }
})

/** Opens the source that the options name. `missing` is a sentence about the series that it may leave out, or null. */
async function open(options: Options) {
  const { text, flag, refuseSeveral } = options
  refuseSeveral('source', 'persist-to', 'remote', 'from')
  const from = text('from')
  if (from !== undefined) {
    const api = { address: addressOf('--from', from), key: keyIn(options) }
    return { source: serviceSource(api), missing: await missingOf(api), close: async () => {} }
  }
  if (text('key') !== undefined) throw new LoadError('--key needs --from URL')
  const { db, close } = await openStored(text('persist-to'), flag('remote'))
  return { source: databaseSource(db), missing: null, close }
}

/** Returns a sentence about the series that a service hides. Null: it shows all. */
async function missingOf(api: ApiAccess): Promise<string | null> {
  const reads = await readsOf(asks(api))
  if (reads === 'Hidden') return null
  const caller = api.key === null ? 'anyone' : reads === null ? 'this key' : `a ${reads} key`
  return `it has only the series that ${caller} sees, and none above ${reads ?? 'that level'}`
}
