import type { SQL } from 'drizzle-orm'
import { merged } from '../../geometry/covering.ts'
import type { Range } from '../db/counts.ts'
import { byCells } from '../plan/paths.ts'
import type { Search } from '../search.ts'
import type { Row } from '../table.ts'
import { atOnce, candidatesQuery, type Found, makeTester, QUERIES_AT_ONCE } from './candidates.ts'
import type { Region, WeighedCell } from './region.ts'

/**
 * Tests all rows of some cells, in as many queries as their number takes: cells that hold too many for one are split.
 * `first` sends the first of them, also where there are none.
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
  const query = (chunk: readonly WeighedCell[]) =>
    candidatesQuery(search, byCells(search, merged(chunk.map(({ range }) => range)), 0), where, extras)
  let waiting = chunksOf(cells, atOnce(extras))
  let send = first
  do {
    const chunks = waiting.slice(0, QUERIES_AT_ONCE)
    const answers = await send(chunks.map(query))
    const refused = chunks.filter((_, i) => !tester.take(answers[i] ?? []))
    const [single, several] = [refused.filter(isFinest), refused.filter((chunk) => !isFinest(chunk))]
    for (const [cell] of single) tester.leave(cell?.range[0] ?? 0)
    waiting = [...several.flatMap(halves), ...waiting.slice(QUERIES_AT_ONCE)]
    send = (queries) => search.read(...queries)
  } while (waiting.length > 0)
  await tester.finish()
}

/** Neighbouring cells together, as long as their rows are likely to be taken at once. */
const chunksOf = (cells: readonly WeighedCell[], most: number): (readonly WeighedCell[])[] => {
  const chunks: WeighedCell[][] = []
  let expected = Number.POSITIVE_INFINITY
  for (const cell of cells) {
    if (expected + cell.rows > 0.7 * most) {
      chunks.push([])
      expected = 0
    }
    chunks.at(-1)?.push(cell)
    expected += cell.rows
  }
  return chunks
}

const isFinest = ([cell, ...others]: readonly WeighedCell[]): boolean =>
  others.length === 0 && cell !== undefined && cell.range[0] === cell.range[1]

const halves = (cells: readonly WeighedCell[]): (readonly WeighedCell[])[] => {
  const [first, ...others] = cells
  if (others.length > 0 || first === undefined)
    return [cells.slice(0, cells.length >> 1), cells.slice(cells.length >> 1)]
  const [from, to] = first.range
  const middle = Math.floor((from + to) / 2)
  const half = (range: Range) => [{ range, rows: first.rows / 2 }]
  return [half([from, middle]), half([middle + 1, to])]
}
