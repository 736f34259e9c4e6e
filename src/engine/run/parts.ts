import type { SQL, SQLWrapper } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { at, bisect, chunksOf } from '../../collections.ts'
import { inRange } from '../../filters/filter.ts'
import type { Steps } from '../../work.ts'
import { alsoIn, boundsOf, extentOf, idsOf, numbersOf, type Search, type ValueRange } from '../conditions/search.ts'
import { rowsIn, type Spread, type Statistics } from '../estimates.ts'
import { MAX_AT_ONCE, PART, SAMPLED } from '../limits.ts'
import { type Cover, cellsOf, numbersIn, type Plan, planOf, sampleQuery } from '../sql/plan.ts'
import type { SnapshotReader } from './snapshot.ts'

/**
 * Reads parts of a search, some in each round trip. `take` receives the rows of a part, and returns the parts that
 * replace it.
 */
export const readParts = async <R>(
  read: SnapshotReader,
  parts: readonly Search[],
  queryOf: (part: Search) => SQL<R>,
  take: (part: Search, rows: readonly R[]) => Steps<readonly Search[]>,
): Promise<void> => {
  for (let waiting = [...parts]; waiting.length > 0; ) {
    const now = waiting.slice(0, MAX_AT_ONCE)
    const answers: readonly (readonly unknown[])[] = await read(...now.map(queryOf))
    const left: Search[] = []
    for (const [i, part] of now.entries())
      left.push(...(await read.work.run(take(part, at(answers, i) as readonly R[])))) // the query declares its rows
    waiting = [...left, ...waiting.slice(MAX_AT_ONCE)]
  }
}

/** Splits a search into parts that probably have at most `most` rows each. Its estimate may be a guess. */
export const firstParts = (
  asked: Search,
  cover: Cover | null,
  statistics: Statistics,
  most: number,
): readonly Search[] => {
  const { rows, choice, sources } = planOf(asked, statistics, cover)
  // Cells are split by cells, because starts would read all of them for each part.
  const isOfCells = cover !== null && choice === null && sources[0]?.path.name === 'cells'
  const search = isOfCells ? withDecided(asked, cellsOf(cover), []) : asked
  const { decided } = search
  if (choice !== null) return [search]
  // The parts differ, so each is planned with a reserve.
  if (decided === null) return cutByStart(search, Math.ceil(rows / (PART * most)), statistics)
  const { cells, ids } = decided
  const cuts = cutsOfCells(cells, PART * most, statistics)
  return [...inCells(search, cells, cuts), ...chunksOf(ids, most).map((chunk) => withDecided(search, [], chunk))]
}

const withDecided = (search: Search, cells: readonly ValueRange[], ids: readonly number[]): Search => ({
  ...search,
  decided: { cells, ids },
})

/** Returns cells before which ranges are cut, so that each part probably has at most `most` rows. */
const cutsOfCells = (ranges: readonly ValueRange[], most: number, { cells }: Statistics): readonly number[] => {
  const cuts: number[] = []
  let rows = 0
  const take = (first: number, last: number): void => {
    const own = rowsIn(cells, first, last)
    if (own > most && first < last) {
      const middle = Math.floor(first + (last - first) / 2)
      take(first, middle)
      take(middle + 1, last)
      return
    }
    if (rows + own > most) {
      cuts.push(first)
      rows = 0
    }
    rows += own
  }
  for (const range of ranges) take(...range)
  return cuts
}

/** Returns the column by which a search is cut. Null: its rows start at one instant. */
export const cutColumnOf = (search: Search): SQLWrapper | null => {
  if (search.decided !== null && !isOne(search.decided.cells)) return events.cell
  return isOne([numbersOf(boundsOf(search).start)]) ? null : events.start
}

const isOne = (ranges: readonly ValueRange[]): boolean =>
  ranges.length === 0 || (ranges.length === 1 && ranges.every(([first, last]) => first === last))

/**
 * Cuts searches into parts with at most `most` rows, as far as their keys allow. Samples show where. A search
 * without a key is left out. None has both cells and ids.
 */
export const cutParts = async (
  read: SnapshotReader,
  searches: readonly Search[],
  planPart: (part: Search) => Plan,
  most: number,
): Promise<readonly Search[]> => {
  const parts: Search[] = []
  for (const key of [events.cell, events.start]) {
    const large = searches.filter((each) => cutColumnOf(each) === key)
    const sampleOf = (part: Search) => sampleQuery(planPart(part), key)
    await readParts(read, large, sampleOf, function* (part, [row]) {
      const sample = numbersIn(row).sort()
      const cuts = [...sample].filter((_, i) => (i + 1) % Math.floor((PART * most) / SAMPLED) === 0)
      const { decided } = part
      parts.push(
        ...(key === events.start || decided === null
          ? inRanges(part, events.start, numbersOf(boundsOf(part).start), cuts)
          : inCells(part, decided.cells, cuts)),
      )
      return []
    })
  }
  return parts
}

const inCells = (search: Search, cells: readonly ValueRange[], cuts: readonly number[]): readonly Search[] =>
  cutAt(cells, cuts).map((chunk) => withDecided(search, chunk, []))

const inRanges = (search: Search, column: SQLWrapper, range: ValueRange, cuts: readonly number[]): readonly Search[] =>
  cutAt([range], cuts).flatMap((ranges) =>
    ranges.map(([first, last]) => alsoIn(search, inRange(column, [BigInt(first), BigInt(last)]))),
  )

/** Cuts ranges before some values. A part that begins with such a value ends with it. Ranges and values are sorted. */
const cutAt = (ranges: readonly ValueRange[], cuts: readonly number[]): readonly ValueRange[][] => {
  const parts: ValueRange[][] = []
  let part: ValueRange[] = []
  const close = () => {
    if (part.length > 0) parts.push(part)
    part = []
  }
  for (const [first, last] of ranges) {
    let from = first
    for (const cut of cuts.filter((each) => each >= first && each <= last)) {
      if (cut < from) continue
      const end = cut > from || part.length > 0 ? cut - 1 : cut
      if (from <= end) part.push([from, end])
      close()
      from = end + 1
    }
    if (from <= last) part.push([from, last])
  }
  close()
  return parts
}

/** Cuts a search by starts into parts with about equal rows. */
const cutByStart = (search: Search, parts: number, { starts }: Statistics): readonly Search[] =>
  cutBy(search, events.start, numbersOf(boundsOf(search).start), parts, starts)

/** Cuts a search by ids into parts with about equal rows. */
export const cutById = (search: Search, parts: number, { ids }: Statistics): readonly Search[] =>
  cutBy(search, events.id, idsOf(extentOf(search, events.id)), parts, ids)

/** Cuts a range of a column into parts. Without statistics it is halved. */
const cutBy = (
  search: Search,
  column: SQLWrapper,
  [first, last]: ValueRange,
  parts: number,
  spread: Spread,
): readonly Search[] => {
  if (parts < 2 || first >= last) return [search]
  const total = rowsIn(spread, first, last)
  const ends = Array.from({ length: parts - 1 }, (_, i) =>
    bisect(first, last, (middle) => rowsIn(spread, first, middle) < (total * (i + 1)) / parts),
  )
  const known = [...new Set(ends)].filter((end) => end < last).map((end) => end + 1)
  const cuts = known.length > 0 && total > 0 ? known : [Math.floor(first + (last - first) / 2) + 1]
  return inRanges(search, column, [first, last], cuts)
}
