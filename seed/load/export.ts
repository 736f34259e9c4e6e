import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { at } from '../../src/base/collections.ts'
import { type ApiAccess, asks, NO_CACHE, RefusedRequest, type Send } from './api.ts'
import {
  eventOf,
  type FileRecord,
  fileRecordOf,
  readSeries,
  readTypes,
  SERIES,
  type ServiceEvent,
} from './conversion.ts'
import { LoadError, reasonOf } from './error.ts'
import type { Db } from './rows.ts'
import { readAllEvents, readShort } from './stored.ts'
import { type Counts, noTotals } from './target.ts'

/** Yields all data in chunks, types and series first. Throws Changed if the data changes meanwhile. */
export type Records = () => AsyncGenerator<readonly FileRecord[], void>

/** The data changed while it was read, so the records are not from one moment. */
export class Changed extends LoadError {}

const changed = () => new Changed('the data changed during the export')

export const databaseSource = (db: Db): Records =>
  async function* () {
    const { types, series, revision } = await readShort(db)
    yield [...types, ...series].map(fileRecordOf)
    for await (const batch of readAllEvents(db)) {
      if (batch.revision === null || batch.revision !== revision) throw changed()
      yield batch.events.map(fileRecordOf)
    }
  }

/**
 * Reads all data that the caller can read from a service. Bookmarks ensure that no answer is older than the one before.
 * After each page, the ETag of the series list must be unchanged. Then all pages show one state.
 */
export const serviceSource = (api: ApiAccess): Records =>
  async function* () {
    const ask = asks(api)
    const tag = (await ask(SERIES, { headers: NO_CACHE })).headers.get('ETag') ?? ''
    const check = async () => {
      const { status } = await ask(SERIES, { headers: { ...NO_CACHE, 'If-None-Match': tag } })
      if (status !== 304) throw changed()
    }
    const [types, series] = [await readTypes(ask), await readSeries(ask)]
    const ids = new Map(series.map(({ uuid, id }) => [uuid, id]))
    const recordOf = (item: ServiceEvent): FileRecord => {
      const id = ids.get(item.properties.event_series)
      if (id === undefined) throw changed()
      return fileRecordOf(eventOf(item, id))
    }
    await check()
    yield [...types, ...series].map(fileRecordOf)
    for await (const events of eventsOf(ask)) {
      const records = events.map(recordOf)
      // The page is valid only if the state is still the same.
      await check()
      yield records
    }
  }

/** The list with all members of an event. GeoJSON of one series would add a null for each column that an event lacks. */
const LIST = '/api/v4/events/'

/** Reads the events in pages by id. If a page has too much text, it reads half as many. `filter` begins with `&`. */
export async function* eventsOf(ask: Send, filter = ''): AsyncGenerator<readonly ServiceEvent[], void> {
  for (let [last, size] = [0, 10_000]; ; ) {
    const path = `${LIST}?ordering=id&page_size=${size}&after=${last}${filter}`
    const answer = await ask(path, { headers: NO_CACHE }).catch((error: unknown) => {
      const isTooLong = error instanceof RefusedRequest && error.status === 400 && error.text.includes('page_size')
      if (isTooLong && size > 1) return null
      throw error
    })
    if (answer === null) {
      size = Math.ceil(size / 2)
      continue
    }
    const { results } = JSON.parse(answer.text) as { results: readonly ServiceEvent[] }
    yield results
    if (results.length < size) return
    last = at(results, -1).id
  }
}

/** Pauses before the data is read again, in milliseconds: the first, the longest, and the limit for their sum. */
const [PAUSE, MAX_PAUSE, MAX_WAIT] = [2_000, 60_000, 30 * 60_000]

type Pause = (milliseconds: number, value: undefined, options: Signal) => Promise<unknown>
type Signal = { readonly signal?: AbortSignal }

/** Name endings of other formats. Other programs would expect that format. */
const OTHERS =
  /\.(csv|tsv|geojson|geojsonl|json|parquet|xlsx?|ods|xml|kml|gpkg|shp|sql|sqlite3?|db|zip|tar|tgz|bz2|xz|zst|br|7z)$/i

export function checkName(file: string): void {
  if (OTHERS.test(file.replace(/\.gz$/i, '')))
    throw new LoadError(
      `${file} does not fit: an export is newline-delimited JSON. Use a name that ends in .ndjson or .ndjson.gz`,
    )
}

/**
 * Writes all records to a file (gzip for `.gz`), which gets its name when it is complete. If the data changes
 * meanwhile, it pauses and starts over. Throws LoadError after 30 minutes, and if writing fails or the signal aborts.
 */
export async function exportTo(
  source: Records,
  file: string,
  { wait = setTimeout, ...signal }: Signal & { readonly wait?: Pause } = {},
): Promise<Counts> {
  checkName(file)
  let waited = 0
  for (let pause = PAUSE; ; pause = Math.min(2 * pause, MAX_PAUSE)) {
    try {
      return await writeAll(source, file, signal)
    } catch (error) {
      if (!(error instanceof Changed)) throw error
      if (waited >= MAX_WAIT)
        throw new LoadError(
          `${error.message}, again and again for 30 minutes. Start the export when there are fewer writes`,
        )
      await wait(pause, undefined, signal).catch(() => {
        throw new LoadError(`cannot write ${file}: interrupted`)
      })
      waited += pause
    }
  }
}

async function writeAll(source: Records, file: string, options: Signal): Promise<Counts> {
  const totals = noTotals()
  const partial = `${file}.partial`
  const zip = /\.gz$/i.test(file) ? createGzip() : new PassThrough()
  try {
    // The file is flushed to the disk, so that it is complete under its name even after a power failure.
    await pipeline(linesOf(source, totals), zip, createWriteStream(partial, { flush: true }), options)
    renameSync(partial, file)
  } catch (cause) {
    rmSync(partial, { force: true })
    if (cause instanceof LoadError) throw cause
    const reason = options.signal?.aborted ? 'interrupted' : reasonOf(cause)
    throw new LoadError(`cannot write ${file}: ${reason}`, { cause })
  }
  return totals
}

async function* linesOf(source: Records, totals: Counts): AsyncGenerator<string> {
  for await (const records of source()) {
    for (const { kind } of records) totals[kind] += 1
    yield records.map((record) => `${JSON.stringify(record)}\n`).join('')
  }
}
