import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { sql } from 'drizzle-orm'
import { textOf } from '../../schema/sql.ts'
import { eventSeries, events } from '../../schema/tables.ts'
import { LoadError } from '../load/error.ts'
import { loadFiles } from '../load/files.ts'
import { openDatabase } from '../local/database.ts'
import { countKeys, readKeys } from '../local/keys.ts'
import { ROOT, WRANGLER, WRANGLER_ENV } from '../local/wrangler.ts'
import { SIGNALS } from './command.ts'

const SEED = join(import.meta.dirname, '../seed.ndjson.gz')
const SECRETS = '.dev.vars'
const USAGE = `Usage: npm start [-- OPTION...]

Serves the API at http://localhost:8787 from a local database. It migrates the database first. If the database has no
series and no events, it loads seed/seed.ndjson.gz. It accepts all options of wrangler dev, for example:

  --port PORT                    listen on this port (default 8787)
  --ip ADDRESS                   listen on this address (default localhost)
  --persist-to DIR               use the local database in DIR (default .wrangler/state)
  --var ANONYMOUS_LEVEL:Hidden   set a variable of wrangler.toml
  --help                         show this text`

process.exitCode = await main(process.argv.slice(2))

async function main(args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(USAGE)
    return 0
  }
  try {
    await prepare(persistTo(args))
    printKeys()
  } catch (error) {
    if (!(error instanceof LoadError)) throw error
    console.error(`start: ${error.message}`)
    return 1
  }
  return serve(args)
}

/** Returns the folder of the last --persist-to, as wrangler does. */
function persistTo(args: string[]): string | undefined {
  const index = args.findLastIndex((arg) => arg === '--persist-to' || arg.startsWith('--persist-to='))
  const arg = args[index]
  if (arg === undefined) return undefined
  const folder = arg === '--persist-to' ? args[index + 1] : arg.slice('--persist-to='.length)
  if (!folder || folder.startsWith('-'))
    throw new LoadError('--persist-to needs a folder: enter one, such as --persist-to /tmp/state')
  return folder
}

/**
 * Migrates the database and loads the seed if it is empty. The seed fits into one transaction, so an interrupted start
 * leaves an empty or a full database.
 */
async function prepare(folder: string | undefined): Promise<void> {
  const { db, close } = await openDatabase(folder)
  try {
    if (!(await isEmpty(db))) return
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

async function isEmpty(db: D1Database): Promise<boolean> {
  const filled = sql`SELECT EXISTS (SELECT 1 FROM ${eventSeries}) OR EXISTS (SELECT 1 FROM ${events}) AS filled`
  return (await db.prepare(textOf(filled)).first('filled')) === 0
}

/** Runs `wrangler dev` to its end and returns its exit code. */
function serve(args: string[]): Promise<number> {
  const env = { ...process.env, ...WRANGLER_ENV }
  const child = spawn(process.execPath, [WRANGLER, 'dev', ...args], { stdio: 'inherit', env })
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  })
}
