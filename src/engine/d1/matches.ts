import type { SQL } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { chunksOf } from '../../base/collections.ts'
import type { Steps } from '../../base/work.ts'
import { MAX_LIST, MAX_TESTED, PART, VALUE_LENGTH } from '../limits.ts'
import { coverOf } from './admit.ts'
import type { RowReader } from './database.ts'
import { testRows } from './decideTexts.ts'
import type { Estimates } from './estimates.ts'
import { cutAt, cutBy, cutsOf, readParts } from './parts.ts'
import { type Cover, cellsOf, listQuery, mostListed, numbersIn, planOf } from './plan.ts'
import { onlyIn, type Search } from './search.ts'

/** Receives a row. Its numbers start at `offset`. */
export type Sink = (numbers: Float64Array, offset: number) => void

/**
 * Passes the numbers of each match once, in parts. A part with too many rows is cut by a sample of them, and read again.
 * `columns` are the numbers of a row, and `most` is the most rows of a part.
 */
export const eachMatch = async (
  read: RowReader,
  search: Search,
  columns: readonly SQL[],
  sink: Sink,
  most = mostListed(columns),
): Promise<void> => {
  const cover = await coverOf(read, search)
  const estimates = read.estimates()
  const planPart = (part: Search) => planOf(part, estimates, cover)
  const queryOf = (part: Search) => listQuery(planPart(part), columns, most)
  await readParts(read, firstParts(search, cover, estimates, most), { queryOf, planPart, most }, (list) =>
    passNumbers(numbersIn(list), columns.length, sink),
  )
}

/**
 * Passes the values of each match once, in parts. `columns` are the values of a row: numbers, texts, or JSON, which the
 * Worker parses.
 */
export const eachRow = async (
  read: RowReader,
  search: Search,
  columns: readonly SQL[],
  sink: (values: readonly unknown[]) => void,
): Promise<void> => {
  const cover = await coverOf(read, search)
  // Then few rows have more characters than their share of a list.
  const most = Math.min(MAX_TESTED, Math.floor(MAX_LIST / (VALUE_LENGTH * (columns.length + 1))))
  const parts = firstParts(search, cover, read.estimates(), most, events.id)
  const passes = (values: readonly unknown[]) => {
    sink(values)
    return false
  }
  await testRows(read, search, parts, cover, { columns, may: null, passes }, most)
}

function* passNumbers(numbers: Float64Array, step: number, sink: Sink): Steps<void> {
  for (let i = 0; i < numbers.length; i += step) {
    sink(numbers, i)
    yield
  }
}

/**
 * Splits a search into parts that probably have at most `most` rows each. Its estimate may be a guess. Parts by ids are for
 * columns that no index has.
 */
const firstParts = (
  asked: Search,
  cover: Cover | null,
  estimates: Estimates,
  most: number,
  key: typeof events.start | typeof events.id = events.start,
): readonly Search[] => {
  const { rows, choice, best } = planOf(asked, estimates, cover)
  if (choice !== null) return [asked]
  // Cells are split by cells, because starts would read all of them for each part.
  const isOfCells = cover !== null && best?.name === 'cells'
  const search = isOfCells ? onlyIn(asked, cellsOf(cover)) : asked
  // The parts differ, so each is planned with a reserve.
  if (search.only === null) return cutBy(search, key, rows / (PART * most), estimates)
  const { cells, ids } = search.only
  const inCells = cutAt(cells, cutsOf(cells, PART * most, estimates.cells)).map((chunk) => onlyIn(search, chunk))
  return [...inCells, ...chunksOf(ids, most).map((chunk) => onlyIn(search, [], chunk))]
}
