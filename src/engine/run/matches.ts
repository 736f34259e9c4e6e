import type { SQL } from 'drizzle-orm'
import type { Steps } from '../../work.ts'
import type { Search } from '../conditions/search.ts'
import type { Row } from '../conditions/table.ts'
import type { Statistics } from '../estimates.ts'
import { groupsQuery, listQuery, mostListed } from '../sql/lists.ts'
import { planOf } from '../sql/plan.ts'
import { coverOf } from './cover.ts'
import type { Read } from './database.ts'
import { firstParts, readParts, splitOf } from './parts.ts'

/** Receives a number of equal rows. Their numbers start at `offset`. */
export type Sink = (rows: number, numbers: Float64Array, offset: number) => void

/**
 * Reads numbers of each match once, in parts. A part with too many rows is split. `columns` are the numbers of a row.
 */
export const eachMatch = async (
  read: Read,
  search: Search,
  statistics: Statistics,
  columns: readonly SQL[],
  sink: Sink,
): Promise<void> => {
  const most = mostListed(columns)
  const cover = search.area && (await read.work.run(coverOf(search.area, statistics)))
  const grouped: Search[] = []
  const listOf = (part: Search) => listQuery(planOf(part, statistics, cover), columns)
  await readParts(read, firstParts(search, cover, statistics, most), listOf, function* (part, [row]) {
    if (row === undefined || row.count <= most) {
      yield* passNumbers(numbersIn(row?.list ?? ''), columns.length, sink)
      return []
    }
    const parts = splitOf(part, statistics, row.chosen, most)
    if (parts.length === 0) grouped.push(part)
    return parts
  })
  // All rows of such a part start at one instant.
  for (const part of grouped) {
    const [rows] = await read(groupsQuery(planOf(part, statistics, null), columns))
    await read.work.run(passGroups(rows, columns, sink))
  }
}

/** Parses a comma-separated list of numbers. `JSON.parse` is faster than a loop over the characters. */
const numbersIn = (list: string): Float64Array => new Float64Array(JSON.parse(`[${list}]`))

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
