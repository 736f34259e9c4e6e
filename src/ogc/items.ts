import { ApiError } from '../errors.ts'
import { inOneArea } from '../filters/spatial.ts'
import { type Cursor, formatCursor, parseCursor, type Seal, type SentCursor } from '../query/cursor.ts'
import type { Database } from '../query/db/d1.ts'
import { atItsState, bytesCut, completed } from '../query/long.ts'
import type { Page, PageRequest } from '../query/page.ts'
import { fetchPage } from '../query/read.ts'
import type { Row } from '../query/table.ts'
import type { Collection } from './collection.ts'
import { boxIn } from './crs.ts'
import type { ItemsRequest } from './itemsRequest.ts'

/** Features of a collection, from an offset on. */
export interface Slice {
  readonly count: number
  readonly rows: readonly Row[]
  /** Reads the rows while they are sent, if their texts are too long to be held. Null: `rows` are complete. */
  readonly rest: AsyncGenerator<readonly Row[], void> | null
  /** Where the next ones start; null: there are none. */
  readonly next: { readonly offset: number; readonly cursor: string | null } | null
}

/** How often a read is begun anew when the data is written meanwhile. */
const ATTEMPTS = 3

/**
 * Reads features. A cursor leads on from where the features before ended, whatever was written since, as long as the offset
 * is the one that it was made out for; else the offset counts. `key`: of requests for the same features.
 */
export const readItems = async (
  db: Database,
  collection: Collection,
  wanted: ItemsRequest,
  {
    hint,
    key,
    level,
    seal,
  }: { readonly hint: string; readonly key: string; readonly level: number; readonly seal: Seal },
): Promise<Slice> => {
  const cursor = await parseCursor(hint, key, wanted.offset, seal)
  for (let attempt = 1; ; attempt++) {
    const request = { ...(await requestOf(db, collection, wanted, level)), key }
    const before = db.state()?.revision
    const slice = await sliceFrom(db, collection, wanted, request, level, cursor)
    if (before === undefined || before === db.state()?.revision || attempt === ATTEMPTS) {
      const { next, rows } = slice
      const isLong = bytesCut(rows) > 0
      return {
        ...slice,
        rest: isLong ? completed(atItsState(db), collection.resource, rows, level) : null,
        next: next && {
          offset: next.offset,
          cursor: next.cursor && (await formatCursor(next.cursor, key, next.offset, seal)),
        },
      }
    }
  }
}

/** What is asked of the rows. In a box is also what has no place: where there is such, the database compares. */
const requestOf = async (
  db: Database,
  { inBox, inShape, placeless }: Collection,
  wanted: ItemsRequest,
  level: number,
) => {
  const { conditions, bounds, boundsIn, order } = wanted
  if (bounds === null) return { conditions: inOneArea(conditions), order }
  // A box of another system is no box of longitudes and latitudes, and is not compared: nothing but what lies in it.
  const { strict, loose } = boundsIn === 0 ? inBox(bounds) : inShape(boxIn(bounds, boundsIn))
  const [[row] = []] = placeless === null ? [] : await db.read(placeless(level))
  return { conditions: inOneArea([...conditions, row?.found === 0 ? strict : loose]), order }
}

type Turn = { readonly offset: number; readonly cursor: Cursor | null }
type Asked = Pick<PageRequest, 'conditions' | 'order' | 'key'>

const sliceFrom = async (
  db: Database,
  { resource }: Collection,
  { limit, offset, hits }: ItemsRequest,
  request: Asked,
  level: number,
  cursor: SentCursor | null,
): Promise<Pick<Slice, 'count' | 'rows'> & { readonly next: Turn | null }> => {
  const page = (number: number, from: SentCursor | null, pageSize = limit) =>
    fetchPage(db, resource, { ...request, page: number, pageSize, cursor: from }, level)
  const onward = (found: Page, after: number): Turn | null =>
    found.next && { offset: after, cursor: found.next.cursor ?? null }
  if (hits) return { count: (await page(1, null, 1)).count, rows: [], next: null }
  const number = Math.floor(offset / limit) + 1
  const [passed, from] = [offset % limit, offset === 0 ? null : cursor]
  try {
    // A cursor leads to the very row; what number its page has matters not, but that it is not the first.
    const first = await page(from === null ? number : Math.max(2, number), from)
    const { count, rows } = first
    if (from !== null || passed === 0) return { count, rows, next: onward(first, offset + rows.length) }
    const second = first.next && (await page(number + 1, first.next.cursor ?? null))
    const all = [...rows, ...(second?.rows ?? [])].slice(passed, passed + limit)
    const more = second !== null && (second.next !== null || second.rows.length > passed)
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
