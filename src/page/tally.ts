import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { TREES, type Tree } from '../../schema/tally.ts'
import { all, spans } from './sql.ts'
import type { Table, Ways } from './table.ts'

/** Nodes of a tree, from first to last at one shift. */
type Nodes = readonly [shift: number, first: number, last: number]

/** The nodes that make up ranges of values, and what of the ranges is smaller than a node. */
export interface Decomposed {
  readonly nodes: readonly Nodes[]
  readonly rest: readonly (readonly [first: number, last: number])[]
}

/** Takes ranges of values (both ends included) apart into the largest nodes of a tree. */
export const decompose = (tree: Tree, ranges: readonly (readonly [number, number])[]): Decomposed => {
  const nodes: Nodes[] = []
  const rest: [number, number][] = []
  const shifts = [...TREES[tree]].reverse()
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
      take(first, last, depth + 1)
      return
    }
    nodes.push([shift, low, high])
    take(first, low * size - 1, depth + 1)
    take((high + 1) * size, last, depth + 1)
  }
  for (const [first, last] of ranges) take(first, last, 0)
  return { nodes, rest }
}

/** Counts the visible rows whose value lies in ranges: nodes from the kept counts, the rest from an index. */
export const countIn = (
  { table }: Table,
  ways: Ways,
  tree: Tree,
  index: string,
  ranges: readonly (readonly [number, number])[],
  level: number,
  visible: SQL | null,
): SQL => {
  const { nodes, rest } = decompose(tree, ranges)
  const value = ways.trees[tree]
  return sql`(SELECT coalesce(sum(${ways.tallies.visible(level)}), 0) FROM ${spans(nodes)} CROSS JOIN ${ways.tallies.table}
      WHERE ${nodeOf(ways, tree, sql`span.value ->> 0`)}
        AND ${ways.tallies.node} BETWEEN span.value ->> 1 AND span.value ->> 2)
    + (SELECT count(*) FROM ${spans(rest)} CROSS JOIN ${table} INDEXED BY ${sql.identifier(index)}
      WHERE ${all([sql`${value} BETWEEN span.value ->> 0 AND span.value ->> 1`, visible])})`
}

/** The nodes of a tree at a shift. */
export const nodeOf = ({ tallies }: Ways, tree: Tree, shift: SQLWrapper | number): SQL =>
  sql`${tallies.tree} = ${sql.raw(`'${tree}'`)} AND ${tallies.shift} = ${shift}`

/** How many rows a caller of this level sees in all. */
export const total = (ways: Ways, level: number): SQL =>
  sql`coalesce((SELECT ${ways.tallies.visible(level)} FROM ${ways.tallies.table}
    WHERE ${nodeOf(ways, 'id', TREES.id.at(-1) ?? 0)} AND ${ways.tallies.node} = 0), 0)`
