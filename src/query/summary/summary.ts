import { sql } from 'drizzle-orm'
import type { Condition } from '../../filters/filter.ts'
import type { Bbox } from '../../geometry/bbox.ts'
import { cellAt, cellBounds } from '../../geometry/cell.ts'
import type { Database } from '../db/d1.ts'
import { atOneState } from '../db/snapshot.ts'
import { eachMatch } from '../matches.ts'
import { choose } from '../plan/choose.ts'
import { asksOnlyArea } from '../plan/conditions.ts'
import { factsOf } from '../plan/facts.ts'
import { type Search, searchOf } from '../search.ts'
import type { Access, Table } from '../table.ts'
import { everythingQuery, groupsOfEverything } from './everything.ts'
import { type Fineness, type Groups, histogram } from './histogram.ts'

/** Of which rows, and how fine at most. */
export interface SummaryRequest extends Fineness {
  readonly conditions: readonly Condition[]
}

/** All that matches, by its start and by its cell. */
export interface Summary {
  readonly count: number
  /** The least start and the greatest; null where nothing matches. */
  readonly least: number | null
  readonly greatest: number | null
  /** How many milliseconds a bin has; null where nothing matches. */
  readonly step: number | null
  /** The bins that rows fall into, ascending by the least start that may. */
  readonly bins: readonly (readonly [start: number, count: number])[]
  /** The level of the cells; null where nothing that matches has a place. */
  readonly level: number | null
  /** The cells that rows fall into, by their bounds in degrees, ascending by the ranges of finest cells. */
  readonly cells: readonly (readonly [...Bbox, count: number])[]
}

/**
 * Sums up what matches, of the rows that a caller of this level sees. Everything is summed up from the counts, down to
 * their smallest complete nodes; what filters leave is read once, in compact portions, and counted here.
 */
export const fetchSummary = (
  db: Database,
  table: Table,
  access: Access,
  request: SummaryRequest,
  level: number,
): Promise<Summary> =>
  atOneState(db, async (read) => {
    const noPage = { order: { column: null, descending: false }, pageSize: 1, page: 1, cursor: null, key: null }
    const search = searchOf(db, read, table, access, { ...request, ...noPage }, level)
    if (!asksOnlyArea(search.criteria) || search.criteria.area !== null)
      return summaryOf(await matchingGroups(search, request))
    const [[row = {}] = []] = await read(everythingQuery(search, request))
    return summaryOf(groupsOfEverything(row))
  })

/** Counts what matches, row by row. */
const matchingGroups = async (search: Search, fineness: Fineness): Promise<Groups> => {
  const facts = await factsOf(search)
  const { add, groups } = histogram(fineness)
  const start = sql`${search.access.time.start}`
  await eachMatch(search, facts, choose(search, facts), start, (rows, column, row, at) => add(rows, at, column, row))
  return groups()
}

const summaryOf = ({ count, least, greatest, step, bins, level, cells }: Groups): Summary => {
  const placed = sorted(cells)
  return {
    count,
    least,
    greatest,
    step: count === 0 ? null : 2 ** step,
    bins: sorted(bins).map(([bin, rows]) => [bin * 2 ** step, rows]),
    level: placed.length === 0 ? null : level,
    cells: placed.map(([cell, rows]) => [...cellBounds(cellAt(level, cell)), rows]),
  }
}

const sorted = (counts: ReadonlyMap<number, number>) => [...counts].sort((a, b) => a[0] - b[0])
