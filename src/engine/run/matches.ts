import type { SQL } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { chunksOf } from '../../collections.ts'
import type { Steps } from '../../work.ts'
import { boundsOf, numbersOf, onlyIn, type Search } from '../conditions/search.ts'
import type { Row } from '../conditions/table.ts'
import type { Estimates } from '../estimates.ts'
import { PART } from '../limits.ts'
import { type Cover, cellsOf, equalRowsQuery, listQuery, mostListed, numbersIn, planOf } from '../sql/plan.ts'
import { coverOf } from './admit.ts'
import type { Reader } from './database.ts'
import { cutBy, cutParts, cutsOf, inCells, keyOf, readParts } from './parts.ts'

/** Receives a number of equal rows. Their numbers start at `offset`. */
type Sink = (rows: number, numbers: Float64Array, offset: number) => void

/**
 * Passes the numbers of each match once, in parts. A part with too many rows is cut by a sample of them, and read again.
 * `columns` are the numbers of a row.
 */
export const eachMatch = async (read: Reader, search: Search, columns: readonly SQL[], sink: Sink): Promise<void> => {
  const most = mostListed(columns)
  const cover = await coverOf(read, search)
  const estimates = read.estimates()
  const planPart = (part: Search) => planOf(part, estimates, cover)
  const listOf = (part: Search) => listQuery(planPart(part), columns, most)
  const equalRowsOf = (part: Search) => equalRowsQuery(planPart(part), columns)
  for (let parts = firstParts(search, cover, estimates, most); parts.length > 0; ) {
    const large: Search[] = []
    await readParts(read, parts, listOf, function* (part, [row]) {
      if (row === undefined || row.count <= most) yield* passNumbers(numbersIn(row), columns.length, sink)
      else large.push(part)
      return []
    })
    const uncut = large.filter((part) => keyOf(part) === null)
    // The rows of these parts differ in little, so equal ones are counted.
    await readParts(read, uncut, equalRowsOf, function* (_, rows) {
      yield* passEqualRows(rows, columns, sink)
      return []
    })
    const cuttable = large.filter((part) => keyOf(part) !== null)
    parts = await cutParts(read, cuttable, planPart, most)
  }
}

function* passNumbers(numbers: Float64Array, step: number, sink: Sink): Steps<void> {
  for (let i = 0; i < numbers.length; i += step) {
    sink(1, numbers, i)
    yield
  }
}

function* passEqualRows(rows: readonly Row[], columns: readonly SQL[], sink: Sink): Steps<void> {
  for (const row of rows) {
    const numbers = Float64Array.from(columns, (_, i) => Number(row[`n${i}`]))
    sink(Number(row.rows), numbers, 0)
    yield
  }
}

/** Splits a search into parts that probably have at most `most` rows each. Its estimate may be a guess. */
const firstParts = (asked: Search, cover: Cover | null, estimates: Estimates, most: number): readonly Search[] => {
  const { rows, choice, best } = planOf(asked, estimates, cover)
  if (choice !== null) return [asked]
  // Cells are split by cells, because starts would read all of them for each part.
  const isOfCells = cover !== null && best?.name === 'cells'
  const search = isOfCells ? onlyIn(asked, cellsOf(cover)) : asked
  // The parts differ, so each is planned with a reserve.
  if (search.only === null)
    return cutBy(search, events.start, numbersOf(boundsOf(search).start), rows / (PART * most), estimates.starts)
  const { cells, ids } = search.only
  const cuts = cutsOf(cells, PART * most, estimates.cells)
  return [...inCells(search, cells, cuts), ...chunksOf(ids, most).map((chunk) => onlyIn(search, [], chunk))]
}
