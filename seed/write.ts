import { closeSync, createWriteStream, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { D1Database } from '@cloudflare/workers-types'
import { accessName } from '../src/access.ts'
import { isoInstant, MICROSECONDS } from '../src/filters/temporal.ts'
import type { LoadRecord } from '../src/write/records.ts'
import { noTotals, type Totals } from './check.ts'
import { LoadError } from './error.ts'
import { readEventsAfter, readShort } from './stored.ts'

const EVENTS_AT_ONCE = 5_000

/**
 * Writes all records of a database to a file that loadFiles reads, gzip if its name ends in `.gz`: under another name
 * first, so that the file is whole, or not there. Throws LoadError when it cannot be written, when the signal comes, and
 * when the data changes meanwhile.
 */
export async function exportTo(db: D1Database, file: string, signal?: AbortSignal): Promise<Totals> {
  const totals = noTotals()
  const partial = `${file}.partial`
  const [lines, out] = [Readable.from(linesOf(db, totals)), createWriteStream(partial)]
  const options = signal === undefined ? {} : { signal }
  try {
    if (file.endsWith('.gz')) await pipeline(lines, createGzip(), out, options)
    else await pipeline(lines, out, options)
    toDisk(partial)
    renameSync(partial, file)
  } catch (cause) {
    rmSync(partial, { force: true })
    if (cause instanceof LoadError) throw cause
    const reason = signal?.aborted ? 'interrupted' : cause instanceof Error ? cause.message : String(cause)
    throw new LoadError(`cannot write ${file}: ${reason}`, { cause })
  }
  return totals
}

async function* linesOf(db: D1Database, totals: Totals): AsyncGenerator<string> {
  const { types, series, revision } = await readShort(db)
  yield textOf([...types, ...series], totals)
  for (let last = 0; ; ) {
    const page = await readEventsAfter(db, last, EVENTS_AT_ONCE)
    if (page.revision !== revision)
      throw new LoadError('the data was changed while it was read: start again, when nothing is written')
    if (page.events.length === 0) return
    yield textOf(page.events, totals)
    last = page.events.at(-1)?.id ?? last
  }
}

function textOf(records: readonly LoadRecord[], totals: Totals): string {
  for (const { kind } of records) totals[kind] += 1
  return records.map((record) => `${JSON.stringify(writable(record))}\n`).join('')
}

/** A record as it stands in a file, see src/write/records.ts. */
const writable = (record: LoadRecord): object => {
  if (record.kind !== 'event_series') return record
  const { access_modifier, created, last_modified } = record
  return {
    ...record,
    access_modifier: accessName(access_modifier),
    created: isoInstant(created, MICROSECONDS),
    last_modified: isoInstant(last_modified, MICROSECONDS),
  }
}

/** A name that is there after a power cut has all of its file. */
function toDisk(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
