import { type SQL, sql } from 'drizzle-orm'
import { all, asCount, type ColumnRange, integerOf } from '../../filters/sql.ts'
import type { OrderTree, Search } from '../conditions/search.ts'
import type { Plan, StoredCount } from '../plan/plan.ts'
import { countInDurations, countInIds, countInTime, total } from './counts.ts'
import { countOf } from './points.ts'
import { cellsSource, classesSource, sourceOf } from './sources.ts'
import { entriesQuery, whereOf } from './where.ts'

type CountQuery = SQL<{ readonly count: number }>

/** Counts the matches that SQL alone decides. Throws if the Worker has to test them. */
export const countQuery = (search: Search, plan: Plan): CountQuery => {
  const { count, narrow } = plan
  const { table, access } = search
  switch (count.by) {
    case 'stored counts':
      return storedCountQuery(search, count.of)
    case 'rectangles':
      return asCount(
        sql`${integerOf(count.counted)} + (${countOf(cellsSource(table, access, count.ranges), whereOf(search, plan))})`,
      )
    case 'path':
    case 'the same scan':
      return countOf(sourceOf(search, narrow), whereOf(search, plan, narrow.entries))
    default:
      throw new RangeError(`No query counts by ${count.by}.`)
  }
}

/** Reads a number of rows from stored counts. */
export const storedCountQuery = (search: Search, stored: StoredCount): CountQuery => {
  const { access, level, visible, table } = search
  const inTime = (tree: 'start' | 'end', extent: ColumnRange) => countInTime(table, access, tree, extent, level)
  switch (stored.of) {
    case 'nothing':
      return asCount(integerOf(0))
    case 'everything':
      return asCount(total(access, level))
    case 'entries':
      return asCount(integerOf(stored.rows))
    case 'matching entries':
      return sql`SELECT coalesce(sum("rows"), 0) AS count FROM (${entriesQuery(stored.group, level)})`
    case 'ids':
      return asCount(countInIds(table, access, stored.extent, level))
    case 'times':
      return asCount(inTime(stored.tree, stored.extent))
    case 'durations':
      return asCount(
        sql.join(
          stored.extents.map((extent) => countInDurations(table, access, extent, level)),
          sql` + `,
        ),
      )
    case 'overlap':
      return asCount(sql`${inTime('start', stored.start)} - (${inTime('end', [null, stored.endsBefore - 1n])})`)
    case 'period': {
      const { source, enter } = classesSource(search, stored.later)
      const late = all([enter, visible, sql`${access.time.end} > ${sql.raw(String(stored.last))}`])
      return asCount(sql`${inTime('start', stored.start)} - (SELECT count(*) FROM ${source} WHERE ${late})`)
    }
  }
}

/** Counts the visible rows below a value of a tree. */
export const countBelowQuery = (
  { table, access, level }: Search,
  tree: OrderTree,
  least: bigint | null,
): CountQuery => {
  if (least === null) return asCount(integerOf(0))
  const below: ColumnRange = [null, least - 1n]
  return asCount(
    tree === 'id' ? countInIds(table, access, below, level) : countInTime(table, access, tree, below, level),
  )
}
