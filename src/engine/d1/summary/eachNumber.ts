import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../../schema/tables.ts'
import { badRequest } from '../../../base/errors.ts'
import { countTallies, type Steps } from '../../../base/work.ts'
import { MAX_PARSED } from '../../limits.ts'
import type { RowReader } from '../database.ts'
import { eachMatch, eachRow, type Sink } from '../matches.ts'
import type { Search } from '../search.ts'
import { integerOf } from '../sql.ts'
import type { NumberColumn } from './facets.ts'

export const numberColumn = (column: SQL): NumberColumn => ({ column, parse: null })

export const START = numberColumn(sql`${events.start}`)

/** Stands for a longitude of an event without a place. A list of numbers has no null. */
export const NO_PLACE = 1000
export const PLACE = [events.x, events.y].map((each) => numberColumn(sql`coalesce(${each}, ${integerOf(NO_PLACE)})`))

/**
 * Passes the numbers of some columns for each match. `narrowed` may leave out matches without a number. A caller skips
 * those that come nevertheless: they are NaN.
 */
export type EachNumber = (columns: readonly NumberColumn[], sink: Sink, narrowed?: Search) => Promise<void>

/**
 * Returns how to read the numbers of the matches. Columns of numbers alone are read for each use, in a compact form. With
 * a column of JSON, all columns are read once, and kept. Throws a 400 for too many numbers to keep.
 */
export const numbersOf = async (read: RowReader, search: Search, all: readonly NumberColumn[]): Promise<EachNumber> => {
  if (all.every(({ parse }) => parse === null))
    return (columns, sink, narrowed = search) =>
      eachMatch(
        read,
        narrowed,
        columns.map(({ column }) => column),
        sink,
      )
  const kept = await keptNumbers(read, search, all)
  return (columns, sink) =>
    read.work.run(
      passKept(
        kept,
        all.length,
        columns.map((column) => all.indexOf(column)),
        sink,
      ),
    )
}

/** Passes the numbers at some places of each row that is kept. */
function* passKept(kept: readonly Float64Array[], step: number, places: readonly number[], sink: Sink): Steps<void> {
  const row = new Float64Array(places.length)
  for (const numbers of kept)
    for (let from = 0; from < numbers.length; from += step) {
      for (let i = 0; i < places.length; i++) row[i] = numbers[from + (places[i] ?? 0)] ?? Number.NaN
      sink(row, 0)
      yield
    }
}

/** The rows of a block of numbers. */
const BLOCK = 10_000

/** Reads the numbers of all matches, row by row, in blocks. */
const keptNumbers = async (read: RowReader, search: Search, all: readonly NumberColumn[]): Promise<Float64Array[]> => {
  const most = Math.floor(MAX_PARSED / all.length)
  const blocks: Float64Array[] = []
  let rows = 0
  let block = new Float64Array(0)
  const written = all.map(({ column }) => column)
  await eachRow(read, search, written, (values) => {
    const place = rows % BLOCK
    if (rows === most)
      throw badRequest(
        `More than ${most.toLocaleString('en')} events match, too many to summarize so many attributes. Add a filter, such as a period.`,
      )
    if (place === 0) {
      block = new Float64Array(BLOCK * all.length)
      blocks.push(block)
    }
    countTallies(all.length)
    for (const [i, { parse }] of all.entries()) {
      const value = values[i]
      block[place * all.length + i] = parse === null ? numberIn(value) : parse(value)
    }
    rows += 1
  })
  const last = rows % BLOCK
  return last === 0 ? blocks : [...blocks.slice(0, -1), block.subarray(0, last * all.length)]
}

const numberIn = (value: unknown): number => (value === null ? Number.NaN : Number(value))
