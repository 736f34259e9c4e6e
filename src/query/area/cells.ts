import type { SQL } from 'drizzle-orm'
import { merged } from '../../geometry/covering.ts'
import type { Range } from '../db/counts.ts'
import { byCells } from '../plan/paths.ts'
import type { Search } from '../search.ts'
import type { Row } from '../table.ts'
import { atOnce, candidatesQuery, type Found, makeTester, QUERIES_AT_ONCE } from './candidates.ts'
import type { Region, WeighedCell } from './region.ts'

/**
 * Tests all rows of some cells, in as many queries as their number takes: where there are more than one query brings, the
 * next goes on from there. `first` sends the first of them, also where there are none.
 */
export const testCells = async (
  search: Search,
  region: Region,
  cells: readonly WeighedCell[],
  where: SQL,
  extras: readonly SQL[],
  found: Found,
  first: (queries: readonly SQL[]) => Promise<readonly (readonly Row[])[]>,
): Promise<void> => {
  const tester = makeTester(search, region, null, where, extras, found)
  const query = (ranges: readonly Range[]) => candidatesQuery(search, byCells(search, merged(ranges), 0), where, extras)
  let waiting = chunksOf(region, cells, LIKELY * atOnce(extras))
  let send = first
  do {
    const chunks = waiting.slice(0, QUERIES_AT_ONCE)
    const answers = await send(chunks.map(query))
    const rest = chunks.map((chunk, i) => from(chunk, tester.takeCells(answers[i] ?? [])))
    waiting = [...rest.filter((ranges) => ranges.length > 0), ...waiting.slice(QUERIES_AT_ONCE)]
    send = (queries) => search.read(...queries)
  } while (waiting.length > 0)
  await tester.finish()
}

/** What of ranges lies from a value on; nothing without one. */
const from = (ranges: readonly Range[], value: number | null): Range[] =>
  value === null
    ? []
    : ranges.flatMap(([first, last]): Range[] => (last < value ? [] : [[Math.max(first, value), last]]))

/** Neighbouring cells together, as long as their rows are likely to be taken at once; larger ones are split. */
const chunksOf = (region: Region, cells: readonly WeighedCell[], most: number): (readonly Range[])[] => {
  const chunks: Range[][] = []
  let expected = Number.POSITIVE_INFINITY
  for (const { range, rows } of cells.flatMap((cell) => partsOf(region, cell, most))) {
    if (expected + rows > most) {
      chunks.push([])
      expected = 0
    }
    chunks.at(-1)?.push(range)
    expected += rows
  }
  return chunks
}

/** What part of the rows that a query can bring may be expected, so that no more are likely. */
const LIKELY = 0.7

const partsOf = (region: Pick<Region, 'rowsIn'>, { range, rows }: WeighedCell, most: number): WeighedCell[] => {
  const [first, last] = range
  if (rows <= most || first === last) return [{ range, rows }]
  const quarter = (last - first + 1) / 4
  return [0, 1, 2, 3].flatMap((i) => {
    const part: Range = [first + i * quarter, first + (i + 1) * quarter - 1]
    return partsOf(region, { range: part, rows: region.rowsIn(part) }, most)
  })
}
