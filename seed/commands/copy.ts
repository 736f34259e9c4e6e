import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { at } from '../../src/base/collections.ts'
import { orElse } from '../../src/base/errors.ts'
import { type LoadRecord, parseRecord } from '../../src/store/records.ts'
import { LoadError } from '../load/error.ts'
import { counter, type Report } from '../load/reading.ts'
import { type Counts, noTotals } from '../load/target.ts'
import { ROOT } from '../local/wrangler.ts'
import { connectTo, isAddress, refused } from '../postgres/connection.ts'
import { countsScript } from '../postgres/counts.ts'
import { schemaOfViews } from '../postgres/definition.ts'
import { indexesScript } from '../postgres/indexes.ts'
import { addRecords } from '../postgres/rows.ts'
import { linesOf } from '../read/bytes.ts'
import { counted } from '../read/statistics.ts'
import { interruption, runCommand } from './command.ts'
import { NO_PROGRESS, showProgress } from './progress.ts'

const USAGE = `Usage: npm run copy -- FILE ADDRESS [OPTION...]

Copies FILE, which npm run export wrote, into a PostgreSQL database with PostGIS. ADDRESS is such as
postgres://user@localhost/events. The password may be in the variable PGPASSWORD, which does not show in the list of
processes. The command makes the tables of schema/postgres/tables.sql, and refuses tables that have rows. All rows are
one transaction. Then it makes the indexes of grade B, and the counts of grade C.

  --quiet  print nothing, except a failure
  --help   show this text`

/** The records of one statement. */
const BATCH = 10_000

/** The tables that a copy fills, in an order in which they can be removed. */
const TABLES = ['event', 'event_series', 'observation_type']

interface CopyOptions {
  readonly report: Report
  readonly signal: AbortSignal
}

/**
 * Copies an export into the empty tables of schema/postgres/tables.sql, which it makes if they are missing. Then it
 * makes the indexes of grade B, and the counts and revisions of grade C. The rows are one transaction. Throws LoadError
 * if the file or the database has a fault. Null: the signal aborted, and nothing was stored.
 */
const copyExport = async (file: string, address: string, { report, signal }: CopyOptions): Promise<Counts | null> => {
  const client = await connect(address)
  try {
    await client.query('BEGIN')
    await run(client, scriptOf('tables'))
    await refuseRows(client)
    const totals = await copyRecords(client, file, { report, signal })
    if (totals === null) return null
    await run(client, scriptOf('series'))
    await client.query('COMMIT')
    // Each of the scripts runs whole or not at all. npm run indexes prints the missing ones.
    const schema = await schemaOfViews(client)
    await run(client, await indexesScript(client, schema))
    await run(client, await countsScript(client, schema))
    return totals
  } finally {
    await client.end() // Without COMMIT, the server rolls the transaction back.
  }
}

const scriptOf = (name: string): string => readFileSync(join(ROOT, `schema/postgres/${name}.sql`), 'utf8')

const connect = async (address: string): Promise<Client> => {
  if (isAddress(address)) return connectTo(address)
  throw new LoadError('the second argument is no address: enter one such as postgres://user@localhost/events')
}

/** Runs a script. Throws LoadError with the reason of PostgreSQL. */
const run = async (client: Client, sql: string): Promise<void> => {
  try {
    await client.query(sql)
  } catch (cause) {
    throw refused(cause)
  }
}

/** Throws LoadError if a table has rows: ids of two databases may be equal. */
const refuseRows = async (client: Client): Promise<void> => {
  for (const table of TABLES) {
    const { rowCount } = await client.query(`SELECT FROM ${table} LIMIT 1`)
    if (rowCount !== 0)
      throw new LoadError(
        `the table ${table} has rows: copy into an empty database, or run DROP TABLE ${TABLES.join(', ')}`,
      )
  }
}

/** Copies the records of a file. The next batch is read while the database stores one. Null: the signal aborted. */
const copyRecords = async (client: Client, file: string, { report, signal }: CopyOptions): Promise<Counts | null> => {
  const [totals, count] = [noTotals(), counter('Loading', [file], report)]
  let batch: LoadRecord[] = []
  let flight = Promise.resolve()
  const store = async () => {
    const full = batch
    batch = []
    await flight
    flight = addRecords(client, full).catch((cause) => {
      throw refused(cause)
    })
    flight.catch(() => {}) // The next `await flight` throws this error.
  }
  for await (const { number, text, fault } of linesOf(file, { onBytes: ({ length }) => count.bytes(length) })) {
    if (signal.aborted) break
    if (text.trim() === '') continue
    const record = readRecord(text, fault, `${file}, line ${number}`)
    batch.push(record)
    totals[record.kind] += 1
    count.record()
    if (batch.length === BATCH) await store()
  }
  await store()
  await flight
  return signal.aborted ? null : totals
}

const readRecord = (text: string, fault: string | undefined, place: string): LoadRecord => {
  if (fault !== undefined) throw new LoadError(`${place}: ${fault}`)
  return orElse(
    () => parseRecord(text),
    (cause) => {
      throw new LoadError(`${place}: ${cause.message}. A copy needs a file of npm run export`, { cause })
    },
  )
}

await runCommand({ name: 'copy', usage: USAGE, files: 2 }, async ({ flag }, given) => {
  if (given.length < 2) throw new LoadError('ADDRESS is missing: enter one such as postgres://user@localhost/events')
  const progress = flag('quiet') ? NO_PROGRESS : showProgress()
  const started = performance.now()
  try {
    const options = { report: progress.report, signal: interruption() }
    const totals = await copyExport(at(given, 0), at(given, 1), options)
    progress.stop()
    if (totals === null) {
      console.error('Interrupted. Nothing was copied.')
      return 130
    }
    if (flag('quiet')) return 0
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`Copied ${counted(totals.event, 'event')} and ${totals.event_series} event series in ${seconds} s.`)
    return 0
  } finally {
    progress.stop()
  }
})
