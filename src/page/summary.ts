import { badRequest } from '../errors.ts'
import type { Condition } from '../filters/filter.ts'
import type { Bbox } from '../geometry/bbox.ts'
import { cellAt, cellBounds } from '../geometry/cell.ts'
import type { Database } from './database.ts'
import { isAlone } from './effort.ts'
import { type Fineness, keptGroups, MAX_MATCHES, matchedGroups } from './groups.ts'
import { matchesOf } from './matches.ts'
import { atOneRevision } from './revision.ts'
import { searchOf } from './search.ts'
import type { Row, Table, Ways } from './table.ts'

/** Of which rows, and how fine at most. */
export interface SummaryRequest extends Fineness {
  readonly conditions: readonly Condition[]
  /** By which the cells of an area are remembered; null: they are not. */
  readonly key: string | null
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
 * Sums up what matches, of the rows that a caller of this level sees. Everything is summed up from kept counts, down to
 * their smallest nodes; what filters leave is read and counted in the database, up to a number of matches (400).
 */
export const fetchSummary = (
  db: Database,
  resource: Table,
  ways: Ways,
  request: SummaryRequest,
  level: number,
): Promise<Summary> =>
  atOneRevision(db, async (read) => {
    const noPage = { order: { column: null, descending: false }, pageSize: 1, page: 1, hint: null }
    const search = searchOf(read, resource, ways, { ...request, ...noPage }, level)
    const everything = search.area === null && isAlone(search)
    const query = everything ? keptGroups(search, request) : matchedGroups(await matchesOf(search), request)
    const [[row = {}] = []] = await read(query)
    if (row.count > MAX_MATCHES && !everything) throw tooMany()
    return summaryOf(row)
  })

const tooMany = () =>
  badRequest(
    `More than ${MAX_MATCHES} events match, which is too many to sum up. Add a filter, or shorten one, such as the range of timestamp_start.`,
  )

const summaryOf = ({ count, least, greatest, step: bits, bins, level, cells }: Row): Summary => {
  const step = bits === null ? null : 2 ** bits
  const placed = groupsOf(cells)
  return {
    count,
    least,
    greatest,
    step,
    bins: groupsOf(bins).map(([bin, rows]) => [bin * (step ?? 1), rows]),
    level: placed.length === 0 ? null : level,
    cells: placed.map(([cell, rows]) => [...cellBounds(cellAt(level, cell)), rows]),
  }
}

const groupsOf = (json: string) => (JSON.parse(json) as [value: number, rows: number][]).sort((a, b) => a[0] - b[0])
