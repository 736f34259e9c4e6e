import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { TREES, type TreeName } from '../../../schema/counts.ts'
import type { Extent } from '../../filters/lookups.ts'
import type { Access, Table } from '../table.ts'
import { all, integerOf, spans } from './sql.ts'

/** Nodes of a tree, from first to last at one shift. */
export type Nodes = readonly [shift: number, first: number, last: number]

/** Values from first to last, both included. */
export type Range = readonly [first: number, last: number]

/** The nodes that make up ranges of values, and what of the ranges is smaller than a node. */
export interface Decomposed {
  readonly nodes: readonly Nodes[]
  readonly rest: readonly Range[]
}

/** Takes ranges of values apart into the largest nodes of the given shifts, finest first. */
export const decompose = (shifts: readonly number[], ranges: readonly Range[]): Decomposed => {
  const nodes: Nodes[] = []
  const rest: Range[] = []
  const take = (first: number, last: number, depth: number): void => {
    if (first > last) return
    const shift = shifts[depth]
    if (shift === undefined) {
      rest.push([first, last])
      return
    }
    const size = 2 ** shift
    const [low, high] = [Math.ceil(first / size), Math.floor((last + 1) / size) - 1]
    if (low > high) {
      take(first, last, depth - 1)
      return
    }
    nodes.push([shift, low, high])
    take(first, low * size - 1, depth - 1)
    take((high + 1) * size, last, depth - 1)
  }
  for (const [first, last] of ranges) take(first, last, shifts.length - 1)
  return { nodes, rest }
}

/** The nodes of a tree at a shift. */
export const nodesOf = ({ counts }: Access, tree: TreeName, shift: SQLWrapper | number): SQL =>
  sql`${counts.tree} = ${sql.raw(`'${tree}'`)} AND ${counts.shift} = ${typeof shift === 'number' ? integerOf(shift) : shift}`

/** How many rows a caller of this level sees in all. */
export const total = (access: Access, level: number): SQL =>
  sql`coalesce((SELECT ${access.counts.visible(level)} FROM ${access.counts.table}
    WHERE ${nodesOf(access, 'id', TREES.id.complete.at(-1) ?? 0)} AND ${access.counts.node} = 0), 0)`

/** Up to how many rows of a finest complete node are counted in the index rather than by dense nodes. */
const FEW = 256

/**
 * Counts the visible rows whose time is within an extent: complete nodes by their counts, what is left at the ends in the
 * index, or, where it is crowded, by dense nodes and what these leave.
 */
export const countInTime = (
  table: Table,
  access: Access,
  tree: 'start' | 'end',
  extent: Extent,
  level: number,
): SQL => {
  const [first, last] = numbersOf(extent)
  const { nodes, rest } = decompose(TREES[tree].complete, [[first, last]])
  const finest = TREES[tree].complete[0]
  const ends = rest.map((range) => {
    const node = Math.floor(range[0] / 2 ** finest)
    // A rest that reaches over the border of two nodes is as small as one.
    const within = sql`(SELECT coalesce(sum(${access.counts.visible(Number.POSITIVE_INFINITY)}), 0) FROM ${access.counts.table}
      WHERE ${nodesOf(access, tree, finest)} AND ${access.counts.node} BETWEEN ${integerOf(node)} AND ${integerOf(node + 1)})`
    return sql`(SELECT CASE WHEN ${within} <= ${integerOf(FEW)} THEN (SELECT count(*) FROM ${inIndex(table, access, tree, [range], level)})
      ELSE ${countDense(table, access, tree, range, level)} END)`
  })
  return sql.join([countComplete(access, tree, nodes, level), ...ends], sql` + `)
}

/** Counts the visible rows whose id is within an extent: by complete nodes, and in the table at its ends. */
export const countInIds = ({ table, id, visible }: Table, access: Access, extent: Extent, level: number): SQL => {
  const { nodes, rest } = decompose(TREES.id.complete, [idsOf(extent)])
  const ends = rest.map(
    ([first, last]) =>
      sql`(SELECT count(*) FROM ${table} NOT INDEXED
        WHERE ${all([sql`${id} BETWEEN ${integerOf(first)} AND ${integerOf(last)}`, visible(level)])})`,
  )
  return sql.join([countComplete(access, 'id', nodes, level), ...ends], sql` + `)
}

/** An extent of ids as numbers, as far as ids can be. */
const idsOf = ([least, greatest]: Extent): Range => [
  Number(least === null || least < 0n ? 0n : least > MAX_ID ? MAX_ID + 1n : least),
  Number(greatest === null || greatest > MAX_ID ? MAX_ID : greatest < 0n ? -1n : greatest),
]

const MAX_ID = 2n ** 53n - 1n

const countComplete = (access: Access, tree: TreeName, nodes: readonly Nodes[], level: number): SQL =>
  sql`(SELECT coalesce(sum(${access.counts.visible(level)}), 0) FROM ${spans(nodes)} CROSS JOIN ${access.counts.table}
    WHERE ${nodesOf(access, tree, sql`span.value ->> 0`)} AND ${access.counts.node} BETWEEN span.value ->> 1 AND span.value ->> 2)`

/** How many visible rows a node of a dense level holds, given its least value: one that is not kept holds few, counted in the index. */
export const countInNode = (
  table: Table,
  access: Access,
  tree: 'start' | 'end',
  shift: SQLWrapper | number,
  least: SQL,
  level: number,
): SQL => {
  const { counts } = access
  const bits = typeof shift === 'number' ? integerOf(shift) : shift
  const kept = sql`(SELECT ${counts.visible(level)} FROM ${counts.table}
    WHERE ${nodesOf(access, tree, shift)} AND ${counts.node} = ${least} >> ${bits})`
  const inside = sql`${counts.values[tree]} BETWEEN ${least} AND ${least} + (1 << ${bits}) - 1`
  return sql`coalesce(${kept}, (SELECT count(*) FROM ${indexOf(table, tree)} WHERE ${all([inside, table.visible(level)])}))`
}

const countDense = (table: Table, access: Access, tree: 'start' | 'end', range: Range, level: number): SQL => {
  const { nodes, rest } = decompose(TREES[tree].dense, [range])
  const each = nodes.flatMap(([shift, low, high]) =>
    Array.from({ length: high - low + 1 }, (_, i) => [shift, (low + i) * 2 ** shift]),
  )
  return sql`(SELECT coalesce(sum(${countInNode(table, access, tree, sql`(span.value ->> 0)`, sql`(span.value ->> 1)`, level)}), 0) FROM ${spans(each)})
    + (SELECT count(*) FROM ${inIndex(table, access, tree, rest, level)})`
}

/** The visible rows whose value is in ranges, by the index of a tree. */
export const inIndex = (
  table: Table,
  { counts }: Access,
  tree: TreeName,
  ranges: readonly Range[],
  level: number,
): SQL =>
  sql`${spans(ranges)} CROSS JOIN ${indexOf(table, tree)}
    WHERE ${all([sql`${counts.values[tree]} BETWEEN span.value ->> 0 AND span.value ->> 1`, table.visible(level)])}`

const indexOf = ({ table }: Table, tree: TreeName): SQL => sql`${table} INDEXED BY ${sql.identifier(TREES[tree].index)}`

/** The greatest distance of an instant from 1970, in milliseconds: of a Date of JavaScript. */
const REACH = 8_640_000_000_000_000n

/** An extent of instants as numbers, as far as instants can be. */
export const numbersOf = ([least, greatest]: Extent): Range => [
  Number(least === null || least < -REACH ? -REACH : least > REACH ? REACH + 1n : least),
  Number(greatest === null || greatest > REACH ? REACH : greatest < -REACH ? -REACH - 1n : greatest),
]
