import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { TREES } from '../../schema/tally.ts'
import { CELL_LEVELS } from '../geometry/cell.ts'
import type { Search } from './search.ts'
import { all } from './sql.ts'
import { nodeOf, total } from './tally.ts'
import { indexed } from './walk.ts'

/** How many matches are read to be counted: one or two seconds of the database. */
export const MAX_MATCHES = 500_000
/** How many cells an answer has at most. */
const MAX_CELLS = 4096
/** By how many bits an instant is shifted at most: of all of them one before 1970 and one after is left. */
const MAX_STEP = 53

/** How fine groups may be. */
export interface Fineness {
  /** How many bins from the least start to the greatest. */
  readonly bins: number
  /** How often the world's cell is split at most. */
  readonly level: number
}

/** Counts matches, given as a query of their start and cell, by bins and cells as fine as there may be. */
export const matchedGroups = (matches: SQL, { bins, level }: Fineness): SQL => {
  const finest = shiftOf(level)
  const steps = range(0, MAX_STEP).map((shift) => [shift, 0] as const)
  const shifts = range(0, level).map((levels) => [finest + 2 * levels, finest] as const)
  return sql`WITH match AS MATERIALIZED (SELECT start, cell FROM (${matches}) LIMIT ${MAX_MATCHES + 1}),
    leaf AS MATERIALIZED (SELECT cell >> ${bits(finest)} AS node, count(*) AS "rows", min(start) AS least, max(start) AS greatest
      FROM match GROUP BY 1),
    extent AS MATERIALIZED (SELECT coalesce(sum("rows"), 0) AS count, min(least) AS least, max(greatest) AS greatest FROM leaf),
    ${chosenStep(steps, bins, sql`count <= ${MAX_MATCHES}`)},
    ${chosenLevel(shifts, sql`leaf`, sql`node`, sql`node IS NOT NULL`)}
    ${answer(
      sql`SELECT start >> step.shift AS value, count(*) AS "rows" FROM step CROSS JOIN match GROUP BY 1`,
      sql`SELECT node >> (level.shift - level.kept) AS value, sum("rows") AS "rows" FROM level CROSS JOIN leaf
        WHERE node IS NOT NULL GROUP BY 1`,
    )}`
}

/** Counts everything that the caller sees by the nodes of the kept counts: by none smaller than they have. */
export const keptGroups = (search: Search, { bins, level }: Fineness): SQL => {
  const { ways, level: caller } = search
  const { table, node, visible } = ways.tallies
  const rows = visible(caller)
  const steps = range(TREES.start[0], MAX_STEP).map((shift) => [shift, keptShift('start', shift)] as const)
  const finest = Math.max(shiftOf(level), TREES.cell[0])
  const shifts = range(0, (shiftOf(0) - finest) / 2)
    .map((levels) => finest + 2 * levels)
    .map((shift) => [shift, keptShift('cell', shift)] as const)
  const grouped = (name: 'step' | 'level', tree: 'start' | 'cell') => {
    const chosen = sql.raw(name)
    return sql`SELECT ${node} >> (${chosen}.shift - ${chosen}.kept) AS value, sum(${rows}) AS "rows" FROM ${chosen} CROSS JOIN ${table}
      WHERE ${nodeOf(ways, tree, sql`${chosen}.kept`)} AND ${rows} > 0 GROUP BY 1`
  }
  return sql`WITH ${endOf(search, 'first', false)}, ${endOf(search, 'last', true)},
    extent AS MATERIALIZED (SELECT ${total(ways, caller)} AS count, (SELECT start FROM first) AS least, (SELECT start FROM last) AS greatest),
    ${chosenStep(steps, bins, sql`1`)},
    ${chosenLevel(shifts, table, node, sql`${nodeOf(ways, 'cell', sql`choice.value ->> 1`)} AND ${rows} > 0`)}
    ${answer(grouped('step', 'start'), grouped('level', 'cell'))}`
}

/** Shifts by which values may be grouped, and by which they are shifted already where they are read from. */
type Choices = readonly (readonly [shift: number, kept: number])[]

/** The smallest shift at which there are no more than so many bins between the ends; both sides of 1970 are two. */
const chosenStep = (choices: Choices, bins: number, where: SQL): SQL =>
  sql`step AS MATERIALIZED (SELECT choice.value ->> 0 AS shift, choice.value ->> 1 AS kept
    FROM extent CROSS JOIN json_each(${JSON.stringify(choices)}) AS choice
    WHERE ${where} AND ((greatest >> (choice.value ->> 0)) - (least >> (choice.value ->> 0)) < ${bins}
      OR (least >> (choice.value ->> 0) = -1 AND greatest >> (choice.value ->> 0) = 0)) LIMIT 1)`

/** The smallest shift at which there are no more than so many cells that hold rows; it is looked for only where there may be more. */
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

/** Where the starts that the caller sees begin or end: the node of each size from the largest down, and in the last of them the start. */
const endOf = ({ resource, ways, level, visible }: Search, name: string, last: boolean): SQL => {
  const { table, node, visible: rows } = ways.tallies
  const start = ways.trees.start
  const direction = sql.raw(last ? 'DESC' : 'ASC')
  const inside = (value: SQLWrapper, above: number, size: number) => {
    const of = sql`(SELECT node FROM ${sql.raw(`${name}${above}`)})`
    return last ? sql`${value} < (${of} + 1) * ${bits(size)}` : sql`${value} >= ${of} * ${bits(size)}`
  }
  const nodes = [...TREES.start].reverse().map((shift, i, shifts) => {
    const above = shifts[i - 1]
    const within = above === undefined ? null : inside(node, above, 2 ** (above - shift))
    return sql`${sql.raw(`${name}${shift}`)} AS (SELECT ${node} AS node FROM ${table}
      WHERE ${all([nodeOf(ways, 'start', shift), within, sql`${rows(level)} > 0`])} ORDER BY ${node} ${direction} LIMIT 1)`
  })
  const index = ways.indexes.find(({ on }) => on === start) ?? null
  const [finest] = TREES.start
  return sql`${sql.join(nodes, sql`, `)}, ${sql.raw(name)} AS (SELECT ${start} AS start FROM ${indexed(resource.table, index)}
    WHERE ${all([inside(start, finest, 2 ** finest), visible])} ORDER BY ${start} ${direction} LIMIT 1)`
}

/** By how many bits a finest cell is shifted to that of a level. */
const shiftOf = (level: number): number => 2 * (CELL_LEVELS - level)

/** The greatest shift of a tree that is no greater. */
const keptShift = (tree: 'start' | 'cell', shift: number): number =>
  Math.max(...TREES[tree].filter((kept) => kept <= shift))

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i)

/** A whole number for the database, written into the SQL: as a parameter it would be one with a fraction. */
const bits = (value: number): SQL => sql.raw(String(value))
