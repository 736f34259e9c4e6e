import { invalidParameters } from '../errors.ts'
import type { Area } from '../geometry/within.ts'
import type { Search } from './search.ts'
import type { Row } from './table.ts'

/** How many rows are brought here to be tested, where the database could count most of them instead. */
export const MAX_SHIPPED = 100_000
/** How many looks at an edge the tests of one request may take: 20 ns each as a rule, 70 where all are near the point. */
const MAX_LOOKS = 50_000_000

/** How many queries a request sends at most: D1 takes 1,000, and some may have to be sent once more. */
export const MAX_QUERIES = 950

/** Every point is compared with so many edges, and there are so many points: whether that takes no minutes. */
export const isWorkable = ({ depth }: Area, points: number): boolean => depth * points <= MAX_LOOKS

export const checkWork = (area: Area, points: number): void => {
  if (!isWorkable(area, points))
    throw tooMuch(`each of about ${Math.round(points)} events would be compared with up to ${area.depth} edges`)
}

export const tooMuch = (reason: string) =>
  invalidParameters({ geom_within: [`Enter a simpler geometry, or add a filter: ${reason}.`] })

/** How many rows to read for a page where one in `gap` matches: twice what is to be expected, as chance has it. */
export const chunkOf = ({ size }: Search, gap: number): number => Math.ceil((size + 1) * gap * 2) + 20

/** How many rows a walk may pass for a page; after that, the cells lead to it. */
export const MAX_PASSED = 20_000

/** The ids within the area among the first rows of a slice, and one in how many they are; null where they are too few. */
export const fill = (
  { size }: Search,
  area: Area,
  rows: readonly Row[],
  limit: number,
): { ids: number[]; gap: number } | null => {
  const ids: number[] = []
  for (const [i, row] of rows.entries()) {
    if (row.placeX !== null && area.contains(row.placeX, row.placeY)) ids.push(row.rowId)
    if (ids.length > size) return { ids, gap: Math.ceil((i + 1) / ids.length) }
  }
  return rows.length < limit ? { ids, gap: Math.max(1, Math.ceil(rows.length / Math.max(1, ids.length))) } : null
}

/** Nothing is asked but the area, so that what lies wholly inside is counted by kept counts. */
export const isAlone = ({ groups, spans, listed, plain }: Search): boolean =>
  groups.length + spans.length + listed.length + plain.length === 0
