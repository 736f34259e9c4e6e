import type { SQL, SQLWrapper } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { at, bisect } from '../../collections.ts'
import { inRange } from '../../filters/filter.ts'
import type { Steps } from '../../work.ts'
import { alsoIn, boundsOf, extentOf, idsOf, numbersOf, type Search, type ValueRange } from '../conditions/search.ts'
import { rowsIn, type Spread, type Statistics } from '../estimates.ts'
import { type Cover, planOf, rangesOf } from '../sql/plan.ts'
import type { Read } from './database.ts'

/** The most queries of a round trip. The Worker holds their answers in memory at once: 7 MB. */
const MOST_QUERIES = 4

/**
 * Reads parts of a search, some in each round trip. `take` receives the rows of a part, and returns the parts that
 * replace it.
 */
export const readParts = async <R>(
  read: Read,
  parts: readonly Search[],
  queryOf: (part: Search) => SQL<R>,
  take: (part: Search, rows: readonly R[]) => Steps<readonly Search[]>,
): Promise<void> => {
  for (let waiting = [...parts]; waiting.length > 0; ) {
    const now = waiting.slice(0, MOST_QUERIES)
    const answers: readonly (readonly unknown[])[] = await read(...now.map(queryOf))
    const left: Search[] = []
    for (const [i, part] of now.entries())
      left.push(...(await read.work.run(take(part, at(answers, i) as readonly R[])))) // the query declares its rows
    waiting = [...left, ...waiting.slice(MOST_QUERIES)]
  }
}

/** Returns into how many parts rows are cut. The parts differ, so each is planned with a reserve. */
const partsFor = (rows: number, most: number): number => Math.max(2, Math.ceil((1.5 * rows) / most))

/** Splits a search of cells into parts with about `most` rows each, as far as this is known. */
const partsOfCells = (search: Search, most: number, statistics: Statistics): readonly Search[] =>
  cutCells(search.decided?.cells ?? [], most, statistics).map((chunk) => withDecided(search, chunk, []))

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
  const search = isOfCells ? withDecided(asked, rangesOf(cover), []) : asked
  const { decided } = search
  if (choice !== null || 1.5 * rows <= most) return [search]
  if (decided === null) return cutByStart(search, partsFor(rows, most), statistics)
  const { ids } = decided
  const chunks = Array.from({ length: Math.ceil(ids.length / most) }, (_, i) => ids.slice(i * most, (i + 1) * most))
  return [...partsOfCells(search, most / 1.5, statistics), ...chunks.map((chunk) => withDecided(search, [], chunk))]
}

const withDecided = (search: Search, cells: readonly ValueRange[], ids: readonly number[]): Search => ({
  ...search,
  decided: { cells, ids },
})

/** Cuts ranges of cells into chunks with about `most` rows each, as far as this is known. */
const cutCells = (ranges: readonly ValueRange[], most: number, { cells }: Statistics): readonly ValueRange[][] => {
  const chunks: ValueRange[][] = []
  let rows = Number.POSITIVE_INFINITY
  const take = (range: ValueRange): void => {
    const own = rowsIn(cells, ...range)
    if (own > most && range[0] < range[1]) {
      halves(range).forEach(take)
      return
    }
    if (rows + own > most) {
      chunks.push([])
      rows = 0
    }
    at(chunks, -1).push(range)
    rows += own
  }
  ranges.forEach(take)
  return chunks
}

const halves = ([first, last]: ValueRange): readonly ValueRange[] => {
  const middle = Math.floor(first + (last - first) / 2)
  return [
    [first, middle],
    [middle + 1, last],
  ]
}

/** Splits a search with too many rows into two. Returns nothing if its rows start at one instant. */
const halvesOf = (search: Search, statistics: Statistics): readonly Search[] => {
  const { decided } = search
  if (decided !== null && decided.ids.length + decided.cells.length > 1) {
    const { cells, ids } = decided
    if (cells.length > 0 && ids.length > 0) return [withDecided(search, cells, []), withDecided(search, [], ids)]
    const [c, i] = [Math.ceil(cells.length / 2), Math.ceil(ids.length / 2)]
    return [withDecided(search, cells.slice(0, c), ids.slice(0, i)), withDecided(search, cells.slice(c), ids.slice(i))]
  }
  const [range] = decided?.cells ?? []
  if (range !== undefined && range[0] < range[1]) return halves(range).map((half) => withDecided(search, [half], []))
  const [first, last] = numbersOf(boundsOf(search).start)
  return first === last ? [] : cutByStart(search, 2, statistics)
}

/** Splits a search that has too many rows. Returns nothing if they start at one instant. `chosen` are the rows of its path, if they are known. */
export const splitOf = (
  search: Search,
  statistics: Statistics,
  chosen: number | null,
  most: number,
): readonly Search[] => {
  if (chosen === null) return halvesOf(search, statistics)
  const [first, last] = numbersOf(boundsOf(search).start)
  return first === last ? [] : cutByStart(search, partsFor(chosen, most), statistics)
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
  if (parts < 2) return [search]
  const total = rowsIn(spread, first, last)
  const ends = Array.from({ length: parts - 1 }, (_, i) =>
    bisect(first, last, (middle) => rowsIn(spread, first, middle) < (total * (i + 1)) / parts),
  )
  const known = [...new Set(ends.filter((end) => end < last))]
  const cuts = [first - 1, ...(known.length > 0 && total > 0 ? known : [at(halves([first, last]), 0)[1]]), last]
  return cuts.slice(1).map((end, i) => alsoIn(search, inRange(column, [BigInt(at(cuts, i)) + 1n, BigInt(end)])))
}
