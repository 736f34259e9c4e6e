import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../../schema/tables.ts'
import { at, numberAt } from '../../../base/collections.ts'
import { badRequest } from '../../../base/errors.ts'
import { countTallies, type Steps } from '../../../base/work.ts'
import type { FieldRef } from '../../../question/condition.ts'
import { keyOfDouble } from '../../../question/range.ts'
import { MAX_PARSED } from '../../limits.ts'
import { addTo, type ExactSum, emptySum, unitsIn } from '../../shared/summary/exactSum.ts'
import { type SummaryStatistics, statisticsByBin, statisticsOf, type Tally } from '../../shared/summary/statistics.ts'
import { attributeJson } from '../attributes.ts'
import type { RowReader } from '../database.ts'
import { storedField } from '../fields.ts'
import { eachMatch, eachRow, type Sink } from '../matches.ts'
import { columnInRange } from '../part.ts'
import { alsoIn, type Search } from '../search.ts'
import { integerOf } from '../sql.ts'
import type { CountedFacet, NumericColumn } from './facets.ts'

/** All doubles. A row without a number has null. */
const NUMBERS = [keyOfDouble(-Number.MAX_VALUE), keyOfDouble(Number.MAX_VALUE)] as const

/** A column with numbers, and the search for the rows that have one. Rows without a number are NaN. */
export interface NumberField {
  readonly column: NumericColumn
  readonly search: Search
}

export const numberFieldOf = (search: Search, field: FieldRef): NumberField => {
  if (typeof field === 'object') {
    const parse = (value: unknown) => (typeof value === 'number' ? value : Number.NaN)
    return { column: { column: attributeJson(field.attribute), parse }, search }
  }
  const { column } = storedField('events', field)
  return { column: numberColumn(sql`${column}`), search: alsoIn(search, columnInRange(column, NUMBERS)) }
}

/** Receives each number with the key of its entry and with its bin. */
interface Crossing {
  readonly add: (key: number, bin: number, number: number) => void
}

/**
 * Reads the numbers of the matches, and computes their statistics. `binOf` returns the bin of a start. `crossing` gets
 * the numbers with their bins and the key of the last facet, which is -1 without an entry.
 */
export const readStatistics = async (
  each: EachNumber,
  { column, search }: NumberField,
  facets: readonly CountedFacet[],
  binOf: (start: number) => number,
  crossing: Crossing | null,
): Promise<SummaryStatistics> => {
  const bins = new Map<number, Tally<ExactSum>>()
  const entries = facets.map(() => new Map<number, Tally<ExactSum>>())
  const count: Sink = (numbers, offset) => {
    const number = numberAt(numbers, offset + 1)
    countTallies(1 + facets.length + (crossing === null ? 0 : 1))
    if (Number.isNaN(number)) return
    const bin = binOf(numberAt(numbers, offset))
    note(bins, bin, number)
    let key = -1
    entries.forEach((tallies, i) => {
      key = at(facets, i).keyOf(numberAt(numbers, offset + 2 + i)) // the facets follow the start and the number
      if (key >= 0) note(tallies, key, number)
    })
    crossing?.add(key, bin, number)
  }
  await each([START, column, ...facets], count, search)
  return {
    whole: statisticsOf([...bins.values()], unitsIn),
    bins: statisticsByBin([...bins], unitsIn),
    facets: entries.map(
      (tallies) => new Map(Array.from(tallies, ([key, tally]) => [key, statisticsOf([tally], unitsIn)])),
    ),
  }
}

export const note = (tallies: Map<number, Tally<ExactSum>>, key: number, number: number): void => {
  const tally = tallies.get(key) ?? { count: 0, min: number, max: number, sum: emptySum() }
  if (tally.count === 0) tallies.set(key, tally)
  tally.count += 1
  tally.min = Math.min(tally.min, number)
  tally.max = Math.max(tally.max, number)
  addTo(tally.sum, number)
}

export const numberColumn = (column: SQL): NumericColumn => ({ column, parse: null })

export const START = numberColumn(sql`${events.start}`)

/** Stands for a longitude of an event without a place. A list of numbers has no null. */
export const NO_PLACE = 1000
export const PLACE = [events.x, events.y].map((each) => numberColumn(sql`coalesce(${each}, ${integerOf(NO_PLACE)})`))

/**
 * Passes the numbers of some columns for each match. `narrowed` may leave out matches without a number. A caller skips
 * those that come nevertheless: they are NaN.
 */
export type EachNumber = (columns: readonly NumericColumn[], sink: Sink, narrowed?: Search) => Promise<void>

/**
 * Returns how to read the numbers of the matches. Columns of numbers alone are read for each use, in a compact form. With
 * a column of JSON, all columns are read once, and kept. Throws a 400 for too many numbers to keep.
 */
export const numbersOf = async (
  read: RowReader,
  search: Search,
  all: readonly NumericColumn[],
): Promise<EachNumber> => {
  if (all.every(({ parse }) => parse === null))
    return (columns, sink, narrowed = search) => {
      const own = columns.map(({ column }) => column)
      return eachMatch(read, narrowed, own, sink)
    }
  const kept = await keptNumbers(read, search, all)
  return (columns, sink) => {
    const places = columns.map((column) => all.indexOf(column))
    return read.work.run(passKept(kept, all.length, places, sink))
  }
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
const keptNumbers = async (read: RowReader, search: Search, all: readonly NumericColumn[]): Promise<Float64Array[]> => {
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
