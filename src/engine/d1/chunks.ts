import type { SQL } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { at, bisect, chunksOf, type ValueRange } from '../../base/collections.ts'
import type { Steps } from '../../base/work.ts'
import { CHUNK, MAX_AT_ONCE, SAMPLED } from '../limits.ts'
import type { RowReader } from './database.ts'
import { type Estimates, rowsIn, rowsInRanges, type Spread } from './estimates.ts'
import { columnInRange } from './part.ts'
import { type ListRow, numbersIn, type Plan, sampleQuery } from './plan.ts'
import { idRangeOf, numbersOf } from './ranges.ts'
import { alsoIn, extentOf, onlyIn, type Search, timesOf } from './search.ts'

/** How chunks are read: a list of at most `most` rows for each. */
interface ChunkReading {
  readonly queryOf: (chunk: Search) => SQL<ListRow>
  readonly planChunk: (chunk: Search) => Plan
  readonly most: number
  /** A further condition on the rows of the lists. */
  readonly more?: SQL | null
}

/** Reads chunks of a search. `take` receives the list of each. A chunk with too many rows is cut, and read again. */
export const readChunks = async (
  read: RowReader,
  chunks: readonly Search[],
  { queryOf, planChunk, most, more = null }: ChunkReading,
  take: (list: ListRow, chunk: Search) => Steps<void>,
): Promise<void> => {
  for (let left = chunks; left.length > 0; ) {
    const large: Search[] = []
    await readEach(read, left, queryOf, function* (chunk, row) {
      if (row.count > most) large.push(chunk)
      else yield* take(row, chunk)
    })
    left = await cutChunks(read, large, (chunk) => sampleQuery(planChunk(chunk), keyOf(chunk), more), most)
  }
}

/** Sends a query for each chunk, some in each round trip. `take` receives its only row. */
const readEach = async <Chunk, R>(
  read: RowReader,
  chunks: readonly Chunk[],
  queryOf: (chunk: Chunk) => SQL<R>,
  take: (chunk: Chunk, row: R) => Steps<void>,
): Promise<void> => {
  for (const now of chunksOf(chunks, MAX_AT_ONCE)) {
    const answers = await read(...now.map(queryOf))
    for (const [i, chunk] of now.entries()) await read.work.run(take(chunk, at(at(answers, i), 0) as R)) // the query declares its row
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

/** Cuts a search by starts or by ids into chunks with about equal rows. */
export const cutBy = (
  search: Search,
  key: typeof events.start | typeof events.id,
  chunks: number,
  { starts, ids }: Estimates,
): readonly Search[] => {
  const spread = key === events.start ? starts : ids
  const rows = rowsInRanges(spread, rangesOf(search, key))
  if (chunks <= 1 || rows === 0) return [search]
  return cutSearchAt(search, key, cutsOf(rangesOf(search, key), rows / Math.ceil(chunks), spread))
}

/** Returns values before which ranges are cut, so that each chunk probably has so many rows. */
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

/** Cuts ranges before some values. A chunk that begins with such a value ends with it. Ranges and values are sorted. */
export const cutAt = (ranges: readonly ValueRange[], cuts: readonly number[]): readonly ValueRange[][] => {
  const chunks: ValueRange[][] = []
  let chunk: ValueRange[] = []
  let next = 0
  const close = () => {
    if (chunk.length > 0) chunks.push(chunk)
    chunk = []
  }
  for (const [first, last] of ranges) {
    let from = first
    for (; next < cuts.length && at(cuts, next) <= last; next++) {
      const cut = at(cuts, next)
      const end = cut === from && chunk.length === 0 ? cut : cut - 1
      if (from <= end) chunk.push([from, end])
      from = Math.max(from, end + 1)
      close()
    }
    if (from <= last) chunk.push([from, last])
  }
  close()
  return chunks
}

/** Returns the column by which a search is cut: cells, if it has several, then starts, then ids. */
const keyOf = (search: Search): Key =>
  [events.cell, events.start].find((key) => !isOne(rangesOf(search, key))) ?? events.id

const isOne = (ranges: readonly ValueRange[]): boolean =>
  ranges.length === 0 || (ranges.length === 1 && ranges.every(([first, last]) => first === last))

/**
 * Cuts chunks into those that probably have at most `most` rows. A sample of the rows shows where. Without cuts, the middle
 * of the values is one, so no chunk comes back unchanged.
 */
const cutChunks = async (
  read: RowReader,
  large: readonly Search[],
  sampleOf: (chunk: Search) => ReturnType<typeof sampleQuery>,
  most: number,
): Promise<readonly Search[]> => {
  const chunks: Search[] = []
  await readEach(read, large, sampleOf, function* (chunk, row) {
    const sample = numbersIn(row).sort()
    const cuts = [...sample].filter((_, i) => (i + 1) % Math.floor((CHUNK * most) / SAMPLED) === 0)
    const key = keyOf(chunk)
    chunks.push(...cutSearchAt(chunk, key, cuts.length > 0 ? cuts : [middleOf(rangesOf(chunk, key))]))
    yield
  })
  return chunks
}

/** Returns the value before which half of the values of ranges lie, without the gaps between them. */
const middleOf = (ranges: readonly ValueRange[]): number => {
  const [first, last] = [at(at(ranges, 0), 0), at(at(ranges, -1), 1)]
  return Math.floor(first + (last - first) / 2) + 1
}
