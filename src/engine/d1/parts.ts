import type { SQL } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { at, bisect, chunksOf, type ValueRange } from '../../base/collections.ts'
import type { Steps } from '../../base/work.ts'
import { MAX_AT_ONCE, PART, SAMPLED } from '../limits.ts'
import type { RowReader } from './database.ts'
import { type Estimates, rowsIn, rowsInRanges, type Spread } from './estimates.ts'
import { columnInRange } from './part.ts'
import { type ListRow, numbersIn, type Plan, sampleQuery } from './plan.ts'
import { idRangeOf, numbersOf } from './ranges.ts'
import { alsoIn, extentOf, onlyIn, type Search, timesOf } from './search.ts'

/** How parts are read: a list of at most `most` rows for each. */
interface PartReading {
  readonly queryOf: (part: Search) => SQL<ListRow>
  readonly planPart: (part: Search) => Plan
  readonly most: number
  /** A further condition on the rows of the lists. */
  readonly more?: SQL | null
}

/** Reads parts of a search. `take` receives the list of each. A part with too many rows is cut, and read again. */
export const readParts = async (
  read: RowReader,
  parts: readonly Search[],
  { queryOf, planPart, most, more = null }: PartReading,
  take: (list: ListRow, part: Search) => Steps<void>,
): Promise<void> => {
  for (let left = parts; left.length > 0; ) {
    const large: Search[] = []
    await readEach(read, left, queryOf, function* (part, row) {
      if (row.count > most) large.push(part)
      else yield* take(row, part)
    })
    left = await cutParts(read, large, (part) => sampleQuery(planPart(part), keyOf(part), more), most)
  }
}

/** Sends a query for each part, some in each round trip. `take` receives its only row. */
const readEach = async <Part, R>(
  read: RowReader,
  parts: readonly Part[],
  queryOf: (part: Part) => SQL<R>,
  take: (part: Part, row: R) => Steps<void>,
): Promise<void> => {
  for (const now of chunksOf(parts, MAX_AT_ONCE)) {
    const answers = await read(...now.map(queryOf))
    for (const [i, part] of now.entries()) await read.work.run(take(part, at(at(answers, i), 0) as R)) // the query declares its row
  }
}

type Key = typeof events.cell | typeof events.start | typeof events.id

/** Returns the ranges of a key that have all matches of a search. Only a search of cells has a key of cells. */
const rangesOf = (search: Search, key: Key): readonly ValueRange[] => {
  if (key === events.cell) return search.only?.cells ?? []
  return [key === events.start ? numbersOf(timesOf(search).start) : idRangeOf(extentOf(search, events.id))]
}

const cutSearchAt = (search: Search, key: Key, cuts: readonly number[]): readonly Search[] =>
  cutAt(rangesOf(search, key), cuts).flatMap((ranges) =>
    key === events.cell
      ? [onlyIn(search, ranges)]
      : ranges.map(([first, last]) => alsoIn(search, columnInRange(key, [BigInt(first), BigInt(last)]))),
  )

/** Cuts a search by starts or by ids into parts with about equal rows. */
export const cutBy = (
  search: Search,
  key: typeof events.start | typeof events.id,
  parts: number,
  { starts, ids }: Estimates,
): readonly Search[] => {
  const spread = key === events.start ? starts : ids
  const rows = rowsInRanges(spread, rangesOf(search, key))
  if (parts <= 1 || rows === 0) return [search]
  return cutSearchAt(search, key, cutsOf(rangesOf(search, key), rows / Math.ceil(parts), spread))
}

/** Returns values before which ranges are cut, so that each part probably has so many rows. */
export const cutsOf = (ranges: readonly ValueRange[], most: number, spread: Spread): readonly number[] => {
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
export const cutAt = (ranges: readonly ValueRange[], cuts: readonly number[]): readonly ValueRange[][] => {
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

/** Returns the column by which a search is cut: cells, if it has several, then starts, then ids. */
const keyOf = (search: Search): Key =>
  [events.cell, events.start].find((key) => !isOne(rangesOf(search, key))) ?? events.id

const isOne = (ranges: readonly ValueRange[]): boolean =>
  ranges.length === 0 || (ranges.length === 1 && ranges.every(([first, last]) => first === last))

/**
 * Cuts parts into those that probably have at most `most` rows. A sample of the rows shows where. Without cuts, the middle
 * of the values is one, so no part comes back unchanged.
 */
const cutParts = async (
  read: RowReader,
  large: readonly Search[],
  sampleOf: (part: Search) => ReturnType<typeof sampleQuery>,
  most: number,
): Promise<readonly Search[]> => {
  const parts: Search[] = []
  await readEach(read, large, sampleOf, function* (part, row) {
    const sample = numbersIn(row).sort()
    const cuts = [...sample].filter((_, i) => (i + 1) % Math.floor((PART * most) / SAMPLED) === 0)
    const key = keyOf(part)
    parts.push(...cutSearchAt(part, key, cuts.length > 0 ? cuts : [middleOf(rangesOf(part, key))]))
    yield
  })
  return parts
}

/** Returns the value before which half of the values of ranges lie, without the gaps between them. */
const middleOf = (ranges: readonly ValueRange[]): number => {
  const [first, last] = [at(at(ranges, 0), 0), at(at(ranges, -1), 1)]
  return Math.floor(first + (last - first) / 2) + 1
}
