import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import type { LoadRecord } from '../../src/store/records.ts'
import { NO_ID } from '../read/event.ts'
import { itemsOf, placeOf, type SourceFile } from '../read/items.ts'
import type { Check } from './check.ts'
import { LoadError } from './error.ts'
import type { Survey } from './survey.ts'
import type { Selected } from './target.ts'

/** Receives the progress of the first pass (Checking) or the second. `bytes` is the part of `size` that is read. */
export type Report = (stage: 'Checking' | 'Loading' | 'Comparing', bytes: number, size: number, records: number) => void

const REPORTED = 100

/** Throws LoadError for a missing file, a pipe or a folder: a load reads each file twice. */
function statOf(file: string): { size: number; mtimeMs: number } {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) throw new LoadError(`cannot read ${file}: the file does not exist`)
  if (!stat.isFile()) throw new LoadError(`cannot read ${file}: not a regular file`)
  return stat
}

/** Creates a counter of bytes and records that reports its progress. */
export function counter(stage: Parameters<Report>[0], files: readonly string[], report: Report) {
  const size = files.reduce((sum, file) => sum + statOf(file).size, 0)
  let [read, records] = [0, 0]
  return {
    size,
    bytes: (bytes: number): void => {
      read += bytes
      report(stage, read, size, records)
    },
    record: (): void => {
      records += 1
      if (records % REPORTED === 0) report(stage, read, size, records)
    },
  }
}
type Counter = ReturnType<typeof counter>

interface Pass {
  readonly check: Check
  readonly survey: Survey
  /** True: an event that equals an earlier event is left out. */
  readonly dropEqual: boolean
  /** A text that is hashed before the bytes of each file. It makes digests differ if the chosen series differs. */
  readonly salt: string
  readonly count: Counter
}

/** The result of the first pass over a file. */
export interface ScannedFile {
  readonly source: SourceFile
  /** The modification time of the file, in milliseconds since 1970. */
  readonly changed: number
  readonly digest: string
  /** The number of its first item among the items of all files. */
  readonly first: number
  /** The number of records and faults in the file. */
  readonly items: number
  readonly withIds: boolean
  /** The place of the first event that has an id although others have none, or the reverse. Null if there is none. */
  readonly mixedAt: string | null
}

/** Returns a function that writes each line end as LF. So a file with other line ends has the same digest. */
const lineFeeds = () => {
  let endsOpen = false
  return (bytes: Buffer): Buffer => {
    const text = bytes.toString('latin1')
    const from = endsOpen && text.startsWith('\n') ? 1 : 0
    endsOpen = text.endsWith('\r')
    return Buffer.from(text.slice(from).replace(/\r\n?/g, '\n'), 'latin1')
  }
}

/** Runs the first pass, which checks all records of files. */
export async function readAll(
  sources: readonly SourceFile[],
  { check, survey, dropEqual, salt, count }: Pass,
): Promise<ScannedFile[]> {
  const reads: ScannedFile[] = []
  let first = 0
  for (const source of sources) {
    const changed = statOf(source.file).mtimeMs
    const hash = createHash('sha256').update(salt)
    const withLineFeeds = lineFeeds()
    let [items, withIds, without, mixedAt] = [0, false, false, null as string | null]
    const onBytes = (bytes: Buffer) => {
      count.bytes(bytes.length)
      hash.update(withLineFeeds(bytes))
    }
    for await (const item of itemsOf(source, onBytes)) {
      const place = () => placeOf(source, item.number)
      items += 1
      count.record()
      if ('fault' in item) {
        check.leaveOut(place, item.fault, item.key)
        continue
      }
      const { record } = item
      if (record.kind === 'event' && record.id === NO_ID) without = true
      else withIds = true
      if (withIds && without) mixedAt ??= place()
      // Without a key column, the survey counts missing fields as empty.
      const shown = source.options.partial ? {} : { category: '', coordinates: null }
      const isFirst = record.kind !== 'event' || survey.add({ ...shown, ...record }, place, source.options.crs)
      if (!isFirst && dropEqual) check.leaveOut(place)
      else await check.add(record, place, source.table !== null && !source.options.placeless)
    }
    reads.push({ source, changed, digest: hash.digest('hex'), first, items, withIds, mixedAt })
    first += items
  }
  return reads
}

/** Runs the second pass over files. Yields the records that the options make, then the selected records of the files. */
export async function* selectedOf(
  made: readonly LoadRecord[],
  reads: readonly ScannedFile[],
  { selected, storedIds }: Check,
  count: Counter,
): AsyncGenerator<Selected> {
  for (const record of made) yield { record, digest: null, number: 0, place: () => '--series', storedId: null }
  // A file that is stored already needs no second pass.
  if (selected.count() === 0) return
  for (const { source, changed, digest, first, items } of reads) {
    const isChanged = new LoadError(`${source.file} changed during the load: start the load again`)
    if (statOf(source.file).mtimeMs !== changed) throw isChanged
    let number = 0
    for await (const item of itemsOf(source, (bytes) => count.bytes(bytes.length))) {
      const index = first + number
      number += 1
      count.record()
      if (!selected.has(index) || !('record' in item)) continue
      const place = () => placeOf(source, item.number)
      yield { record: item.record, digest, number, place, storedId: storedIds.get(index) ?? null }
    }
    if (number !== items) throw isChanged
  }
}
