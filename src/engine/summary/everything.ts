import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import { TREES } from '../../../schema/trees.ts'
import { at } from '../../collections.ts'
import { all, integerOf } from '../../filters/sql.ts'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import type { Search, ValueRange } from '../conditions/search.ts'
import type { NodeRow } from '../estimates.ts'
import { indexOf, seenIn, through } from '../events.ts'
import { MAX_BINS, MAX_GROUPS } from '../limits.ts'
import type { SnapshotReader } from '../run/snapshot.ts'
import { inIndex, nodesOf, total } from '../sql/counts.ts'
import { lengthOf, startOf, type Unit } from './calendar.ts'
import { entriesOf, type RequestedFacet, type SummaryCounts, storedEntriesQuery } from './facets.ts'
import {
  type Bins,
  binsByNumber,
  binsOfUnit,
  type Fineness,
  type Groups,
  inOneBin,
  LEAST_BINS,
  MAX_STEP,
} from './histogram.ts'

const START = TREES.start.complete
const CELL = TREES.cell.complete

/** Counts all rows that the caller sees. It reads complete nodes, and the stored counts of dictionary entries. */
export const readEverything = async (
  read: SnapshotReader,
  search: Search,
  fineness: Fineness,
  facets: readonly RequestedFacet[],
): Promise<SummaryCounts> => {
  const unit = typeof fineness.bins === 'string' ? fineness.bins : null
  const bins = typeof fineness.bins === 'string' ? LEAST_BINS : Math.max(fineness.bins, LEAST_BINS)
  const [all, nodes, ...entries] = await read(
    everythingQuery(search, bins, fineness.level),
    unit === null ? sql<NodeRow>`SELECT 1 WHERE 0` : nodesQuery(search),
    ...facets.map((facet) => storedEntriesQuery(search, facet)),
  )
  const counted = groupsOfEverything(at(all, 0))
  const groups = fineness.bins === 1 ? inOneBin(counted, null) : counted
  return {
    groups: unit === null ? groups : { ...groups, ...(await binsByNodes(read, search, unit, nodes)) },
    facets: facets.map((facet, i) => entriesOf(facet, at(entries, i))),
  }
}

/** Reads the number of starts in each node of the smallest complete size. */
const nodesQuery = ({ level }: Search): SQL<NodeRow> =>
  sql`SELECT ${eventCounts.node} AS node, ${seenIn(level)} AS "rows" FROM ${eventCounts}
    WHERE ${nodesOf('start', START[0])} AND ${seenIn(level)} > 0`

/**
 * Puts nodes into the bins of a unit. If a node crosses the border of two bins, its rows are read in groups by hour or
 * day.
 */
const binsByNodes = async (
  read: SnapshotReader,
  search: Search,
  unit: Unit,
  nodes: readonly NodeRow[],
): Promise<Bins> => {
  const { add, bins } = binsOfUnit(unit)
  const size = 2 ** START[0]
  const crossing: ValueRange[] = []
  for (const { node, rows } of nodes) {
    const [first, last] = [node * size, (node + 1) * size - 1]
    if (startOf(unit, first) === startOf(unit, last)) add(rows, first)
    else crossing.push([first, last])
  }
  if (crossing.length > 0) {
    const [parts] = await read(partsQuery(search, unit === 'hour' ? 'hour' : 'day', crossing))
    for (const { start, rows } of parts) add(rows, start)
  }
  return bins()
}

/** The most groups. A node spans at most three days, and a bin has at most two nodes that cross its borders. */
const MAX_PARTS = 6 * (MAX_BINS + 1)

/** The rows of an hour or a day that lie in the given ranges. */
interface PartRow {
  readonly start: number
  readonly rows: number
}

const partsQuery = (search: Search, unit: 'hour' | 'day', ranges: readonly ValueRange[]): SQL<PartRow> => {
  const { start } = events
  const size = integerOf(lengthOf(unit) ?? 1)
  // Rounds down. SQLite's operator % rounds towards 0.
  return sql`SELECT ${start} - ((${start} % ${size}) + ${size}) % ${size} AS start, count(*) AS "rows"
    FROM ${inIndex(search, 'start', ranges)} GROUP BY 1 LIMIT ${integerOf(MAX_PARTS)}`
}

/** All counts in one row. `bins` and `cells` are JSON arrays of pairs. Null: there are no rows. */
interface EverythingRow {
  readonly count: number
  readonly least: number | null
  readonly greatest: number | null
  readonly step: number | null
  readonly bins: string
  readonly level: number | null
  readonly cells: string
}

/** Counts all rows by complete nodes. So no bin or cell can be smaller than these nodes. */
const everythingQuery = (search: Search, bins: number, level: number): SQL<EverythingRow> => {
  const { node } = eventCounts
  const rows = seenIn(search.level)
  const steps = range(START[0], MAX_STEP).map((shift) => [shift, storedShift('start', shift)] as const)
  const finest = Math.max(shiftOf(level), CELL[0])
  const shifts = range(0, (shiftOf(0) - finest) / 2)
    .map((levels) => finest + 2 * levels)
    .map((shift) => [shift, storedShift('cell', shift)] as const)
  const grouped = (name: 'step' | 'level', tree: 'start' | 'cell') => {
    const chosen = sql.raw(name)
    return sql`SELECT ${node} >> (${chosen}.shift - ${chosen}.stored) AS value, sum(${rows}) AS "rows" FROM ${chosen} CROSS JOIN ${eventCounts}
      WHERE ${nodesOf(tree, sql`${chosen}.stored`)} AND ${rows} > 0 GROUP BY 1`
  }
  return sql`WITH ${endStart(search, 'first', false)}, ${endStart(search, 'last', true)},
    extent AS MATERIALIZED (SELECT ${total(search.level)} AS count, (SELECT start FROM first) AS least, (SELECT start FROM last) AS greatest),
    ${chosenStep(steps, bins, sql`1`)},
    ${chosenLevel(shifts, eventCounts, node, sql`${nodesOf('cell', sql`choice.value ->> 1`)} AND ${rows} > 0`)}
    ${answer(grouped('step', 'start'), grouped('level', 'cell'))}`
}

/** Converts the answer of `everythingQuery`. */
const groupsOfEverything = ({ count, least, greatest, step, bins, level, cells }: EverythingRow): Groups => ({
  count,
  least,
  greatest,
  ...binsByNumber(step ?? 0, JSON.parse(bins)),
  level: level ?? 0,
  cells: new Map<number, number>(JSON.parse(cells)),
})

/** Candidate sizes of groups. A group consists of nodes with the size `stored`. */
type Choices = readonly (readonly [shift: number, stored: number])[]

/** Selects the smallest size with at most `bins` bins from the first to the last start. */
const chosenStep = (choices: Choices, bins: number, where: SQL): SQL =>
  sql`step AS MATERIALIZED (SELECT choice.value ->> 0 AS shift, choice.value ->> 1 AS stored
    FROM extent CROSS JOIN json_each(${JSON.stringify(choices)}) AS choice
    WHERE ${where} AND (greatest >> (choice.value ->> 0)) - (least >> (choice.value ->> 0)) < ${bins} LIMIT 1)`

/**
 * Selects the smallest size with at most MAX_GROUPS cells that have rows. Coarse levels have fewer cells than that, so
 * the query does not count them.
 */
const chosenLevel = (choices: Choices, from: SQLWrapper, node: SQLWrapper, where: SQL): SQL =>
  sql`level AS MATERIALIZED (SELECT choice.value ->> 0 AS shift, choice.value ->> 1 AS stored
    FROM json_each(${JSON.stringify(choices)}) AS choice
    WHERE choice.value ->> 0 >= ${shiftOf(Math.log2(MAX_GROUPS) / 2)} OR (SELECT count(*) FROM (
      SELECT DISTINCT ${node} >> ((choice.value ->> 0) - (choice.value ->> 1)) FROM ${from}
      WHERE ${where} LIMIT ${MAX_GROUPS + 1})) <= ${MAX_GROUPS} LIMIT 1)`

/** Returns all counts as one row. Its groups are JSON. */
const answer = (bins: SQL, cells: SQL): SQL => sql`SELECT extent.count, extent.least, extent.greatest,
    (SELECT shift FROM step) AS step, (SELECT json_group_array(json_array(value, "rows")) FROM (${bins})) AS bins,
    (SELECT ${CELL_LEVELS} - shift / 2 FROM level) AS level, (SELECT json_group_array(json_array(value, "rows")) FROM (${cells})) AS cells
  FROM extent`

/**
 * Finds the first or the last visible start. It descends from the largest nodes to the smallest, and reads only the
 * rows of the last node.
 */
const endStart = (search: Search, name: string, last: boolean): SQL => {
  const { level, visible } = search
  const { node } = eventCounts
  const { start } = events
  const direction = sql.raw(last ? 'DESC' : 'ASC')
  const inside = (value: SQLWrapper, above: number, size: number) => {
    const nodeAbove = sql`(SELECT node FROM ${sql.raw(`${name}${above}`)})`
    return last
      ? sql`${value} < (${nodeAbove} + 1) * ${integerOf(size)}`
      : sql`${value} >= ${nodeAbove} * ${integerOf(size)}`
  }
  const nodes = [...START].reverse().map((shift, i, shifts) => {
    const above = shifts[i - 1]
    const within = above === undefined ? null : inside(node, above, 2 ** (above - shift))
    return sql`${sql.raw(`${name}${shift}`)} AS (SELECT ${node} AS node FROM ${eventCounts}
      WHERE ${all([nodesOf('start', shift), within, sql`${seenIn(level)} > 0`])} ORDER BY ${node} ${direction} LIMIT 1)`
  })
  const [finest] = START
  return sql`${sql.join(nodes, sql`, `)}, ${sql.raw(name)} AS (SELECT ${start} AS start FROM ${through(indexOf(start))}
    WHERE ${all([inside(start, finest, 2 ** finest), visible])} ORDER BY ${start} ${direction} LIMIT 1)`
}

/** Returns the number of bits that separate a finest cell from a cell of this level. */
const shiftOf = (level: number): number => 2 * (CELL_LEVELS - level)

/** Returns the largest complete size of a tree that is at most this one. */
const storedShift = (tree: 'start' | 'cell', shift: number): number =>
  Math.max(...TREES[tree].complete.filter((stored) => stored <= shift))

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i)
