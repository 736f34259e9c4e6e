import { sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { numberAt } from '../../base/collections.ts'
import type { LonLat } from '../../geometry/bbox.ts'
import { distanceBetween } from '../../geometry/circle.ts'
import { firstPlaces } from '../shared/nearest.ts'
import type { ListedRow } from '../shared/page.ts'
import { refuseOrder } from '../shared/refused.ts'
import { isDown } from './columns.ts'
import { orderTreeOf } from './counts.ts'
import type { RowReader } from './database.ts'
import { indexOf } from './indexes.ts'
import { eachMatch } from './matches.ts'
import { listedRows } from './pages.ts'
import type { List } from './search.ts'
import { numbersTable } from './sql.ts'
import type { ColumnOrder } from './table.ts'

/** Returns true if no index has the order of a list. */
export const isUnindexed = ({ column }: ColumnOrder): boolean => column !== null && indexOf(column) === null

/** Throws Refused if a page in this order would sort or skip too many rows. The order of ids has no limit. */
export const checkOrder = ({ order, skip }: List, count: number): void => {
  // Stored counts find a far page in the order of a tree.
  const isFound = order.near === undefined && orderTreeOf(order.column) !== null
  refuseOrder(isUnindexed(order) ? count : 0, isFound ? 0 : skip)
}

/**
 * Reads a part of a list in the order of the distance from a position. SQL decides its search. It reads the coordinates
 * of all matches, keeps the places of the part, and then reads its rows.
 */
export const rowsByDistance = async (
  read: RowReader,
  list: List,
  near: LonLat,
): Promise<{ readonly rows: readonly ListedRow[]; readonly count: number }> => {
  checkOrder(list, 0)
  const columns = [sql`${events.id}`, sql`${events.x}`, sql`${events.y}`]
  const places = firstPlaces(list, isDown(list))
  let count = 0
  await eachMatch(read, list.search, columns, (numbers, offset) => {
    count += 1
    const place = [numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)] as const
    places.add({ id: numberAt(numbers, offset), distance: distanceBetween(near, place) })
  })
  // An event that moves between two reads may be found twice.
  const chosen = new Map(places.found().map(({ id, distance }) => [id, distance]))
  const unordered = await rowsWith(read, list, [...chosen.keys()])
  const rows = new Map(unordered.map((row) => [row.rowId, row]))
  const listed = Array.from(chosen, ([id, distance]) => ({
    ...(rows.get(id) ?? { rowId: id, isGone: true }),
    rowAt: distance,
  }))
  return { rows: listed, count }
}

/** Reads the rows with some ids in the order of a list. Rows that are deleted or hidden meanwhile are left out. */
export const rowsWith = async (read: RowReader, list: List, ids: readonly number[]): Promise<readonly ListedRow[]> => {
  if (ids.length === 0) return []
  const [rows] = await read(
    listedRows(list, sql`SELECT value AS id FROM (${numbersTable(ids)})`, list.search.visible ?? undefined),
  )
  return rows
}
