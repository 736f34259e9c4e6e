import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { TREES } from '../../../schema/counts.ts'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import { inIndex, nodesOf, type Range, total } from '../db/counts.ts'
import { all, integerOf } from '../db/sql.ts'
import { by, indexOn } from '../plan/paths.ts'
import type { Search } from '../search.ts'
import type { Row } from '../table.ts'
import { lengthOf, startOf, type Unit } from './calendar.ts'
import { type Counted, type Facet, keptEntries, keptEntriesQuery } from './facets.ts'
import {
  type Bins,
  binsByNumber,
  binsOfUnit,
  type Fineness,
  type Groups,
  LEAST_BINS,
  MAX_BINS,
  MAX_CELLS,
  MAX_STEP,
} from './histogram.ts'

const START = TREES.start.complete
const CELL = TREES.cell.complete

/** Counts everything that the caller sees: by complete nodes, and by what is kept of entries. */
export const readEverything = async (
  search: Search,
  fineness: Fineness,
  facets: readonly Facet[],
): Promise<Counted> => {
  const unit = typeof fineness.bins === 'string' ? fineness.bins : null
  const bins = typeof fineness.bins === 'string' ? LEAST_BINS : Math.max(fineness.bins, LEAST_BINS)
  const [[row = {}] = [], nodes = [], ...entries] = await search.read(
    everythingQuery(search, bins, fineness.level),
    unit === null ? sql`SELECT 1 WHERE 0` : nodesQuery(search),
    ...facets.map((facet) => keptEntriesQuery(search, facet)),
  )
  const groups = groupsOfEverything(row)
  return {
    groups: unit === null ? groups : { ...groups, ...(await binsByNodes(search, unit, nodes)) },
    facets: facets.map((facet, i) => keptEntries(facet, entries[i] ?? [])),
  }
}

/** How many rows start in each of the smallest complete nodes. */
const nodesQuery = ({ access, level }: Search): SQL => {
  const { table, node, visible } = access.counts
  return sql`SELECT ${node} AS node, ${visible(level)} AS "rows" FROM ${table}
    WHERE ${nodesOf(access, 'start', START[0])} AND ${visible(level)} > 0`
}

/** Puts nodes into the bins of a unit. Those that reach over the border of two are read, by the hour or by the day. */
const binsByNodes = async (search: Search, unit: Unit, nodes: readonly Row[]): Promise<Bins> => {
  const { add, bins } = binsOfUnit(unit)
  const size = 2 ** START[0]
  const torn: Range[] = []
  for (const { node, rows } of nodes) {
    const [first, last] = [node * size, (node + 1) * size - 1]
    if (startOf(unit, first) === startOf(unit, last)) add(rows, first)
    else torn.push([first, last])
  }
  if (torn.length > 0) {
    const [parts = []] = await search.read(partsQuery(search, unit === 'hour' ? 'hour' : 'day', torn))
    for (const { start, rows } of parts) add(rows, start)
  }
  return bins()
}

/** A node has parts of at most three days, and a bin at most two nodes that reach over its borders. */
const MAX_PARTS = 6 * (MAX_BINS + 1)

const partsQuery = ({ table, access, level }: Search, unit: 'hour' | 'day', ranges: readonly Range[]): SQL => {
  const { start } = access.time
  const size = integerOf(lengthOf(unit) ?? 1)
  // Downward, where % of SQLite is towards 0.
  return sql`SELECT ${start} - ((${start} % ${size}) + ${size}) % ${size} AS start, count(*) AS "rows"
    FROM ${inIndex(table, access, 'start', ranges, level)} GROUP BY 1 LIMIT ${integerOf(MAX_PARTS)}`
}

/** A query that counts everything by complete nodes: by none smaller than these. */
const everythingQuery = (search: Search, bins: number, level: number): SQL => {
  const { access, level: caller } = search
  const { table, node, visible } = access.counts
  const rows = visible(caller)
  const steps = range(START[0], MAX_STEP).map((shift) => [shift, keptShift('start', shift)] as const)
  const finest = Math.max(shiftOf(level), CELL[0])
  const shifts = range(0, (shiftOf(0) - finest) / 2)
    .map((levels) => finest + 2 * levels)
    .map((shift) => [shift, keptShift('cell', shift)] as const)
  const grouped = (name: 'step' | 'level', tree: 'start' | 'cell') => {
    const chosen = sql.raw(name)
    return sql`SELECT ${node} >> (${chosen}.shift - ${chosen}.kept) AS value, sum(${rows}) AS "rows" FROM ${chosen} CROSS JOIN ${table}
      WHERE ${nodesOf(access, tree, sql`${chosen}.kept`)} AND ${rows} > 0 GROUP BY 1`
  }
  return sql`WITH ${endOf(search, 'first', false)}, ${endOf(search, 'last', true)},
    extent AS MATERIALIZED (SELECT ${total(access, caller)} AS count, (SELECT start FROM first) AS least, (SELECT start FROM last) AS greatest),
    ${chosenStep(steps, bins, sql`1`)},
    ${chosenLevel(shifts, table, node, sql`${nodesOf(access, 'cell', sql`choice.value ->> 1`)} AND ${rows} > 0`)}
    ${answer(grouped('step', 'start'), grouped('level', 'cell'))}`
}

/** What such a query answers. */
const groupsOfEverything = ({ count, least, greatest, step, bins, level, cells }: Row): Groups => ({
  count,
  least,
  greatest,
  ...binsByNumber(step ?? 0, JSON.parse(bins) as [number, number][]),
  level: level ?? 0,
  cells: new Map(JSON.parse(cells) as [number, number][]),
})

/** Shifts by which values may be grouped, and by which they are shifted already where they are read from. */
type Choices = readonly (readonly [shift: number, kept: number])[]

/** The smallest shift at which there are no more than so many bins between the ends. */
const chosenStep = (choices: Choices, bins: number, where: SQL): SQL =>
  sql`step AS MATERIALIZED (SELECT choice.value ->> 0 AS shift, choice.value ->> 1 AS kept
    FROM extent CROSS JOIN json_each(${JSON.stringify(choices)}) AS choice
    WHERE ${where} AND (greatest >> (choice.value ->> 0)) - (least >> (choice.value ->> 0)) < ${bins} LIMIT 1)`

/**
 * The smallest shift at which there are no more than so many cells that hold rows; it is looked for only where there
 * may be more.
 */
const chosenLevel = (choices: Choices, from: SQLWrapper, node: SQLWrapper, where: SQL): SQL =>
  sql`level AS MATERIALIZED (SELECT choice.value ->> 0 AS shift, choice.value ->> 1 AS kept
    FROM json_each(${JSON.stringify(choices)}) AS choice
    WHERE choice.value ->> 0 >= ${shiftOf(Math.log2(MAX_CELLS) / 2)} OR (SELECT count(*) FROM (
      SELECT DISTINCT ${node} >> ((choice.value ->> 0) - (choice.value ->> 1)) FROM ${from}
      WHERE ${where} LIMIT ${MAX_CELLS + 1})) <= ${MAX_CELLS} LIMIT 1)`

/** One row of all that was counted, the groups as JSON. */
const answer = (bins: SQL, cells: SQL): SQL => sql`SELECT extent.count, extent.least, extent.greatest,
    (SELECT shift FROM step) AS step, (SELECT json_group_array(json_array(value, "rows")) FROM (${bins})) AS bins,
    (SELECT ${CELL_LEVELS} - shift / 2 FROM level) AS level, (SELECT json_group_array(json_array(value, "rows")) FROM (${cells})) AS cells
  FROM extent`

/**
 * Where the starts that the caller sees begin or end: the node of each size from the largest down, and in the last of
 * them the start.
 */
const endOf = (search: Search, name: string, last: boolean): SQL => {
  const { access, level, visible } = search
  const { table, node, visible: rows } = access.counts
  const { start } = access.time
  const direction = sql.raw(last ? 'DESC' : 'ASC')
  const inside = (value: SQLWrapper, above: number, size: number) => {
    const of = sql`(SELECT node FROM ${sql.raw(`${name}${above}`)})`
    return last ? sql`${value} < (${of} + 1) * ${integerOf(size)}` : sql`${value} >= ${of} * ${integerOf(size)}`
  }
  const nodes = [...START].reverse().map((shift, i, shifts) => {
    const above = shifts[i - 1]
    const within = above === undefined ? null : inside(node, above, 2 ** (above - shift))
    return sql`${sql.raw(`${name}${shift}`)} AS (SELECT ${node} AS node FROM ${table}
      WHERE ${all([nodesOf(access, 'start', shift), within, sql`${rows(level)} > 0`])} ORDER BY ${node} ${direction} LIMIT 1)`
  })
  const [finest] = START
  return sql`${sql.join(nodes, sql`, `)}, ${sql.raw(name)} AS (SELECT ${start} AS start FROM ${by(search, indexOn(access, start, false))}
    WHERE ${all([inside(start, finest, 2 ** finest), visible])} ORDER BY ${start} ${direction} LIMIT 1)`
}

/** By how many bits a finest cell is shifted to that of a level. */
const shiftOf = (level: number): number => 2 * (CELL_LEVELS - level)

/** The greatest shift of a tree that is no greater. */
const keptShift = (tree: 'start' | 'cell', shift: number): number =>
  Math.max(...TREES[tree].complete.filter((kept) => kept <= shift))

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i)
