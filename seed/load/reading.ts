import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { type DraftRecord, NO_ID } from '../read/event.ts'
import { itemsOf, placeOf, type SourceFile } from '../read/items.ts'
import type { Bits } from './bits.ts'
import type { Check } from './check.ts'
import { LoadError } from './error.ts'
import type { Survey } from './survey.ts'

/**
 * Receives the progress of a pass. The first pass is Checking, and the second is Loading. `bytes` is the part of `size`
 * that is read.
 */
export type Report = (stage: 'Checking' | 'Loading', bytes: number, size: number, records: number) => void

/** The result of the first pass over a file. */
export interface ScannedFile {
  readonly source: SourceFile
  /** The modification time of the file, in milliseconds since 1970. */
  readonly changed: number
  readonly digest: string
  /** The number of records and faults in the file. */
  readonly items: number
  readonly withIds: boolean
  /** The place of the first event that has an id although others have none, or the reverse. Null if there is none. */
  readonly mixedAt: string | null
}

const REPORTED = 100

/**
 * Returns the size and the modification time of a file. Throws LoadError if it is missing, or if it is a pipe or a
 * folder: a load reads each file twice.
 */
export function statOf(file: string): { size: number; mtimeMs: number } {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) throw new LoadError(`cannot read ${file}: the file does not exist`)
  if (!stat.isFile()) throw new LoadError(`cannot read ${file}: not a regular file`)
  return stat
}

/** Counts bytes and records. */
export interface Counter {
  readonly bytes: (bytes: number) => void
  readonly record: () => void
}

/** Creates a counter that reports its progress. */
export function counter(stage: Parameters<Report>[0], files: readonly string[], report: Report): Counter {
  const size = files.reduce((sum, file) => sum + statOf(file).size, 0)
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

/** The inputs of the first pass. */
export interface Pass {
  readonly check: Check
  readonly survey: Survey
  /** Collects the names of columns and members that are not fields of an event. */
  readonly unread: Set<string>
  /** True: an event that equals an earlier event is left out. */
  readonly dropEqual: boolean
  /** A text that is hashed before the bytes of each file. It makes digests differ if the chosen series differs. */
  readonly salt: string
  readonly count: Counter
}

/** Runs the first pass, which checks all records of files. */
export async function readAll(sources: readonly SourceFile[], pass: Pass): Promise<ScannedFile[]> {
  const reads: ScannedFile[] = []
  for (const source of sources) {
    reads.push(await readFile(source, pass))
    for (const name of source.unread) pass.unread.add(name)
  }
  return reads
}

async function readFile(source: SourceFile, { check, survey, dropEqual, salt, count }: Pass): Promise<ScannedFile> {
  const changed = statOf(source.file).mtimeMs
  const hash = createHash('sha256').update(salt)
  let [items, withIds, without, mixedAt] = [0, false, false, null as string | null]
  const onBytes = (bytes: Buffer) => {
    count.bytes(bytes.length)
    hash.update(bytes)
  }
  for await (const item of itemsOf(source, onBytes)) {
    const place = () => placeOf(source, item.number)
    items += 1
    count.record()
    if ('fault' in item) {
      check.fault(item.fault, place)
      continue
    }
    const { record } = item
    if (record.kind === 'event' && record.id === NO_ID) without = true
    else withIds = true
    if (withIds && without) mixedAt ??= place()
    // Without a key column, the survey counts missing fields as empty.
    const shown = source.options.partial ? {} : { category: '', coordinates: null }
    const isFirst = record.kind !== 'event' || survey.add({ ...shown, ...record }, place, source.options.crs)
    if (!isFirst && dropEqual) check.leaveOut()
    else await check.record(record, place, source.format === 'csv')
  }
  return { source, changed, digest: hash.digest('hex'), items, withIds, mixedAt }
}

/** A record that the second pass stores. */
export interface Wanted {
  readonly record: DraftRecord
  /** The number of the record among all records and faults. */
  readonly index: number
  /** The number of the record in its file, from 1. */
  readonly number: number
  readonly place: () => string
}

/**
 * Runs the second pass over a file, and yields the records to store. `first` is the number of its first record among
 * all records.
 */
export async function* wantedOf(
  { source, changed, items }: ScannedFile,
  first: number,
  selected: Bits,
  count: Counter,
) {
  const isChanged = new LoadError(`${source.file} changed during the load: start the load again`)
  if (statOf(source.file).mtimeMs !== changed) throw isChanged
  let number = 0
  for await (const item of itemsOf(source, (bytes) => count.bytes(bytes.length))) {
    const index = first + number
    number += 1
    count.record()
    if (!selected.at(index) || !('record' in item)) continue
    yield { record: item.record, index, number, place: () => placeOf(source, item.number) } satisfies Wanted
  }
  if (number !== items) throw isChanged
}
