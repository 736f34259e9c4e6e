import type { ColumnRange } from '../../filters/sql.ts'
import type { Area } from '../../geometry/within.ts'
import { ANY, extentOf, intersection, isEmpty, timeBounds } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import type { Kept, MatchingEntries } from './facts.ts'

/**
 * Decides conditions by the extremes of entries. It drops entries that lie outside the time or the area, and conditions
 * that all rows of the other entries meet. `isPlaced`: all rows have coordinates.
 */
export const decidedByKept = (
  search: Search,
  entries: readonly MatchingEntries[],
  isPlaced: boolean,
): { readonly search: Search; readonly entries: readonly MatchingEntries[] } => {
  const owner = entries.find(({ kept }) => kept !== null)
  if (owner === undefined || owner.kept === null) return { search, entries }
  const { criteria, bounds, access } = search
  const { start, end, duration } = access.time
  const left = owner.kept.filter(
    (kept) =>
      meets(bounds.start, kept) &&
      meets(bounds.end, kept) &&
      (criteria.area === null || sharing(criteria.area, kept) > 0),
  )
  const isMet = (extent: ColumnRange) => left.every((kept) => covers(extent, kept))
  const spans = criteria.spans.filter(({ column, extent }) => !([start, end].includes(column) && isMet(extent)))
  const isWithin = (area: Area) => left.length === 0 || (isPlaced && left.every((kept) => sharing(area, kept) === 1))
  const area = criteria.area === null || isWithin(criteria.area) ? null : criteria.area
  const decided = { ...criteria, spans, area }
  const ids = left.map(({ id }) => id)
  const rows = left.reduce((sum, { rows }) => sum + rows, 0)
  return {
    search: {
      ...search,
      criteria: decided,
      bounds: timeBounds(extentOf(decided, start), extentOf(decided, end), extentOf(decided, duration)),
    },
    entries: entries.map((each) => (each === owner ? { ...owner, ids, rows, kept: left } : each)),
  }
}

/** All starts and ends of an entry. */
const timeOf = ({ start, end }: Kept): ColumnRange => [
  start === null ? null : BigInt(start),
  end === null ? null : BigInt(end),
]

const meets = (extent: ColumnRange, kept: Kept): boolean => !isEmpty(intersection(extent, timeOf(kept)))

const covers = ([least, greatest]: ColumnRange, kept: Kept): boolean => {
  const [first, last] = timeOf(kept)
  return (
    (least === null || (first !== null && least <= first)) && (greatest === null || (last !== null && last <= greatest))
  )
}

/** Rounding moves the sides of a box by far less, in degrees. */
const MARGIN = 1e-9

/** Returns 1 if an area contains the whole box of an entry, 0 if nothing of it, and 0.5 if this is unknown. */
const sharing = (area: Area, { west, south, east, north }: Kept): 0 | 0.5 | 1 => {
  if (west === null || south === null || east === null || north === null) return 0
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  if (area.isNear(x, y, (east - west) / 2 + MARGIN, (north - south) / 2 + MARGIN)) return 0.5
  return area.contains(x, y) ? 1 : 0
}

/** Returns the period of all rows of the entries, as far as it is known. */
export const periodOf = (entries: readonly MatchingEntries[]): ColumnRange => {
  const kept = entries.flatMap((each) => each.kept ?? [])
  const times = kept.flatMap(({ start, end }) => (start === null || end === null ? [] : [start, end]))
  return times.length === 0 ? ANY : [BigInt(Math.min(...times)), BigInt(Math.max(...times))]
}
