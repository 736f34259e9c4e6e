import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { all, asCount, type ColumnRange, integer } from '../../filters/sql.ts'
import {
  asksNothing,
  asksOnlyArea,
  idsOf,
  isPossible,
  isRectangular,
  numbersOf,
  type Search,
  timeBounds,
} from '../conditions/search.ts'
import { MAX_RANGES } from '../limits.ts'
import { countIn, countInDurations, total } from './counts.ts'
import { countMatches } from './matches.ts'
import { cellsPath, durationsOf } from './paths.ts'
import type { Cover, Plan } from './plan.ts'
import { classesOf, inClasses } from './time.ts'
import { whereOf } from './where.ts'

type CountQuery = SQL<{ readonly count: number }>

/** Counts the matches that SQL alone decides. Stored counts give them if the conditions are on one column. */
export const countQuery = (search: Search, plan: Plan, cover: Cover | null = null): CountQuery => {
  const stored = storedCount(search)
  if (stored !== null) return asCount(stored)
  const { area } = search
  if (area === null || cover === null || !isRectangular(area) || !asksOnlyArea(search)) return countMatches(plan)
  const { interior, boundary } = cover.covering
  const { from, enter } = cellsPath(boundary, cover.atBoundary)
  const atBoundary = sql`SELECT count(*) FROM ${from} WHERE ${all([enter, whereOf(search)])}`
  return asCount(sql`${countIn(search, 'cell', interior)} + (${atBoundary})`)
}

/** Returns true if stored counts know the number of matches. */
export const hasStoredCount = (search: Search): boolean => storedCount(search) !== null

/**
 * Writes the stored count of the matches. Counts are stored for all rows, for entries of one dictionary, and for ranges of
 * ids, times and durations. Returns null for other conditions.
 */
const storedCount = (search: Search): SQL | null => {
  const { plain, ranges, groups, level } = search
  if (!isPossible(search)) return sql`0`
  if (asksNothing(search)) return total(level)
  if (plain.length > 0 || search.area !== null || search.decided !== null) return null
  const [group, ...others] = groups
  if (group !== undefined) {
    const { dictionary, match } = group
    const { key, id, table, counts } = dictionary
    if (others.length + ranges.size > 0 || counts === undefined || key === id) return null
    return sql`(SELECT coalesce(sum(${counts(level)}), 0) FROM ${table} WHERE ${match})`
  }
  if ([...ranges.values()].some(({ length }) => length > MAX_RANGES)) return null
  const sumOf = (column: object, count: (extent: ColumnRange) => SQL) =>
    sql.join((ranges.get(column as typeof events.id) ?? []).map(count), sql` + `)
  const [only, ...more] = [...ranges.keys()]
  if (more.length > 0) return storedCountOfTimes(search)
  if (only === events.id) return sumOf(only, (extent) => countIn(search, 'id', [idsOf(extent)]))
  if (only === eventLength)
    return sql.join(
      durationsOf(ranges.get(only) ?? []).map((extent) => countInDurations(search, extent)),
      sql` + `,
    )
  if (only === events.start) return sumOf(only, (extent) => countIn(search, 'start', [numbersOf(extent)]))
  return only === events.end ? sumOf(only, (extent) => countIn(search, 'end', [numbersOf(extent)])) : null
}

/**
 * Counts by start and end, because no row ends before it starts. An overlap has the rows that start early enough, minus
 * the rows that end too early. A period has the rows that start in it, minus the rows that end later. Returns null for
 * other combinations.
 */
const storedCountOfTimes = (search: Search): SQL | null => {
  const { ranges, visible } = search
  const [start, ...starts] = ranges.get(events.start) ?? []
  const [end, ...ends] = ranges.get(events.end) ?? []
  if (start === undefined || end === undefined || starts.length + ends.length > 0 || ranges.size > 2) return null
  const [first, before] = start
  const [after, last] = end
  const started = countIn(search, 'start', [numbersOf(start)])
  if (first === null && last === null && before !== null && after !== null && after <= before + 1n)
    return sql`${started} - (${countIn(search, 'end', [numbersOf([null, after - 1n])])})`
  if (before !== null || after !== null || first === null || last === null) return null
  const later = classesOf(timeBounds([first, last], [last + 1n, null], [null, null]))
  if (later === null) return null
  const { from, enter } = inClasses(later)
  return sql`${countIn(search, 'start', [numbersOf([first, last])])}
    - (SELECT count(*) FROM ${from} WHERE ${all([enter, visible, sql`${events.end} > ${integer(last)}`])})`
}
