import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'drizzle-orm'
import { eventSeries, events } from '../../schema/tables.ts'
import { LoadError } from '../load/error.ts'
import { loadFiles } from '../load/files.ts'
import { readRow } from '../load/rows.ts'
import { openDatabase, STATE } from '../local/database.ts'
import { writePostgresConfig } from '../local/deployment.ts'
import { holdDatabase } from '../local/hold.ts'
import { countKeys, readKeys } from '../local/keys.ts'
import { ROOT, runWrangler, wranglerEnv } from '../local/wrangler.ts'
import { checkedService } from '../postgres/service.ts'
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
  --postgres ADDRESS             serve a PostgreSQL database instead, such as postgres://events_reader@localhost/events.
                                 See docs/postgres.md. The password may be in the variable PGPASSWORD, which does not
                                 show in the list of processes
  --var ANONYMOUS_LEVEL:Hidden   set a variable of wrangler.toml
  --help                         show this text`

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  empty: { type: 'boolean' },
  'persist-to': { type: 'string' },
  postgres: { type: 'string' },
} as const

await runMain('start', async (args) => {
  const { values, tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true })
  if (values.help) return console.log(USAGE)
  const own = tokens.flatMap((token) => {
    if (token.kind !== 'option' || (token.name !== 'empty' && token.name !== 'postgres')) return []
    return token.value === undefined || token.inlineValue ? [token.index] : [token.index, token.index + 1]
  })
  const others = args.filter((_, i) => !own.includes(i)) // wrangler does not know all options of this command
  if (values.postgres === undefined) return serveLocal(others, values['persist-to'], values.empty === true)
  if (values.empty) throw new LoadError('--empty is for a local database: leave it out with --postgres')
  return servePostgres(others, textIn(values.postgres))
})

/** Returns the value of an option. Undefined: it has none. */
function textIn(value: string | boolean | undefined): string | undefined {
  return typeof value !== 'string' || value === '' || value.startsWith('-') ? undefined : value
}

/** Serves the local database in a folder. */
async function serveLocal(args: readonly string[], given: string | boolean | undefined, staysEmpty: boolean) {
  const folder = textIn(given)
  if (given !== undefined && folder === undefined)
    throw new LoadError('--persist-to needs a folder: enter one, such as --persist-to /tmp/state')
  process.once('exit', holdDatabase(folder ?? STATE))
  await prepare(folder, staysEmpty)
  printKeys('writing needs one', '--write')
  return runWrangler(['dev', ...args], { env: wranglerEnv() })
}

/** Serves a database of PostgreSQL. Its address goes to wrangler in a variable: all users see arguments. */
async function servePostgres(args: readonly string[], address: string | undefined) {
  const { variables, advice } = await checkedService(address)
  const config = await writePostgresConfig()
  for (const sentence of advice) console.log(sentence)
  printKeys('reading more than Public needs one', '--read Hidden')
  const env = { ...wranglerEnv(), ...variables }
  return runWrangler(['dev', '--config', config, ...args], { env })
}

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

/** Prints how many keys `wrangler dev` will read, and how to add one with some rights. */
function printKeys(need: string, rights: string): void {
  const count = countKeys(readKeys(join(ROOT, SECRETS)))
  if (count === 0)
    console.log(`${SECRETS} has no keys, and ${need}. Add a key: npm run key -- ${rights} --add ${SECRETS}`)
  else console.log(`${count} ${count === 1 ? 'key' : 'keys'} in ${SECRETS}.`)
}
