import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { badRequest } from '../../base/errors.ts'
import type { Search } from '../conditions/search.ts'
import { MAX_PARSED } from '../limits.ts'
import type { RowReader } from '../run/database.ts'
import { eachMatch, eachRow, type Sink } from '../run/matches.ts'
import type { NumberColumn } from './facets.ts'

export const numberColumn = (column: SQL): NumberColumn => ({ column, parse: null })

export const START = numberColumn(sql`${events.start}`)

/**
 * Passes the numbers of each match once. Columns of numbers alone come in a compact form. With a column of JSON, all of
 * them come as JSON. Throws a 400 for too many such rows.
 */
export const eachNumber = async (
  read: RowReader,
  search: Search,
  columns: readonly NumberColumn[],
  sink: Sink,
): Promise<void> => {
  const written = columns.map(({ column }) => column)
  if (columns.every(({ parse }) => parse === null)) return eachMatch(read, search, written, sink)
  const row = new Float64Array(columns.length)
  let rows = 0
  await eachRow(read, search, written, (values) => {
    rows += 1
    if (rows > MAX_PARSED)
      throw badRequest(
        `More than ${MAX_PARSED.toLocaleString('en')} events match, too many to summarize their attributes. Add a filter, such as a period.`,
      )
    columns.forEach(({ parse }, i) => {
      row[i] = parse === null ? Number(values[i]) : parse(values[i])
    })
    sink(row, 0)
  })
}
