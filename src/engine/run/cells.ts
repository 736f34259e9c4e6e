import type { SQL } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { merged } from '../../geometry/covering.ts'
import { byCells } from '../candidates/paths.ts'
import type { Region, WeighedCell } from '../candidates/region.ts'
import type { Row } from '../conditions/table.ts'
import type { Search } from '../search.ts'
import type { ValueRange } from '../sql/counts.ts'
import { candidatesQuery, MAX_QUERIES, makeTester, maxRows, type OnCandidate } from './tester.ts'

/**
 * Tests all rows in some cells. If a query cannot return all rows of its cells, the next query continues there. `first`
 * sends the first queries of the request, even if there are no cells.
 */
export const testCells = async (
  search: Search,
  region: Region,
  cells: readonly WeighedCell[],
  where: SQL,
  extras: readonly SQL[],
  onCandidate: OnCandidate,
  first: (...queries: SQL[]) => Promise<Row[][]>,
): Promise<void> => {
  const tester = makeTester(search, region, null, where, extras, onCandidate)
  const query = (ranges: readonly ValueRange[]) =>
    candidatesQuery(search, byCells(search, merged(ranges), 0), where, extras)
  let waiting = chunksOf(region, cells, LIKELY * maxRows(extras))
  let send = first
  do {
    const chunks = waiting.slice(0, MAX_QUERIES)
    const answers = await send(...chunks.map(query))
    const rest = chunks.map((chunk, i) => from(chunk, tester.takeCells(at(answers, i))))
    waiting = [...rest.filter((ranges) => ranges.length > 0), ...waiting.slice(MAX_QUERIES)]
    send = search.read
  } while (waiting.length > 0)
  await tester.finish()
}

/** Returns the part of the ranges from a value on, or nothing if the value is null. */
const from = (ranges: readonly ValueRange[], value: number | null): ValueRange[] =>
  value === null
    ? []
    : ranges.flatMap(([first, last]): ValueRange[] => (last < value ? [] : [[Math.max(first, value), last]]))

/**
 * Groups neighbouring cells into chunks, so that one query can probably return all rows of a chunk. Splits cells that
 * are too large for one chunk.
 */
const chunksOf = (region: Region, cells: readonly WeighedCell[], most: number): (readonly ValueRange[])[] => {
  const chunks: ValueRange[][] = []
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

/** A chunk is filled to this part of what a query returns. The estimates are rough, so the rest is a reserve. */
const LIKELY = 0.7

const partsOf = (region: Pick<Region, 'rowsIn'>, { range, rows }: WeighedCell, most: number): WeighedCell[] => {
  const [first, last] = range
  if (rows <= most || first === last) return [{ range, rows }]
  const quarter = (last - first + 1) / 4
  return [0, 1, 2, 3].flatMap((i) => {
    const part: ValueRange = [first + i * quarter, first + (i + 1) * quarter - 1]
    return partsOf(region, { range: part, rows: region.rowsIn(part) }, most)
  })
}
