import { addressOf } from '../load/api.ts'
import { LoadError } from '../load/error.ts'
import { databaseSource, type Source, serviceSource } from '../load/source.ts'
import { checkName, exportTo } from '../load/write.ts'
import { openStored } from '../local/stored.ts'
import { interruption, runCommand } from './command.ts'

const USAGE = `Usage: npm run export -- FILE [OPTION...]

Writes all observation types, event series and events as newline-delimited JSON, gzip if the name ends in .gz, which npm
run load takes back to the same data. All is of one moment: where the data changes meanwhile, it begins anew, and ends
with an error after the fifth time. The file has its name once it is whole.

  --persist-to DIR  of the local database there, as for npm start (default .wrangler/state)
  --from URL        of a service instead, by its API: what anyone sees, or with
  --key KEY         what this key sees; one that reads Hidden sees all
  --remote          of the deployed database instead, see docs/operating.md
  --help            this text`

await runCommand(
  {
    name: 'export',
    usage: USAGE,
    files: 1,
    options: {
      'persist-to': { type: 'string' },
      from: { type: 'string' },
      key: { type: 'string' },
      remote: { type: 'boolean', default: false },
    },
  },
  async (values, [file = '']) => {
    checkName(file)
    const { source, close } = await open(values)
    try {
      const { event, event_series } = await exportTo(source, file, { signal: interruption() })
      console.log(`Wrote ${event} events and ${event_series} event series to ${file}.`)
    } finally {
      await close()
    }
  },
)

interface Said {
  readonly 'persist-to'?: string
  readonly from?: string
  readonly key?: string
  readonly remote: boolean
}

/** The one source that is said. */
async function open(said: Said): Promise<{ source: Source; close: () => Promise<void> }> {
  const { 'persist-to': persistTo, from, key, remote } = said
  if ([persistTo !== undefined, remote, from !== undefined].filter(Boolean).length > 1)
    throw new LoadError('--persist-to, --remote and --from each say what to export: say one')
  if (key !== undefined && from === undefined) throw new LoadError('--key goes with --from URL')
  if (from !== undefined)
    return { source: serviceSource({ address: addressOf('--from', from), key: key ?? null }), close: async () => {} }
  const { db, close } = await openStored(persistTo, remote)
  return { source: databaseSource(db), close }
}
