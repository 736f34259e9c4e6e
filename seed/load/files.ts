import type { D1Database } from '@cloudflare/workers-types'
import { sql } from 'drizzle-orm'
import { textOf } from '../../schema/sql.ts'
import { events } from '../../schema/tables.ts'
import { type DraftRecord, type FieldNames, NO_ID } from '../read/event.ts'
import type { TimeOptions } from '../read/time.ts'
import { type Checked, createCheck, type Totals } from './check.ts'
import { wholeRecords } from './drafts.ts'
import { LoadError } from './error.ts'
import { areSuspended, restoreIndexes, suspendIndexes } from './indexes.ts'
import { insertRecords } from './insert.ts'
import type { Write } from './patience.ts'
import { markLoads, nextEventId, readPassed } from './progress.ts'
import { type Counter, counter, type Report, readAll, type ScannedFile, wantedOf } from './reading.ts'
import { rejectsOf } from './rejects.ts'
import { type Chosen, chooseSeries, type SeriesOptions } from './series.ts'
import { sourceOf } from './sources.ts'
import { readShort } from './stored.ts'
import { createSurvey } from './survey.ts'

/** Options for reading and storing files. */
export interface LoadOptions extends SeriesOptions {
  /** The format of all files. Absent: it is recognised for each file. */
  readonly format?: string | undefined
  /** The names of fields in the files. They are needed only if the names are unusual. */
  readonly names?: Partial<FieldNames>
  readonly times?: TimeOptions
  /**
   * The EPSG code of the reference system of the coordinates. Absent: they are degrees, or GeoJSON names the system.
   */
  readonly crs?: string | undefined
  /** The decimal mark of numbers in CSV. It is a comma or a point. Absent: it is recognised. */
  readonly decimal?: string | undefined
  /** The encoding of the files, such as windows-1252. Absent: UTF-8. */
  readonly encoding?: string | undefined
  /** True: if events in the files are equal, only the first is stored. */
  readonly dropDuplicates?: boolean
  /** The column of external ids. A row changes the stored event with the same external id. */
  readonly key?: string | undefined
  /** True: events get new ids, even if the file has ids. */
  readonly newIds?: boolean
  /** True: records that cannot be stored are left out. */
  readonly skipInvalid?: boolean
  /** The file for records that cannot be stored. All others are loaded. */
  readonly rejects?: string | undefined
  /** True: the load only checks, and stores nothing. */
  readonly dryRun?: boolean
  /**
   * If at least this number of events goes into an empty database, the indexes are built at the end. Default: 100,000.
   */
  readonly bulkEvents?: number
  readonly batchRecords?: number
  readonly write?: Write
  /** Stops the load between two batches. */
  readonly signal?: AbortSignal
}

/** The result of a load: the numbers of records that were stored, were stored before, or were left out. */
export interface Outcome {
  readonly totals: Totals
  readonly stored: Totals
  /** The number of stored events that were changed because a row had their external id. */
  readonly changed: number
  readonly faults: readonly string[]
  readonly faultCount: number
  /** Lines that describe the events in the files, such as their period and bounds. */
  readonly survey: readonly string[]
  /** False if the load was interrupted. */
  readonly finished: boolean
}

const BULK_EVENTS = 100_000

/**
 * Adds the records of files to a database. It reads and checks all records before it stores the first. It skips records
 * that are stored already, so an interrupted load can be repeated. Throws LoadError with file, line and reason.
 */
export async function loadFiles(
  db: D1Database,
  files: readonly string[],
  options: LoadOptions = {},
  report: Report = () => {},
): Promise<Outcome> {
  const count = counter('Checking', files, report)
  const known = await readShort(db)
  const chosen = chooseSeries(known, options)
  const sources = await Promise.all(files.map((file) => sourceOf(file, options, chosen, known.series)))
  const { dropDuplicates: dropEqual = false, key } = options
  const unread = new Set<string>()
  const survey = createSurvey(unread, dropEqual)
  const rejects = rejectsOf(options, files)
  const check = await createCheck(db, key === undefined ? null : survey.drop, rejects?.onFault)
  for (const record of chosen?.records ?? []) check.record(record, () => '--series')
  const pass = { check, survey, unread, dropEqual, salt: chosen?.series.uuid ?? '' }
  const reads = await readAll(sources, { ...pass, count })
  for (const { mixedAt } of reads)
    if (mixedAt !== null)
      throw new LoadError(`${mixedAt}: some events have an id and some have none: give each an id, or use --new-ids`)
  const checked = await check.end()
  await rejects?.write(reads)
  refuseFaults(checked, reads, rejects !== null || (options.skipInvalid ?? false))
  // If the series is new, no earlier load can have stored events in it.
  const isNew = chosen?.records.includes(chosen.series) ?? false
  const left = key !== undefined || isNew ? checked : await leaveOutPassed(db, reads, checked, chosen)
  const { faults, faultCount, changed } = checked
  const outcome = { totals: left.totals, stored: left.stored, changed, faults, faultCount, survey: survey.lines() }
  if (options.dryRun) return { ...outcome, finished: true }
  const totals = await store(db, reads, checked, chosen, options, counter('Loading', files, report))
  return { ...outcome, totals, finished: !options.signal?.aborted }
}

/** Throws LoadError if the files have no records. Throws it for faults unless `skip` is true. */
export function refuseFaults(
  { faults, faultCount }: Pick<Checked, 'faults' | 'faultCount'>,
  reads: readonly ScannedFile[],
  skip: boolean,
): void {
  const files = reads.map(({ source }) => source.file)
  if (reads.every(({ items }) => items === 0))
    throw new LoadError(`nothing to load: ${files.join(', ')} has no records`)
  if (faultCount === 0 || skip) return
  if (faultCount === 1) throw new LoadError(faults.join(''))
  throw new LoadError(`${faults.join('\n')}\n${faultCount} faults: nothing was loaded (--skip-invalid loads the rest)`)
}

/**
 * Skips records that an earlier load of the same files stored. Only files without ids need this. Returns the new
 * totals.
 */
async function leaveOutPassed(
  db: D1Database,
  reads: readonly ScannedFile[],
  { selected, totals, stored }: Checked,
  chosen: Chosen | null,
) {
  const left = { totals: { ...totals }, stored: { ...stored } }
  let first = chosen?.records.length ?? 0
  for (const { digest, items, withIds } of reads) {
    const passed = withIds ? 0 : await readPassed(db, digest)
    for (let index = first; index < first + Math.min(passed, items); index++) {
      if (!selected.at(index)) continue
      selected.set(index, false)
      left.totals.event -= 1
      left.stored.event += 1
    }
    first += items
  }
  return left
}

async function store(
  db: D1Database,
  reads: readonly ScannedFile[],
  { selected, totals, ids }: Checked,
  chosen: Chosen | null,
  { batchRecords, signal, write, key, bulkEvents = BULK_EVENTS }: LoadOptions,
  count: Counter,
): Promise<Totals> {
  const passed = new Map<string, number>()
  async function* records(): AsyncGenerator<DraftRecord> {
    let [first, id] = [0, reads.some(({ withIds }) => !withIds) ? await nextEventId(db) : 0]
    for (const record of chosen?.records ?? []) if (selected.at(first++)) yield record
    for (const read of reads) {
      for await (const { record, index, number } of wantedOf(read, first, selected, count)) {
        const isNew = record.kind === 'event' && record.id === NO_ID
        if (isNew && key === undefined) passed.set(read.digest, number)
        yield isNew ? { ...record, id: ids.get(index) ?? id++ } : record
      }
      first += read.items
    }
  }
  const mark = () => markLoads(passed)
  if (totals.event >= bulkEvents && (await isEmpty(db)) && !(await areSuspended(db))) await suspendIndexes(db)
  const replaced = new Set(ids.values())
  const done = await insertRecords(db, wholeRecords(db, records(), replaced), {
    mark,
    isReplaced: (id) => replaced.has(id),
    signal,
    batchRecords,
    write,
    counted: !(await areSuspended(db)),
  })
  if (!signal?.aborted) await restoreIndexes(db)
  return done
}

const isEmpty = async (db: D1Database): Promise<boolean> =>
  (await db.prepare(textOf(sql`SELECT 1 FROM ${events} LIMIT 1`)).first()) === null
