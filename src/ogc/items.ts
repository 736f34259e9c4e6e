import { at } from '../collections.ts'
import { type Cursor, formatCursor, parseCursor, type Seal, type SentCursor } from '../engine/conditions/cursor.ts'
import type { Page, PageRequest } from '../engine/conditions/page.ts'
import type { Row } from '../engine/conditions/table.ts'
import { fetchPage } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { atItsState, bytesCut, completed } from '../engine/run/long.ts'
import { DataChanged, untilUnchanged } from '../engine/run/snapshot.ts'
import { ApiError } from '../errors.ts'
import { inOneArea } from '../filters/spatial.ts'
import type { Collection } from './collection.ts'
import { boxIn } from './crs.ts'
import type { ItemsRequest } from './itemsRequest.ts'

/** A slice of a collection's features, which starts at an offset. */
export interface Offset {
  readonly count: number
  readonly rows: readonly Row[]
  /** Reads the rows in parts during sending, if their texts are too long for the memory. Null: `rows` are complete. */
  readonly rest: AsyncGenerator<readonly Row[], void> | null
  /** The start of the next slice. Null at the end. */
  readonly next: { readonly offset: number; readonly cursor: string | null } | null
}

/**
 * Reads features. A cursor continues after the last feature of the page before, even if data was written since. It is
 * valid only for its own offset, otherwise the offset counts. `key` identifies the query without offset and limit.
 */
export const readItems = async (
  db: Database,
  collection: Collection,
  request: ItemsRequest,
  {
    hint,
    key,
    level,
    seal,
  }: { readonly hint: string; readonly key: string; readonly level: number; readonly seal: Seal },
): Promise<Offset> => {
  const cursor = await parseCursor(hint, key, request.offset, seal)
  return untilUnchanged(async (isLast) => {
    const selection = { ...(await selectionOf(db, collection, request, level)), key }
    const before = db.state()?.revision
    const slice = await sliceFrom(db, collection, request, selection, level, cursor)
    // The last attempt answers anyway: before, it only read whether events without a place exist.
    if (before !== undefined && before !== db.state()?.revision && !isLast) throw new DataChanged()
    const { next, rows } = slice
    const rest = bytesCut(rows) > 0 ? completed(atItsState(db), collection.resource, rows, level) : null
    const cursorAfter = next?.cursor ? await formatCursor(next.cursor, key, next.offset, seal) : null
    return { ...slice, rest, next: next && { offset: next.offset, cursor: cursorAfter } }
  })
}

/**
 * Returns the conditions and the order of the rows. Events without a place match every box. If the caller sees such
 * events, SQL compares the coordinates.
 */
const selectionOf = async (
  db: Database,
  { inBox, inShape, placeless }: Collection,
  request: ItemsRequest,
  level: number,
) => {
  const { conditions, bounds, boundsIn, order } = request
  if (bounds === null) return { conditions: inOneArea(conditions), order }
  // A box of another system becomes a polygon. The polygon is an area, so it matches only events with a place.
  const { strict, loose } = boundsIn === 0 ? inBox(bounds) : inShape(boxIn(bounds, boundsIn))
  const isStrict = placeless !== null && at((await db.read(placeless(level)))[0], 0).found === 0
  return { conditions: inOneArea([...conditions, isStrict ? strict : loose]), order }
}

type SliceStart = { readonly offset: number; readonly cursor: Cursor | null }
type Selection = Pick<PageRequest, 'conditions' | 'order' | 'key'>

const sliceFrom = async (
  db: Database,
  { resource }: Collection,
  { limit, offset, hits }: ItemsRequest,
  selection: Selection,
  level: number,
  cursor: SentCursor | null,
): Promise<Pick<Offset, 'count' | 'rows'> & { readonly next: SliceStart | null }> => {
  const page = (number: number, from: SentCursor | null, pageSize = limit) =>
    fetchPage(db, resource, { ...selection, page: number, pageSize, cursor: from }, level)
  const nextOf = (current: Page, end: number): SliceStart | null =>
    current.next && { offset: end, cursor: current.next.cursor ?? null }
  if (hits) return { count: (await page(1, null, 1)).count, rows: [], next: null }
  const number = Math.floor(offset / limit) + 1
  const [skipped, from] = [offset % limit, offset === 0 ? null : cursor]
  try {
    // A cursor finds its row by itself. The page number must only be greater than 1.
    const first = await page(from === null ? number : Math.max(2, number), from)
    const { count, rows } = first
    if (from !== null || skipped === 0) return { count, rows, next: nextOf(first, offset + rows.length) }
    const second = first.next && (await page(number + 1, first.next.cursor ?? null))
    const all = [...rows, ...(second?.rows ?? [])].slice(skipped, skipped + limit)
    const more = second !== null && (second.next !== null || second.rows.length > skipped)
    return {
      count: second?.count ?? count,
      rows: all,
      next: more ? { offset: offset + all.length, cursor: null } : null,
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    return { count: (await page(1, null, 1)).count, rows: [], next: null }
  }
}
