import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { DURATIONS } from '../../../schema/durations.ts'
import { eventCounts, events } from '../../../schema/tables.ts'
import { eventLength, TREES } from '../../../schema/trees.ts'
import { at, type ValueRange } from '../../base/collections.ts'
import { MAX_RANGES } from '../limits.ts'
import { indexOf, nodesOf, seenIn, through, total } from './indexes.ts'
import { cellsPath, classesOf, inClasses } from './paths.ts'
import { type Cover, countMatches, matchesOf, type Plan, planStatement } from './plan.ts'
import { durationsOf, idRangeOf, isEmpty, numbersOf, timeBounds } from './ranges.ts'
import { asksNothing, asksOnlyArea, hasAreaToTest, hasNoArea, isPossible, type Search } from './search.ts'
import { all, asCount, type ColumnRange, gapsOf, integer, integerOf, rangesTable, within } from './sql.ts'
import { whereOf } from './where.ts'

/** The index in which the values of a tree are adjacent. Null: the table. */
const INDEXES = { id: null, cell: 'event_of_cell', start: indexOf(events.start), end: indexOf(events.end) }

/** Returns the tree with the order of a column, or null if there is none. Null stands for the order of ids. */
export const orderTreeOf = (column: SQLWrapper | null): OrderTree | null => {
  if (column === null || column === events.id) return 'id'
  return column === events.start ? 'start' : column === events.end ? 'end' : null
}

/** A tree of counts that has the order of a list. */
export type OrderTree = 'id' | 'start' | 'end'

/** Ranges of values as ranges of nodes of some sizes. `rest` has the parts that are smaller than a node. */
interface Decomposed {
  readonly nodes: readonly (readonly [shift: number, first: number, last: number])[]
  readonly rest: readonly ValueRange[]
}

/** Splits ranges of values into the largest possible nodes. `shifts` has the allowed sizes, finest first. */
export const decompose = (shifts: readonly number[], ranges: readonly ValueRange[]): Decomposed => {
  const nodes: [number, number, number][] = []
  const rest: ValueRange[] = []
  const take = (first: number, last: number, depth: number): void => {
    const shift = shifts[depth]
    if (first > last) return
    if (shift === undefined) {
      rest.push([first, last])
      return
    }
    const size = 2 ** shift
    const [low, high] = [Math.ceil(first / size), Math.floor((last + 1) / size) - 1]
    const end = low > high ? first : low * size
    if (low <= high) nodes.push([shift, low, high])
    take(first, end - 1, depth - 1)
    take(low > high ? first : (high + 1) * size, last, depth - 1)
  }
  for (const [first, last] of ranges) take(first, last, shifts.length - 1)
  return { nodes, rest }
}

/** Counts the visible rows with a value of a tree in some extents. */
export const countInTree = (search: Search, tree: OrderTree, extents: readonly ColumnRange[]): SQL =>
  countIn(search, tree, extents.map(tree === 'id' ? idRangeOf : numbersOf))

/**
 * Counts the visible rows with a value in some ranges. Nodes give most of it, and an index counts the rest at the ends. It
 * skips nodes without visible rows, so many hidden rows cost nothing.
 */
export const countIn = (search: Search, tree: OrderTree | 'cell', ranges: readonly ValueRange[]): SQL => {
  const { value, shifts } = TREES[tree]
  const { nodes, rest } = decompose(shifts, ranges)
  const stored = sql`(SELECT coalesce(sum(${seenIn(search.level)}), 0) FROM ${rangesTable(nodes)} CROSS JOIN ${eventCounts}
    WHERE ${nodesOf(tree, sql`span.value ->> 0`)} AND ${eventCounts.node} BETWEEN span.value ->> 1 AND span.value ->> 2)`
  const bits = integerOf(shifts[0])
  const first = sql`${eventCounts.node} << ${bits}`
  const around = sql`${nodesOf(tree, shifts[0])} AND ${seenIn(search.level)} > 0
    AND ${eventCounts.node} BETWEEN (span.value ->> 0) >> ${bits} AND (span.value ->> 1) >> ${bits}`
  const inside = sql`${value} BETWEEN max(span.value ->> 0, ${first}) AND min(span.value ->> 1, (${first}) + ${integerOf(2 ** shifts[0] - 1)})`
  return sql`${stored} + (SELECT count(*) FROM ${rangesTable(rest)} CROSS JOIN ${eventCounts} CROSS JOIN ${through(INDEXES[tree])}
    WHERE ${all([around, inside, search.visible])})`
}

/** The first and the last duration of each node. */
const NODES = DURATIONS.map((first, i) => [BigInt(first), BigInt(DURATIONS[i + 1] ?? 2 ** 54) - 1n] as const)
const [, LONGEST] = at(NODES, -1)

/** Counts the visible rows with a duration in an extent. Nodes give most of it, and the index the rest at both ends. */
const countInDurations = (search: Search, [shortest, longest]: ColumnRange): SQL => {
  const [least, greatest] = [shortest ?? 0n, longest ?? LONGEST]
  const inIndex = (range: ColumnRange) =>
    sql`(SELECT count(*) FROM ${through(indexOf(events.duration))} WHERE ${all([within(events.duration, range), search.visible])})`
  const whole = NODES.filter(([first, last]) => first >= least && last <= greatest)
  if (whole.length === 0) return inIndex([least, greatest])
  const [[first], [final, last]] = [at(whole, 0), at(whole, -1)]
  const nodes = sql`(SELECT coalesce(sum(${seenIn(search.level)}), 0) FROM ${eventCounts}
    WHERE ${nodesOf('duration', 0)} AND ${within(eventCounts.node, [first, final])})`
  const rest: ColumnRange[] = [
    [least, first - 1n],
    [last + 1n, greatest],
  ]
  return sql.join([nodes, ...rest.filter((range) => !isEmpty(range)).map(inIndex)], sql` + `)
}

/** Counts the matches that SQL alone decides. Stored counts give them if the conditions are on one column. */
export const countQuery = (plan: Plan, cover: Cover | null): SQL<{ readonly count: number }> => {
  const { search } = plan
  // The matches by ids were found before, so they are not read again for their number.
  if (search.only?.cells.length === 0) return asCount(integerOf(search.only.ids.length))
  const stored = storedCount(search)
  if (stored !== null) return asCount(stored)
  if (hasNoArea(search)) return countBesideWhole(plan)
  if (cover === null || hasAreaToTest(search) || !asksOnlyArea(search)) return countMatches(plan)
  const { interior, boundary } = cover
  const { from, enter } = cellsPath(boundary, cover.atBoundary)
  const atBoundary = sql`SELECT count(*) FROM ${from} WHERE ${all([enter, whereOf(search)])}`
  return asCount(sql`${countIn(search, 'cell', interior)} + (${atBoundary})`)
}

/**
 * Counts the matches of several conditions. If every row meets all of them but one, the stored count of that one is the
 * answer: 100 rows read, where counting a million takes 400 ms. The database tests this before it counts.
 */
const countBesideWhole = (plan: Plan): SQL<{ readonly count: number }> => {
  const { search } = plan
  const none = { ...search, ranges: new Map(), entries: [] }
  const counts = [none, ...search.entries.map((entry) => ({ ...none, entries: [entry] }))].map(storedCount)
  const isWhole = Array.from(search.ranges, ([column, extents]) => hasAllRows(column, extents))
  const known = counts.filter((count) => count !== null)
  if (known.length < counts.length || isWhole.includes(null)) return countMatches(plan)
  const rows = known.map((count) => sql`(${count})`)
  // HAVING is true if all counts but the least equal the greatest, which is the number of all rows.
  const least = sql`SELECT min(column1) FROM (VALUES ${sql.join(rows, sql`, `)})
    HAVING sum(column1) - min(column1) = ${integerOf(known.length - 1)} * max(column1)`
  const stored = sql`CASE WHEN ${all(isWhole)} THEN (${least}) END`
  return planStatement(plan, asCount(sql`coalesce(${stored}, (SELECT count(*) FROM (${matchesOf(plan, sql`1`)})))`))
}

/** Tests if all rows are in a range, hidden ones too. It reads at most two rows. Null: no index has all rows. */
const hasAllRows = (column: SQLWrapper, extents: readonly ColumnRange[]): SQL | null => {
  const ordered = column === eventLength ? events.duration : column
  if (extents.length !== 1 || (column !== eventLength && orderTreeOf(column) === null)) return null
  const outside = gapsOf(extents).map((gap) => within(ordered, gap))
  return all(outside.map((gap) => sql`NOT EXISTS (SELECT 1 FROM ${through(indexOf(ordered))} WHERE ${gap})`))
}

/** Returns true if stored counts know the number of matches. */
export const hasStoredCount = (search: Search): boolean => storedCount(search) !== null

/**
 * Writes the stored count of the matches. Counts are stored for all rows, for entries of one dictionary, and for ranges of
 * ids, times and durations. Returns null for other conditions.
 */
const storedCount = (search: Search): SQL | null => {
  const { plain, ranges, entries, level } = search
  if (!isPossible(search)) return sql`0`
  if (asksNothing(search)) return total(level)
  if (plain.length > 0 || !hasNoArea(search)) return null
  const [entry, ...others] = entries
  if (entry !== undefined) {
    const { key, id, table, counts } = entry.dictionary
    if (others.length + ranges.size > 0 || counts === undefined || key === id) return null
    return sql`(SELECT coalesce(sum(${counts(level)}), 0) FROM ${table} WHERE ${entry.match.sql})`
  }
  if (ranges.size > 1) return storedCountOfTimes(search)
  const [column, extents] = at([...ranges], 0)
  if (extents.length > MAX_RANGES) return null
  const tree = orderTreeOf(column)
  if (tree !== null) return countInTree(search, tree, extents)
  if (column !== eventLength) return null
  const counts = durationsOf(extents).map((extent) => countInDurations(search, extent))
  return sql.join(counts, sql` + `)
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
  const started = (range: ColumnRange) => countInTree(search, 'start', [range])
  if (first === null && last === null && before !== null && after !== null && after <= before + 1n)
    return sql`${started(start)} - (${countInTree(search, 'end', [[null, after - 1n]])})`
  if (before !== null || after !== null || first === null || last === null) return null
  const later = classesOf(timeBounds([first, last], [last + 1n, null], [null, null]))
  if (later === null) return null
  const { from, enter } = inClasses(later)
  return sql`${started([first, last])} - (SELECT count(*) FROM ${from} WHERE ${all([enter, visible, sql`${events.end} > ${integer(last)}`])})`
}
