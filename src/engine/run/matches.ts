import type { SQL } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { chunksOf, type ValueRange } from '../../collections.ts'
import type { Steps } from '../../work.ts'
import { boundsOf, numbersOf, onlyIn, type Search } from '../conditions/search.ts'
import type { Row } from '../conditions/table.ts'
import type { Estimates } from '../estimates.ts'
import { PART, SAMPLED } from '../limits.ts'
import {
  type Cover,
  cellsOf,
  equalRowsQuery,
  listQuery,
  mostListed,
  numbersIn,
  type Plan,
  planOf,
  sampleQuery,
} from '../sql/plan.ts'
import { coverOf } from './admit.ts'
import { cutAt, cutBy, cutSearchAt, cutsOf, readParts } from './parts.ts'
import type { SnapshotReader } from './snapshot.ts'

/** Receives a number of equal rows. Their numbers start at `offset`. */
type Sink = (rows: number, numbers: Float64Array, offset: number) => void

/**
 * Reads numbers of each match once, in parts. The database cuts a part with too many rows. `columns` are the numbers of a
 * row.
 */
export const eachMatch = async (
  read: SnapshotReader,
  search: Search,
  columns: readonly SQL[],
  sink: Sink,
): Promise<void> => {
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

/** Returns the column by which a search is cut. Null: its rows start at one instant, and lie in one cell if it has cells. */
const keyOf = (search: Search): typeof events.cell | typeof events.start | null => {
  if (search.only !== null && !isOne(search.only.cells)) return events.cell
  return isOne([numbersOf(boundsOf(search).start)]) ? null : events.start
}

const isOne = (ranges: readonly ValueRange[]): boolean =>
  ranges.length === 0 || (ranges.length === 1 && ranges.every(([first, last]) => first === last))

/** Cuts searches into parts with at most `most` rows, as far as their keys allow. Samples show where. */
const cutParts = async (
  read: SnapshotReader,
  searches: readonly Search[],
  planPart: (part: Search) => Plan,
  most: number,
): Promise<readonly Search[]> => {
  const parts: Search[] = []
  const sampleOf = (part: Search) => sampleQuery(planPart(part), keyOf(part) ?? events.start)
  await readParts(read, searches, sampleOf, function* (part, [row]) {
    const sample = numbersIn(row).sort()
    const cuts = [...sample].filter((_, i) => (i + 1) % Math.floor((PART * most) / SAMPLED) === 0)
    parts.push(
      ...(part.only !== null && keyOf(part) === events.cell
        ? inCells(part, part.only.cells, cuts)
        : cutSearchAt(part, events.start, numbersOf(boundsOf(part).start), cuts)),
    )
    return []
  })
  return parts
}

const inCells = (search: Search, cells: readonly ValueRange[], cuts: readonly number[]): readonly Search[] =>
  cutAt(cells, cuts).map((chunk) => onlyIn(search, chunk))
