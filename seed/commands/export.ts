import { type Api, addressOf, readsOf } from '../load/api.ts'
import { LoadError } from '../load/error.ts'
import { databaseSource, type Source, serviceSource } from '../load/source.ts'
import { checkName, exportTo } from '../load/write.ts'
import { openStored } from '../local/stored.ts'
import { interruption, runCommand } from './command.ts'

const USAGE = `Usage: npm run export -- FILE [OPTION...]

Writes all observation types, event series and events as newline-delimited JSON, gzip if the name ends in .gz, which npm
run load takes back to the same data. All is of one moment: if the data changes meanwhile, the export waits and begins
again, for up to 30 minutes. The file has its name once it is whole.

  --persist-to DIR  of the local database there, as for npm start (default .wrangler/state)
  --from URL        of a service instead, by its API: what anyone sees, or with
  --key KEY         what this key sees; one that reads Hidden sees all
  --complete        refuse to leave out series that the key does not see
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
      complete: { type: 'boolean', default: false },
      remote: { type: 'boolean', default: false },
    },
  },
  async (values, [file = '']) => {
    checkName(file)
    const { source, missing, close } = await open(values)
    try {
      if (values.complete && missing !== null)
        throw new LoadError(`${missing}: --complete needs --key KEY of a key that reads Hidden`)
      const { event, event_series } = await exportTo(source, file, { signal: interruption() })
      console.log(`Wrote ${event} events and ${event_series} event series to ${file}.`)
      if (missing !== null) console.log(`The file is not complete: ${missing}.`)
    } finally {
      await close()
    }
  },
)

interface SourceOptions {
  readonly 'persist-to'?: string
  readonly from?: string
  readonly key?: string
  readonly remote: boolean
}

interface Opened {
  readonly source: Source
  /** A sentence about the series that the source may leave out. Null: it leaves out none. */
  readonly missing: string | null
  readonly close: () => Promise<void>
}

/** Opens the source that the options name. */
async function open(options: SourceOptions): Promise<Opened> {
  const { 'persist-to': persistTo, from, key, remote } = options
  if ([persistTo !== undefined, remote, from !== undefined].filter(Boolean).length > 1)
    throw new LoadError('--persist-to, --remote and --from each say what to export: say one')
  if (key !== undefined && from === undefined) throw new LoadError('--key goes with --from URL')
  if (from !== undefined) {
    const api = { address: addressOf('--from', from), key: key ?? null }
    return { source: serviceSource(api), missing: await missingOf(api), close: async () => {} }
  }
  const { db, close } = await openStored(persistTo, remote)
  return { source: databaseSource(db), missing: null, close }
}

async function missingOf(api: Api): Promise<string | null> {
  const reads = await readsOf(api)
  if (reads === 'Hidden') return null
  const caller = api.key === null ? 'anyone' : reads === null ? 'this key' : `a ${reads} key`
  return `it has what ${caller} sees, and series above ${reads ?? 'that level'} are not in it`
}
