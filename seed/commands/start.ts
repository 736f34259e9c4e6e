import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'drizzle-orm'
import { eventSeries, events } from '../../schema/tables.ts'
import { LoadError } from '../load/error.ts'
import { loadFiles } from '../load/files.ts'
import { readRow } from '../load/rows.ts'
import { openDatabase } from '../local/database.ts'
import { countKeys, readKeys } from '../local/keys.ts'
import { ROOT, runWrangler, WRANGLER_ENV } from '../local/wrangler.ts'
import { runMain } from './command.ts'

const SEED = join(import.meta.dirname, '../seed.ndjson.gz')
const SECRETS = '.dev.vars'
const USAGE = `Usage: npm start [-- OPTION...]

Serves the API at http://localhost:8787 from a local database. It migrates the database first. If the database has no
series and no events, it loads seed/seed.ndjson.gz. It accepts all options of wrangler dev, for example:

  --port PORT                    listen on this port (default 8787)
  --ip ADDRESS                   listen on this address (default localhost)
  --persist-to DIR               use the local database in DIR (default .wrangler/state)
  --empty                        do not load the default data
  --var ANONYMOUS_LEVEL:Hidden   set a variable of wrangler.toml
  --help                         show this text`

await runMain('start', async (args) => {
  const help = { type: 'boolean', short: 'h' } as const
  const options = { help, empty: { type: 'boolean' }, 'persist-to': { type: 'string' } } as const
  const given = parseArgs({ args, options, strict: false }).values
  const folder = given['persist-to']
  if (given.help) return console.log(USAGE)
  if (folder === '' || typeof folder === 'boolean' || folder?.startsWith('-'))
    throw new LoadError('--persist-to needs a folder: enter one, such as --persist-to /tmp/state')
  await prepare(folder, given.empty === true)
  printKeys()
  const others = args.filter((arg) => arg !== '--empty')
  return runWrangler(['dev', ...others], { env: { ...process.env, ...WRANGLER_ENV } })
})

/**
 * Migrates the database and loads the seed if it is empty, unless `staysEmpty`. The seed fits into one transaction, so an interrupted start
 * leaves an empty or a full database.
 */
async function prepare(folder: string | undefined, staysEmpty: boolean): Promise<void> {
  const { db, close } = await openDatabase(folder)
  try {
    const row = await readRow(db, sql`SELECT 1 FROM ${eventSeries} UNION ALL SELECT 1 FROM ${events} LIMIT 1`)
    if (staysEmpty || row !== undefined) return
    const { totals } = await loadFiles(db, [SEED])
    console.log(`Loaded the seed: ${totals.event} events in ${totals.event_series} event series.`)
  } finally {
    await close()
  }
}

/** Prints how many keys `wrangler dev` will read. */
function printKeys(): void {
  const count = countKeys(readKeys(join(ROOT, SECRETS)))
  if (count === 0)
    console.log(`${SECRETS} has no keys, and writing needs one. Add a key: npm run key -- --write --add ${SECRETS}`)
  else console.log(`${count} ${count === 1 ? 'key' : 'keys'} in ${SECRETS}.`)
}
