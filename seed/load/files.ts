import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import type { D1Database } from '@cloudflare/workers-types'
import { sql } from 'drizzle-orm'
import { textOf } from '../../schema/sql.ts'
import { events } from '../../schema/tables.ts'
import type { LoadRecord, SeriesRecord } from '../../src/store/records.ts'
import { sridAhead } from '../read/collection.ts'
import { crsOf } from '../read/crs.ts'
import { type Names, NO_ID, noNames } from '../read/event.ts'
import { recognise } from '../read/format.ts'
import { itemsOf, placeOf, type Source } from '../read/items.ts'
import type { TimeOptions } from '../read/time.ts'
import { type Checked, createCheck, type Totals } from './check.ts'
import { LoadError } from './error.ts'
import { areSuspended, restoreIndexes, suspendIndexes } from './indexes.ts'
import { insertRecords } from './insert.ts'
import type { Write } from './patience.ts'
import { markLoads, nextEventId, readPassed } from './progress.ts'
import { type Chosen, chooseSeries, type SeriesOptions } from './series.ts'
import { readShort } from './stored.ts'
import { createSurvey } from './survey.ts'

/** Told how many bytes of how many are read, in each of the two passes. */
export type Report = (stage: 'Checking' | 'Loading', bytes: number, of: number, records: number) => void

/** How files are read, and what is done with them. */
export interface LoadOptions extends SeriesOptions {
  /** Of all files; by default that of each is recognised. */
  readonly format?: string | undefined
  /** What the files call the fields of events, where it is not usual. */
  readonly names?: Partial<Names>
  readonly times?: TimeOptions
  /** The EPSG code of the reference system of the coordinates, if they are not degrees. */
  readonly crs?: string | undefined
  /** The decimal mark of numbers in CSV, a comma or a point. Absent: it is recognised. */
  readonly decimal?: string | undefined
  /** The encoding of the files, such as windows-1252. Absent: UTF-8. */
  readonly encoding?: string | undefined
  /** Of equal events of the files the first is stored. */
  readonly dropDuplicates?: boolean
  /** What the files call the external ids: an event that is there with the same one is changed. */
  readonly key?: string | undefined
  /** Events get new ids, whatever they have. */
  readonly newIds?: boolean
  /** Records that cannot be stored are left out. */
  readonly skipInvalid?: boolean
  /** Nothing is stored. */
  readonly dryRun?: boolean
  /** Of so many events on, the indexes of an empty database are built at the end. */
  readonly bulkEvents?: number
  readonly batchRecords?: number
  readonly write?: Write
  /** Ends between two batches. */
  readonly signal?: AbortSignal
}

/** What came of loading: how many records were stored, were there already, and were left out. */
export interface Outcome {
  readonly totals: Totals
  readonly stored: Totals
  /** How many events were changed, as others had their external ids. */
  readonly changed: number
  readonly faults: readonly string[]
  readonly faultCount: number
  /** What the events that were read have in common, in words. */
  readonly survey: readonly string[]
  /** False when it was interrupted. */
  readonly finished: boolean
}

/** A file between its two passes. */
interface Read {
  readonly source: Source
  readonly changed: number
  readonly digest: string
  /** How many places it has: with a record, or with something that is none. */
  readonly items: number
  readonly withIds: boolean
}

const BULK_EVENTS = 100_000
const REPORTED = 100

/**
 * Adds the records of files to a database: all are read and checked before the first is stored. What is there already is
 * not stored again, so that what was interrupted goes on from where it was. Throws LoadError with file, line and reason.
 */
export async function loadFiles(
  db: D1Database,
  files: readonly string[],
  options: LoadOptions = {},
  report: Report = () => {},
): Promise<Outcome> {
  const size = files.map(sizeOf).reduce((sum, bytes) => sum + bytes, 0)
  const known = await readShort(db)
  const chosen = chooseSeries(known, options)
  const sources = await Promise.all(files.map((file) => sourceOf(file, options, chosen, known.series)))
  const count = counter('Checking', size, report)
  const { reads, checked, survey } = await readAll(db, sources, chosen, options, count)
  const empty = reads.every(({ items }) => items === 0)
  refuseFaults(checked, files, empty, options.skipInvalid ?? false)
  const isKeyed = options.key !== undefined
  const left = isKeyed ? checked : await leaveOutPassed(db, reads, checked, chosen)
  const { faults, faultCount, changed } = checked
  const outcome = { totals: left.totals, stored: left.stored, changed, faults, faultCount, survey }
  if (options.dryRun) return { ...outcome, finished: true }
  const totals = await store(db, reads, checked, chosen, options, counter('Loading', size, report))
  return { ...outcome, totals, finished: !options.signal?.aborted }
}

/** The bytes of a file. Throws LoadError for what is none. */
export const sizeOf = (file: string): number => statOf(file).size

/** Files are read twice, so a pipe will not do. */
function statOf(file: string): { size: number; mtimeMs: number } {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) throw new LoadError(`cannot read ${file}: there is no such file`)
  if (!stat.isFile()) throw new LoadError(`cannot read ${file}: not a regular file`)
  return stat
}

/** A file as it is to be read. Throws LoadError where that contradicts itself. */
export async function sourceOf(
  file: string,
  options: LoadOptions,
  chosen: Chosen | null,
  series: readonly SeriesRecord[],
): Promise<Source> {
  const recognised = await recognise(file, options.format, options.encoding)
  if (chosen !== null && recognised.format === 'ndjson')
    throw new LoadError(`${file} says itself of which series its events are: leave --series out`)
  const { key, newIds = key !== undefined, times = {}, crs, decimal, encoding } = options
  if (key !== undefined && recognised.format === 'ndjson')
    throw new LoadError(`${file} has the ids of its events: leave --key out`)
  const named = recognised.format === 'geojson' ? sridAhead(file, recognised.head) : null
  const srid = crs === undefined ? named : codeOf(crs)
  const names = { ...noNames, ...options.names, ...(key !== undefined && { external: key }) }
  const read = {
    names,
    series: chosen?.series.id ?? null,
    seriesIds: new Map(series.map(({ uuid, id }) => [uuid, id])),
    newIds,
    times,
    decimal,
    ...(srid !== null && { crs: await crsOf(srid) }),
  }
  return { ...recognised, file, encoding, options: read, unread: new Set() }
}

function codeOf(crs: string): number {
  const [, code] = /^(?:EPSG:)?(\d{4,6})$/i.exec(crs) ?? []
  if (code === undefined) throw new LoadError(`--crs is ${JSON.stringify(crs)}: put an EPSG code, such as 28992`)
  return Number(code)
}

type Counter = { readonly bytes: (bytes: number) => void; readonly record: () => void }

/** Counts bytes and records, and reports them. */
export function counter(stage: Parameters<Report>[0], size: number, report: Report): Counter {
  let [read, records] = [0, 0]
  return {
    bytes: (bytes) => {
      read += bytes
      report(stage, read, size, records)
    },
    record: () => {
      records += 1
      if (records % REPORTED === 0) report(stage, read, size, records)
    },
  }
}

async function readAll(
  db: D1Database,
  sources: readonly Source[],
  chosen: Chosen | null,
  { dropDuplicates: dropEqual = false, key }: LoadOptions,
  count: Counter,
) {
  const [check, unread] = [await createCheck(db, key !== undefined), new Set<string>()]
  const survey = createSurvey(unread, dropEqual)
  for (const record of chosen?.records ?? []) check.record(record, () => '--series')
  const reads: Read[] = []
  for (const source of sources) {
    const changed = statOf(source.file).mtimeMs
    const hash = createHash('sha256').update(chosen?.series.uuid ?? '')
    let [items, withIds, without] = [0, false, false]
    const onBytes = (bytes: Buffer) => {
      count.bytes(bytes.length)
      if (source.format !== 'ndjson') hash.update(bytes)
    }
    for await (const item of itemsOf(source, onBytes)) {
      const place = () => placeOf(source, item.number)
      items += 1
      count.record()
      if ('fault' in item) {
        check.fault(item.fault, place)
        continue
      }
      if (item.record.kind === 'event' && item.record.id === NO_ID) without = true
      else withIds = true
      if (withIds && without)
        throw new LoadError(`${place()}: some events have an id and some have none: give one to all, or say --new-ids`)
      if (item.record.kind === 'event' && !survey.add(item.record, place, source.options.crs) && dropEqual)
        check.leaveOut()
      else await check.record(item.record, place)
    }
    for (const name of source.unread) unread.add(name)
    reads.push({ source, changed, digest: hash.digest('hex'), items, withIds })
  }
  return { reads, checked: await check.end(), survey: survey.lines() }
}

/** Throws LoadError where nothing was read, or, if it is not to be left out, where something is wrong. */
export function refuseFaults(
  { faults, faultCount }: Pick<Checked, 'faults' | 'faultCount'>,
  files: readonly string[],
  empty: boolean,
  skip: boolean,
): void {
  if (empty) throw new LoadError(`nothing to load: ${files.join(', ')} holds no records`)
  if (faultCount === 0 || skip) return
  if (faultCount === 1) throw new LoadError(faults.join(''))
  throw new LoadError(`${faults.join('\n')}\n${faultCount} faults: nothing was loaded (--skip-invalid loads the rest)`)
}

/** What an earlier load has stored of files without ids is not wanted any more. */
async function leaveOutPassed(
  db: D1Database,
  reads: readonly Read[],
  { wanted, totals, stored }: Checked,
  chosen: Chosen | null,
) {
  const left = { totals: { ...totals }, stored: { ...stored } }
  let first = chosen?.records.length ?? 0
  for (const { digest, items, withIds } of reads) {
    const passed = withIds ? 0 : await readPassed(db, digest)
    for (let at = first; at < first + Math.min(passed, items); at++) {
      if (!wanted.at(at)) continue
      wanted.set(at, false)
      left.totals.event -= 1
      left.stored.event += 1
    }
    first += items
  }
  return left
}

async function store(
  db: D1Database,
  reads: readonly Read[],
  { wanted, totals, ids }: Checked,
  chosen: Chosen | null,
  { batchRecords, signal, write, key, bulkEvents = BULK_EVENTS }: LoadOptions,
  count: Counter,
): Promise<Totals> {
  const passed = new Map<string, number>()
  async function* records(): AsyncGenerator<LoadRecord> {
    let [at, id] = [-1, reads.some(({ withIds }) => !withIds) ? await nextEventId(db) : 0]
    for (const record of chosen?.records ?? []) if (wanted.at(++at)) yield record
    for (const { source, changed, digest, items } of reads) {
      let number = 0
      if (statOf(source.file).mtimeMs !== changed)
        throw new LoadError(`${source.file} was changed while it was read: start again`)
      for await (const item of itemsOf(source, (bytes) => count.bytes(bytes.length))) {
        number += 1
        count.record()
        if (!wanted.at(++at) || !('record' in item)) continue
        const isNew = item.record.kind === 'event' && item.record.id === NO_ID
        if (isNew && key === undefined) passed.set(digest, number)
        yield isNew ? { ...item.record, id: ids.get(at) ?? id++ } : item.record
      }
      if (number !== items) throw new LoadError(`${source.file} was changed while it was read: start again`)
    }
  }
  const mark = () => markLoads(passed)
  if (totals.event >= bulkEvents && (await isEmpty(db)) && !(await areSuspended(db))) await suspendIndexes(db)
  const replaced = new Set(ids.values())
  const done = await insertRecords(db, records(), {
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
