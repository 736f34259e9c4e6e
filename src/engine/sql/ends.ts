import { type SQL, sql } from 'drizzle-orm'
import { all, integer, integerOf, rangesTable } from '../../filters/sql.ts'
import type { Ends } from '../candidates/ends.ts'
import { isDown, type Slice } from '../conditions/page.ts'
import type { Search } from '../conditions/search.ts'
import { indexOn } from '../conditions/table.ts'
import { fromIndex } from './columns.ts'
import { beyondStart, boundOf } from './where.ts'

/** All ends are nearer to 1970 than this number of milliseconds. */
const NEVER = 2 ** 53 - 1

/**
 * Selects the ids of a slice of one entry, in the order of the end. Some rows that start near the slice give a first
 * `edge`: enough rows end before it. So only long rows that reach it are read, and they give a nearer edge for the short
 * rows. If `gate` has no row, it reads nothing.
 */
export const idsByEnd = (search: Search, ends: Ends, slice: Slice, gate: SQL = sql`(SELECT 1)`): SQL => {
  const { table, access, visible, order } = search
  const { start, end, duration, durationClass } = access.time
  const { index, id, short, long, starts } = ends
  const limit = integer(BigInt(short))
  const down = isDown(order, slice)
  const direction = (descending: boolean) => sql.raw(descending ? 'DESC' : 'ASC')
  const needed = slice.offset + slice.limit
  const from = slice.from === null ? integerOf(down ? NEVER : -NEVER) : boundOf(search, slice.from, down)
  const [least, greatest] = down ? [sql`edge.at`, from] : [from, sql`edge.at`]
  const isOwn = all([sql`${index.on} = ${integerOf(id)}`, visible, beyondStart(search, slice)])
  const own = fromIndex(table, index)
  const ordered = sql`ORDER BY at ${direction(down)}, id ${direction(slice.backward)}`
  const edgeOf = (rows: SQL) => sql`SELECT coalesce((SELECT at FROM (${rows}) ORDER BY at ${direction(down)}
    LIMIT 1 OFFSET ${needed - 1}), ${integerOf(down ? -NEVER : NEVER)}) AS at`
  const columns = sql`${table.id} AS id, ${end} AS at`
  return sql`SELECT id FROM (
    WITH sample AS MATERIALIZED (SELECT ${end} AS at, ${start} AS start, ${duration} AS lasting FROM ${gate} CROSS JOIN ${own}
      WHERE ${isOwn} AND ${start} ${sql.raw(down ? '<=' : '>=')} ${from} ORDER BY ${start} ${direction(down)} LIMIT ${2 * needed}),
    edge AS MATERIALIZED (${edgeOf(sql`SELECT at FROM sample`)}),
    far AS MATERIALIZED (SELECT * FROM (SELECT ${columns} FROM ${gate} CROSS JOIN edge CROSS JOIN ${rangesTable(long)}
        CROSS JOIN ${fromIndex(table, indexOn(access, durationClass, true))}
      WHERE ${isOwn} AND ${durationClass} = span.value ->> 0 AND ${end} BETWEEN ${least} AND ${greatest}
        AND ${start} BETWEEN max(${least} - (span.value ->> 2), ${integerOf(starts[0])})
          AND min(${greatest} - (span.value ->> 1), ${integerOf(starts[1])}${down ? sql`, (SELECT max(start) FROM sample)` : sql``})
      ${ordered} LIMIT -1) LIMIT ${needed}),
    nearer AS MATERIALIZED (${edgeOf(sql`SELECT at FROM sample WHERE lasting < ${limit} UNION ALL SELECT at FROM far`)}),
    near AS (SELECT ${columns} FROM ${gate} CROSS JOIN nearer AS edge CROSS JOIN ${own}
      WHERE ${isOwn} AND ${duration} < ${limit} AND ${end} BETWEEN ${least} AND ${greatest}
        AND ${start} BETWEEN ${least} - ${limit} AND ${greatest})
    SELECT id FROM (SELECT id, at FROM near UNION ALL SELECT id, at FROM far)
    ${ordered} LIMIT -1)
  LIMIT ${slice.limit} OFFSET ${slice.offset}`
}
