import { type SQL, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../../schema/tables.ts'
import { TREES } from '../../../../schema/trees.ts'
import { at, numberAt, type ValueRange } from '../../../base/collections.ts'
import type { Bbox } from '../../../geometry/bbox.ts'
import { CELL_LEVELS, cellAt, cellRange } from '../../../geometry/cell.ts'
import { MAX_GROUPS, MAX_PAIRS, MAX_START_NODES } from '../../limits.ts'
import { boundsIn } from '../../shared/extents.ts'
import type { FoundEntries } from '../../shared/summary/assemble.ts'
import { type Gap, gapOf } from '../../shared/summary/bounds.ts'
import { type CountedGroups, clockOf, type Fineness, histogram } from '../../shared/summary/histogram.ts'
import type { RowReader } from '../database.ts'
import { indexOf, nodesOf, seenIn, through } from '../indexes.ts'
import { extentQuery } from '../overview.ts'
import { type ListRow, numbersIn } from '../plan.ts'
import type { Search } from '../search.ts'
import { all, integerOf, rangesTable } from '../sql.ts'
import { foundEntries, type StoredFacet, storedEntriesQuery } from './facets.ts'

const { shifts: STARTS } = TREES.start
const [FINEST] = STARTS
/** The sizes of the nodes of cells that a summary reads. The first ones are of the finest level, 8. */
const CELLS = TREES.cell.shifts.filter((shift) => shift >= 2 * (CELL_LEVELS - 8))
const levelOf = (shift: number): number => CELL_LEVELS - shift / 2

/** The nodes of starts with their rows, and the first and the last start. Null: there are no rows. */
interface StartsRow extends Pick<ListRow, 'list'> {
  readonly shift: number | null
  readonly least: number | null
  readonly greatest: number | null
}

/** All rows by their times and places, and the entries of the facets. */
interface Everything {
  readonly groups: CountedGroups
  readonly bounds: Bbox | null
  readonly facets: readonly FoundEntries[]
}

/**
 * Counts all rows that the caller sees. It pours stored nodes into the histogram of a summary, and reads the stored counts
 * of dictionary entries. Rows in nodes with the border of two bins are counted in the index. Null: nodes do not help.
 */
export const readEverything = async (
  read: RowReader,
  search: Search,
  fineness: Fineness,
  facets: readonly StoredFacet[],
): Promise<Everything | null> => {
  const [[extent], [starts], [cells], ...entries] = await read(
    extentQuery(search.level, null),
    startsQuery(search),
    cellsQuery(search.level, fineness.level),
    ...facets.map((facet) => storedEntriesQuery(search, facet)),
  )
  const cellShift = cells?.shift ?? at(CELLS, 0)
  const level = Math.min(fineness.level, levelOf(cellShift))
  const { addStart, addCell, groups } = histogram({ ...fineness, level }, FINEST)
  const { shift = null, least = null, greatest = null, list = null } = starts ?? {}
  if (shift !== null && least !== null && greatest !== null) {
    // Longer nodes may have several borders, and several changes of a clock.
    if (typeof fineness.bins === 'string' && shift !== FINEST) return null
    const piecesIn = piecesOf(fineness)
    const cut: ValueRange[] = []
    eachPair(numbersIn({ list }), (node, rows) => {
      const first = Math.max(least, node * 2 ** shift)
      const pieces = piecesIn(first, Math.min(greatest, (node + 1) * 2 ** shift - 1))
      if (pieces.length === 1) addStart(rows, first)
      else cut.push(...pieces)
    })
    if (cut.length > MAX_PAIRS) return null
    const [counted] = cut.length === 0 ? [] : await read(piecesQuery(search, cut))
    eachPair(numbersIn(counted?.[0]), (first, rows) => rows > 0 && addStart(rows, first))
    addStart(0, greatest)
  }
  eachPair(numbersIn(cells), (node, rows) => addCell(rows, node * 2 ** cellShift))
  const counted = groups()
  const gap = gapOf(counted)
  const [[edges] = []] = gap === null ? [] : await read(edgesQuery(search, counted, gap))
  const found = facets.map((facet, i) => foundEntries(facet, at(entries, i)))
  return {
    groups: counted,
    bounds: extent === undefined ? null : boundsIn({ ...extent, ...edges }),
    facets: found,
  }
}

const eachPair = (numbers: Float64Array, take: (first: number, second: number) => void): void => {
  for (let i = 0; i < numbers.length; i += 2) take(numberAt(numbers, i), numberAt(numbers, i + 1))
}

/** Returns a function that splits a range of instants at the borders of bins of a unit. */
const piecesOf = ({ bins, zone }: Fineness): ((first: number, last: number) => readonly ValueRange[]) => {
  if (typeof bins !== 'string') return (first, last) => [[first, last]]
  const { keyOf } = clockOf(bins, zone)
  const offsetAt = (instant: number) => (zone === null ? 0 : zone.toLocal(instant) - instant)
  // Between two changes of the clock, a later instant is never in an earlier bin.
  const isOneBin = (first: number, last: number) => keyOf(first) === keyOf(last) && offsetAt(first) === offsetAt(last)
  const split = (first: number, last: number): readonly ValueRange[] => {
    if (isOneBin(first, last)) return [[first, last]]
    const middle = first + Math.floor((last - first) / 2)
    const [before, after] = [split(first, middle), split(middle + 1, last)]
    const [[from, end], [next, to]] = [at(before, -1), at(after, 0)]
    if (keyOf(end) !== keyOf(next)) return [...before, ...after]
    return [...before.slice(0, -1), [from, to], ...after.slice(1)]
  }
  return split
}

/** Counts the rows that start in each piece. */
const piecesQuery = ({ visible }: Search, pieces: readonly ValueRange[]): SQL<Pick<ListRow, 'list'>> => {
  const { start } = events
  const inside = sql`${start} BETWEEN span.value ->> 0 AND span.value ->> 1`
  const rows = sql`(SELECT count(*) FROM ${through(indexOf(start))} WHERE ${all([inside, visible])})`
  return sql`SELECT group_concat(span.value ->> 0 || ',' || ${rows}) AS list FROM ${rangesTable(pieces)}`
}

/** Lists the nodes of starts. They are of the smallest size with at most MAX_START_NODES from the first to the last start. */
const startsQuery = ({ level, visible }: Search): SQL<StartsRow> => {
  const { node } = eventCounts
  const { start } = events
  const seen = sql`${seenIn(level)} > 0`
  const size = integerOf(FINEST)
  const end = (direction: SQL) =>
    sql`(SELECT ${node} FROM ${eventCounts} WHERE ${nodesOf('start', FINEST)} AND ${seen} ORDER BY ${node} ${direction} LIMIT 1)`
  const instant = (enter: SQL, direction: SQL) =>
    sql`(SELECT ${start} FROM ${through(indexOf(start))} WHERE ${all([enter, visible])} ORDER BY ${start} ${direction} LIMIT 1)`
  const [up, down] = [sql`ASC`, sql`DESC`]
  return sql`WITH extent AS MATERIALIZED (SELECT ${instant(sql`${start} >= ${end(up)} << ${size}`, up)} AS least,
      ${instant(sql`${start} < (${end(down)} + 1) << ${size}`, down)} AS greatest),
    size AS MATERIALIZED (SELECT each.value AS shift FROM extent CROSS JOIN json_each(${JSON.stringify(STARTS)}) AS each
      WHERE (greatest >> each.value) - (least >> each.value) < ${integerOf(MAX_START_NODES)} LIMIT 1)
    SELECT least, greatest, (SELECT shift FROM size) AS shift,
      (SELECT group_concat(${node} || ',' || ${seenIn(level)}) FROM size CROSS JOIN ${eventCounts}
        WHERE ${nodesOf('start', sql`size.shift`)} AND ${seen}) AS list
    FROM extent`
}

/**
 * Lists the nodes of cells, at a stored level that is at least as fine as asked. Node -1 has no place. More than four times
 * MAX_GROUPS nodes of level 8 fill too many cells of level 7. Then the nodes of level 6 are enough.
 */
const cellsQuery = (level: number, finest: number): SQL<Pick<ListRow, 'list'> & { readonly shift: number }> => {
  const shift = CELLS.findLast((each) => levelOf(each) >= finest) ?? at(CELLS, 0)
  const nodes = (columns: SQL, size: SQL | number) =>
    sql`SELECT ${columns} FROM ${eventCounts}
      WHERE ${nodesOf('cell', size)} AND ${eventCounts.node} >= 0 AND ${seenIn(level)} > 0`
  const many = integerOf(4 * MAX_GROUPS)
  const isMany = sql`(SELECT count(*) FROM (${nodes(sql`1`, shift)} LIMIT ${many} + 1)) > ${many}`
  const chosen = sql`CASE WHEN ${isMany} THEN ${integerOf(at(CELLS, 1))} ELSE ${integerOf(shift)} END`
  const list = nodes(sql`group_concat(${eventCounts.node} || ',' || ${seenIn(level)})`, sql`size.shift`)
  return sql`WITH size AS MATERIALIZED (SELECT ${shift === CELLS[0] ? chosen : integerOf(shift)} AS shift)
    SELECT shift, (${list}) AS list FROM size`
}

/** Reads the least and the greatest longitude next to a gap. */
const edgesQuery = (
  { visible }: Search,
  { level, cells }: Pick<CountedGroups, 'level' | 'cells'>,
  [before, after]: Gap,
): SQL<{ readonly west: number; readonly east: number }> => {
  const rangesIn = (column: number): ValueRange[] =>
    [...cells.keys()]
      .map((cell) => cellAt(level, cell))
      .flatMap((cell) => (cell.column === column ? [cellRange(cell)] : []))
  const { cell, x } = events
  const inside = sql`${cell} BETWEEN span.value ->> 0 AND span.value ->> 1`
  const edge = (extreme: SQL, column: number) => sql`(SELECT ${extreme} FROM ${rangesTable(rangesIn(column))}
    CROSS JOIN ${through('event_of_cell')} WHERE ${all([inside, visible])})`
  return sql`SELECT ${edge(sql`min(${x})`, after)} AS west, ${edge(sql`max(${x})`, before)} AS east`
}
