import type { SQL } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { at, bisect, type ValueRange } from '../../collections.ts'
import { inRange } from '../../filters/filter.ts'
import type { Steps } from '../../work.ts'
import { alsoIn, boundsOf, extentOf, idRangeOf, numbersOf, onlyIn, type Search } from '../conditions/search.ts'
import { type Estimates, rowsIn, type Spread } from '../estimates.ts'
import { MAX_AT_ONCE, PART, SAMPLED } from '../limits.ts'
import { numbersIn, type Plan, sampleQuery } from '../sql/plan.ts'
import type { Reader } from './database.ts'

/** Reads parts of a search, some in each round trip. `take` receives the rows of a part, and returns the parts that replace it. */
export const readParts = async <R, Part = Search>(
  read: Reader,
  parts: readonly Part[],
  queryOf: (part: Part) => SQL<R>,
  take: (part: Part, rows: readonly R[]) => Steps<readonly Part[]>,
): Promise<void> => {
  for (let waiting = [...parts]; waiting.length > 0; ) {
    const now = waiting.slice(0, MAX_AT_ONCE)
    const answers = await read(...now.map(queryOf))
    const left: Part[] = []
    for (const [i, part] of now.entries())
      left.push(...(await read.work.run(take(part, at(answers, i) as readonly R[])))) // the query declares its rows
    waiting = [...left, ...waiting.slice(MAX_AT_ONCE)]
  }
}

/** Cuts a search by ids into parts with about equal rows. */
export const cutById = (search: Search, parts: number, { ids }: Estimates): readonly Search[] =>
  cutBy(search, events.id, idRangeOf(extentOf(search, events.id)), parts, ids)

type Key = typeof events.id | typeof events.start

const cutSearchAt = (search: Search, key: Key, range: ValueRange, cuts: readonly number[]): readonly Search[] =>
  cutAt([range], cuts).flatMap((ranges) =>
    ranges.map(([first, last]) => alsoIn(search, inRange(key, [BigInt(first), BigInt(last)]))),
  )

/** Cuts a range of a key into parts with about equal rows. Without estimates it is halved. */
export const cutBy = (
  search: Search,
  key: Key,
  range: ValueRange,
  parts: number,
  spread: Spread,
): readonly Search[] => {
  const [first, last] = range
  if (parts <= 1 || first >= last) return [search]
  const rows = rowsIn(spread, first, last)
  const cuts = rows > 0 ? cutsOf([range], rows / Math.ceil(parts), spread).filter((cut) => cut <= last) : []
  return cutSearchAt(search, key, range, cuts.length > 0 ? cuts : [Math.floor(first + (last - first) / 2) + 1])
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

/** Returns the column by which a search is cut. Null: its rows start at one instant, and lie in one cell if it has cells. */
export const keyOf = (search: Search): typeof events.cell | typeof events.start | null => {
  if (search.only !== null && !isOne(search.only.cells)) return events.cell
  return isOne([numbersOf(boundsOf(search).start)]) ? null : events.start
}

const isOne = (ranges: readonly ValueRange[]): boolean =>
  ranges.length === 0 || (ranges.length === 1 && ranges.every(([first, last]) => first === last))

/** Cuts searches into parts with at most `most` rows, as far as their keys allow. Samples show where. */
export const cutParts = async (
  read: Reader,
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

export const inCells = (search: Search, cells: readonly ValueRange[], cuts: readonly number[]): readonly Search[] =>
  cutAt(cells, cuts).map((chunk) => onlyIn(search, chunk))
