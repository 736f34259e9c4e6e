import { statSync } from 'node:fs'
import type { D1Database } from '@cloudflare/workers-types'
import { ValueError } from '../src/errors.ts'
import { parseRecord } from '../src/write/records.ts'
import { checkRecords, type Located } from './check.ts'
import { LoadError } from './error.ts'
import { insertRecords, type Totals } from './insert.ts'
import { linesOf } from './lines.ts'

/** Told how many bytes of how many are read, in each of the two passes. */
export type Report = (stage: 'Checking' | 'Loading', bytes: number, of: number) => void

/**
 * Adds the records of NDJSON files, plain or `.gz`, to a database: all are read and checked before the first is stored.
 * Throws LoadError with file, line number and reason.
 */
export async function loadFiles(db: D1Database, files: readonly string[], report: Report = () => {}): Promise<Totals> {
  const size = files.map(sizeOf).reduce((sum, bytes) => sum + bytes, 0)
  const records = await checkRecords(db, located(files, counter('Checking', size, report)))
  if (records === 0) throw new LoadError(`nothing to load: ${files.join(', ')} holds no records`)
  return insertRecords(db, recordsOf(files, counter('Loading', size, report)))
}

/** Files are read twice, so a pipe will not do. */
function sizeOf(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) throw new LoadError(`cannot read ${file}: there is no such file`)
  if (!stat.isFile()) throw new LoadError(`cannot read ${file}: not a regular file`)
  return stat.size
}

function counter(stage: Parameters<Report>[0], size: number, report: Report): (bytes: number) => void {
  let read = 0
  return (bytes) => {
    read += bytes
    report(stage, read, size)
  }
}

async function* recordsOf(files: readonly string[], onBytes: (bytes: number) => void) {
  for await (const { record } of located(files, onBytes)) yield record
}

async function* located(files: readonly string[], onBytes: (bytes: number) => void): AsyncGenerator<Located> {
  for (const file of files) {
    for await (const { text, number } of linesOf(file, onBytes)) {
      const place = () => `${file}, line ${number}`
      if (text.trim() !== '') yield { record: parse(text, place), place }
    }
  }
}

function parse(text: string, place: () => string) {
  try {
    return parseRecord(text)
  } catch (error) {
    throw error instanceof ValueError ? new LoadError(`${place()}: ${error.message}`) : error
  }
}
