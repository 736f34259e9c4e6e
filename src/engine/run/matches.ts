import type { SQL } from 'drizzle-orm'
import type { Steps } from '../../work.ts'
import type { Search } from '../conditions/search.ts'
import type { Row } from '../conditions/table.ts'
import { groupsQuery, listQuery, mostListed, numbersIn, planOf } from '../sql/plan.ts'
import { cutColumnOf, cutParts, firstParts, readParts } from './parts.ts'
import { coverOf } from './settle.ts'
import type { SnapshotReader } from './snapshot.ts'

/** Receives a number of equal rows. Their numbers start at `offset`. */
export type Sink = (rows: number, numbers: Float64Array, offset: number) => void

/**
 * Reads numbers of each match once, in parts. The database cuts a part with too many rows. `columns` are the numbers of a row.
 */
export const eachMatch = async (
  read: SnapshotReader,
  search: Search,
  columns: readonly SQL[],
  sink: Sink,
): Promise<void> => {
  const most = mostListed(columns)
  const cover = search.area && (await coverOf(read, search.area))
  const planPart = (part: Search) => planOf(part, read.statistics(), cover)
  for (let parts = firstParts(search, cover, read.statistics(), most); parts.length > 0; ) {
    const large: Search[] = []
    await readParts(
      read,
      parts,
      (part) => listQuery(planPart(part), columns),
      function* (part, [row]) {
        if (row === undefined || row.count <= most) yield* passNumbers(numbersIn(row), columns.length, sink)
        else large.push(part)
        return []
      },
    )
    // All rows of such a part start at one instant.
    for (const part of large.filter((each) => cutColumnOf(each) === null)) {
      const [rows] = await read(groupsQuery(planPart(part), columns))
      await read.work.run(passGroups(rows, columns, sink))
    }
    parts = await cutParts(read, large, planPart, most)
  }
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
