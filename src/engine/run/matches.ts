import type { SQL } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { at, bisect, chunksOf } from '../../collections.ts'
import { inRange } from '../../filters/filter.ts'
import type { Steps } from '../../work.ts'
import { alsoIn, boundsOf, extentOf, idsOf, numbersOf, type Search, type ValueRange } from '../conditions/search.ts'
import type { Row } from '../conditions/table.ts'
import { rowsIn, type Spread, type Statistics } from '../estimates.ts'
import { MAX_AT_ONCE, PART, SAMPLED } from '../limits.ts'
import {
  type Cover,
  cellsOf,
  groupsQuery,
  type ListRow,
  listQuery,
  mostListed,
  numbersIn,
  type Plan,
  planOf,
  sampleQuery,
} from '../sql/plan.ts'
import { coverOf } from './settle.ts'
import type { SnapshotReader } from './snapshot.ts'

/** Receives a number of equal rows. Their numbers start at `offset`. */
type Sink = (rows: number, numbers: Float64Array, offset: number) => void

interface MatchOptions<R> {
  /** A query that is answered in the first round trip. */
  readonly beside?: readonly SQL<R>[]
  /** The estimated rows of cells, if they are known better than by the statistics. */
  readonly cells?: Spread
  /** The longest row in a text, with its commas. */
  readonly longest?: number
}

/**
 * Reads numbers of each match once, in parts. The database cuts a part with too many rows. `columns` are the numbers of a
 * row. Returns the rows of the query beside.
 */
export const eachMatch = async <R>(
  read: SnapshotReader,
  search: Search,
  columns: readonly SQL[],
  sink: Sink,
  { beside = [], cells, longest }: MatchOptions<R> = {},
): Promise<readonly (readonly R[])[]> => {
  const most = mostListed(columns, longest)
  const cover = await coverOf(read, search)
  const statistics = { ...read.statistics(), ...(cells && { cells }) }
  const planPart = (part: Search) => planOf(part, statistics, cover)
  const listOf = (part: Search) => listQuery(planPart(part), columns, most)
  const answers: (readonly R[])[] = []
  let asked = beside
  for (let parts = firstParts(search, cover, statistics, most); parts.length > 0; ) {
    const large: Search[] = []
    const take = function* (part: Search, [row]: readonly ListRow[]): Steps<readonly Search[]> {
      if (row === undefined || row.count <= most) yield* passNumbers(numbersIn(row), columns.length, sink)
      else large.push(part)
      return []
    }
    answers.push(...(await readParts(read, parts, listOf, take, asked)))
    asked = []
    // The rows of the other parts differ in little, so equal ones are counted.
    const groupsOf = (part: Search) => groupsQuery(planPart(part), columns)
    await readParts(
      read,
      large.filter((part) => keyOf(part) === null),
      groupsOf,
      function* (_, rows) {
        yield* passGroups(rows, columns, sink)
        return []
      },
    )
    const cuttable = large.filter((part) => keyOf(part) !== null)
    parts = await cutParts(read, cuttable, planPart, most)
  }
  return answers
}

function* passNumbers(numbers: Float64Array, step: number, sink: Sink): Steps<void> {
  for (let i = 0; i < numbers.length; i += step) {
    sink(1, numbers, i)
    yield
  }
}

function* passGroups(rows: readonly Row[], columns: readonly SQL[], sink: Sink): Steps<void> {
  for (const row of rows) {
    const numbers = Float64Array.from(columns, (_, i) => Number(row[`n${i}`]))
    sink(Number(row.rows), numbers, 0)
    yield
  }
}

/**
 * Reads parts of a search, some in each round trip. `take` receives the rows of a part, and returns the parts that
 * replace it. Returns the rows of the queries beside, which are answered in the first round trip.
 */
export const readParts = async <R, B>(
  read: SnapshotReader,
  parts: readonly Search[],
  queryOf: (part: Search) => SQL<R>,
  take: (part: Search, rows: readonly R[]) => Steps<readonly Search[]>,
  beside: readonly SQL<B>[] = [],
): Promise<readonly (readonly B[])[]> => {
  let others: readonly (readonly B[])[] = []
  for (let waiting = [...parts]; waiting.length > 0; ) {
    const now = waiting.slice(0, MAX_AT_ONCE)
    const answers: readonly (readonly unknown[])[] = await read(
      ...now.map(queryOf),
      ...(others.length > 0 ? [] : beside),
    )
    if (others.length === 0) others = answers.slice(now.length) as readonly (readonly B[])[] // the queries declare their rows
    const left: Search[] = []
    for (const [i, part] of now.entries())
      left.push(...(await read.work.run(take(part, at(answers, i) as readonly R[])))) // the query declares its rows
    waiting = [...left, ...waiting.slice(MAX_AT_ONCE)]
  }
  return others
}

/** Splits a search into parts that probably have at most `most` rows each. Its estimate may be a guess. */
const firstParts = (asked: Search, cover: Cover | null, statistics: Statistics, most: number): readonly Search[] => {
  const { rows, choice, sources } = planOf(asked, statistics, cover)
  if (choice !== null) return [asked]
  // Cells are split by cells, because starts would read all of them for each part.
  const isOfCells = cover !== null && sources[0]?.path.name === 'cells'
  const search = isOfCells ? withDecided(asked, cellsOf(cover), []) : asked
  // The parts differ, so each is planned with a reserve.
  if (search.decided === null)
    return cutBy(search, events.start, numbersOf(boundsOf(search).start), rows / (PART * most), statistics.starts)
  const { cells, ids } = search.decided
  const cuts = cutsOf(cells, PART * most, statistics.cells)
  return [...inCells(search, cells, cuts), ...chunksOf(ids, most).map((chunk) => withDecided(search, [], chunk))]
}

/** Cuts a search by ids into parts with about equal rows. */
export const cutById = (search: Search, parts: number, { ids }: Statistics): readonly Search[] =>
  cutBy(search, events.id, idsOf(extentOf(search, events.id)), parts, ids)

const withDecided = (search: Search, cells: readonly ValueRange[], ids: readonly number[]): Search => ({
  ...search,
  decided: { cells, ids },
})

/** Returns the column by which a search is cut. Null: its rows start at one instant, and lie in one cell if it has cells. */
const keyOf = (search: Search): typeof events.cell | typeof events.start | null => {
  if (search.decided !== null && !isOne(search.decided.cells)) return events.cell
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
      ...(part.decided !== null && keyOf(part) === events.cell
        ? inCells(part, part.decided.cells, cuts)
        : inRanges(part, events.start, numbersOf(boundsOf(part).start), cuts)),
    )
    return []
  })
  return parts
}

const inCells = (search: Search, cells: readonly ValueRange[], cuts: readonly number[]): readonly Search[] =>
  cutAt(cells, cuts).map((chunk) => withDecided(search, chunk, []))

type Key = typeof events.id | typeof events.start

const inRanges = (search: Search, key: Key, range: ValueRange, cuts: readonly number[]): readonly Search[] =>
  cutAt([range], cuts).flatMap((ranges) =>
    ranges.map(([first, last]) => alsoIn(search, inRange(key, [BigInt(first), BigInt(last)]))),
  )

/** Cuts a range of a key into parts with about equal rows. Without statistics it is halved. */
const cutBy = (search: Search, key: Key, range: ValueRange, parts: number, spread: Spread): readonly Search[] => {
  const [first, last] = range
  if (parts <= 1 || first >= last) return [search]
  const rows = rowsIn(spread, first, last)
  const cuts = rows > 0 ? cutsOf([range], rows / Math.ceil(parts), spread).filter((cut) => cut <= last) : []
  return inRanges(search, key, range, cuts.length > 0 ? cuts : [Math.floor(first + (last - first) / 2) + 1])
}

/** Returns values before which ranges are cut, so that each part probably has so many rows. */
const cutsOf = (ranges: readonly ValueRange[], most: number, spread: Spread): readonly number[] => {
  const cuts: number[] = []
  let rows = 0
  for (const [first, last] of ranges) {
    for (let from = first; from <= last; ) {
      const before = rows
      const end = bisect(from, last, (value) => before + rowsIn(spread, from, value) < most)
      rows += rowsIn(spread, from, end)
      from = end + 1
      if (rows < most) continue
      cuts.push(from)
      rows = 0
    }
  }
  return cuts
}

/** Cuts ranges before some values. A part that begins with such a value ends with it. Ranges and values are sorted. */
const cutAt = (ranges: readonly ValueRange[], cuts: readonly number[]): readonly ValueRange[][] => {
  const parts: ValueRange[][] = []
  let part: ValueRange[] = []
  let next = 0
  const close = () => {
    if (part.length > 0) parts.push(part)
    part = []
  }
  for (const [first, last] of ranges) {
    let from = first
    for (; next < cuts.length && at(cuts, next) <= last; next++) {
      const cut = at(cuts, next)
      const end = cut === from && part.length === 0 ? cut : cut - 1
      if (from <= end) part.push([from, end])
      from = Math.max(from, end + 1)
      close()
    }
    if (from <= last) part.push([from, last])
  }
  close()
  return parts
}
