import { sql } from 'drizzle-orm'
import { numberAt } from '../../collections.ts'
import type { LonLat } from '../../geometry/bbox.ts'
import { distanceBetween } from '../../geometry/circle.ts'
import type { RowPosition, Slice } from '../conditions/page.ts'
import { type Search, sliceOf } from '../conditions/search.ts'
import { MAX_SORTED, tooManyToSort } from '../plan/limits.ts'
import type { Cache } from './cache.ts'
import { readPlan } from './facts.ts'
import { matchReading } from './matches.ts'
import { readPortions } from './portions.ts'
import { readRows } from './rows.ts'
import type { SnapshotReader } from './snapshot.ts'

/** A match, and its distance in metres. */
interface Placed {
  readonly id: number
  readonly distance: number
}

/**
 * Reads a slice in the order of the distance from a position. It reads the coordinates of all matches, and then the rows
 * of the slice. Throws a 400 if there are too many matches.
 */
export const rowsByDistance = async (read: SnapshotReader, cache: Cache, asked: Search, near: LonLat) => {
  const { search, statistics, ...found } = await readPlan(read, cache, asked)
  const plan = { ...found.plan, page: { read: 'sort', ends: null } as const }
  const { x, y } = search.access.place
  const extras = [sql`${search.table.id}`, sql`${x}`, sql`${y}`]
  const matches: Placed[] = []
  const reading = matchReading({ search, plan, statistics, extras }, (_, __, numbers, offset) => {
    if (matches.length === MAX_SORTED) throw tooManyToSort(search.order)
    const place = [numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)] as const
    matches.push({ id: numberAt(numbers, offset), distance: distanceBetween(near, place) })
  })
  await readPortions(read, reading)
  const slice = sliceOf(search, matches.length)
  const chosen = placesIn(matches, slice, search.order.descending)
  const distances = new Map(chosen.map(({ id, distance }) => [id, distance]))
  const listed = await readRows(read, search, [...distances.keys()])
  const rows = listed.map((row) => ({ ...row, rowAt: distances.get(row.rowId) ?? null }))
  return { search, plan, slice, rows, count: matches.length, total: statistics.total }
}

/** Returns the matches of a slice, in its order. */
const placesIn = (matches: readonly Placed[], slice: Slice, descending: boolean): readonly Placed[] => {
  const { backward, from, offset, limit } = slice
  const farther = descending ? -1 : 1
  const compare = (a: Placed, b: Placed) => (farther * (a.distance - b.distance) || a.id - b.id) * (backward ? -1 : 1)
  const start = from && placeOf(from)
  const left = start === null ? [...matches] : matches.filter((each) => compare(each, start) > 0)
  return left.sort(compare).slice(offset, offset + limit)
}

/** A forged position may have a text. The slice is then empty. */
const placeOf = ({ id, value }: RowPosition): Placed => ({
  id,
  distance: typeof value === 'number' ? value : Number.NaN,
})
