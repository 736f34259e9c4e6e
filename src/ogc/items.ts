import { ApiError } from '../errors.ts'
import { inOneArea } from '../filters/spatial.ts'
import type { Database } from '../page/database.ts'
import { fetchPage } from '../page/fetch.ts'
import { formatHint, type Hint, parseHint } from '../page/hint.ts'
import type { Page, PageRequest } from '../page/page.ts'
import type { Row } from '../page/table.ts'
import type { Collection } from './collection.ts'
import { boxIn } from './crs.ts'
import type { Plan } from './plan.ts'

/** Features of a collection, from an offset on. */
export interface Slice {
  readonly count: number
  readonly rows: readonly Row[]
  /** Where the next ones start; null: there are none. */
  readonly next: { readonly offset: number; readonly hint: string | null } | null
}

/** How often a read is begun anew when the data is written meanwhile. */
const ATTEMPTS = 3

/**
 * Reads features. A hint leads on from where the features before ended, whatever was written since, as long as the offset
 * is the one that it was made out for; else the offset counts. `key`: of requests for the same features.
 */
export const readItems = async (
  db: Database,
  collection: Collection,
  plan: Plan,
  { hint, key, level }: { readonly hint: string; readonly key: string; readonly level: number },
): Promise<Slice> => {
  for (let attempt = 1; ; attempt++) {
    const request = { ...(await requestOf(db, collection, plan, level)), key }
    const before = db.state()?.revision
    const slice = await sliceFrom(db, collection, plan, request, level, parseHint(hint, key, plan.offset))
    if (before === undefined || before === db.state()?.revision || attempt === ATTEMPTS) {
      const { next } = slice
      return {
        ...slice,
        next: next && { offset: next.offset, hint: next.hint && formatHint(next.hint, key, next.offset) },
      }
    }
  }
}

/** What is asked of the rows. In a box is also what has no place: where there is such, the database compares. */
const requestOf = async (db: Database, { inBox, inShape, placeless }: Collection, plan: Plan, level: number) => {
  const { conditions, bounds, boundsIn, order } = plan
  if (bounds === null) return { conditions: inOneArea(conditions), order }
  // A box of another system is no box of longitudes and latitudes, and is not compared: nothing but what lies in it.
  const { strict, loose } = boundsIn === 0 ? inBox(bounds) : inShape(boxIn(bounds, boundsIn))
  const [[row] = []] = placeless === null ? [] : await db.read(placeless(level))
  return { conditions: inOneArea([...conditions, row?.found === 0 ? strict : loose]), order }
}

type Turn = { readonly offset: number; readonly hint: Hint | null }
type Asked = Pick<PageRequest, 'conditions' | 'order' | 'key'>

const sliceFrom = async (
  db: Database,
  { resource }: Collection,
  { limit, offset, hits }: Plan,
  request: Asked,
  level: number,
  hint: Hint | null,
): Promise<Omit<Slice, 'next'> & { readonly next: Turn | null }> => {
  const page = (number: number, from: Hint | null, pageSize = limit) =>
    fetchPage(db, resource, { ...request, page: number, pageSize, hint: from }, level)
  const onward = (found: Page, after: number): Turn | null =>
    found.next && { offset: after, hint: found.next.hint ?? null }
  if (hits) return { count: (await page(1, null, 1)).count, rows: [], next: null }
  const number = Math.floor(offset / limit) + 1
  const [passed, from] = [offset % limit, offset === 0 ? null : hint]
  try {
    // A hint leads to the very row; what number its page has matters not, but that it is not the first.
    const first = await page(from === null ? number : Math.max(2, number), from)
    const { count, rows } = first
    if (from !== null || passed === 0) return { count, rows, next: onward(first, offset + rows.length) }
    const second = first.next && (await page(number + 1, first.next.hint ?? null))
    const all = [...rows, ...(second?.rows ?? [])].slice(passed, passed + limit)
    const more = second !== null && (second.next !== null || second.rows.length > passed)
    return { count: second?.count ?? count, rows: all, next: more ? { offset: offset + all.length, hint: null } : null }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    return { count: (await page(1, null, 1)).count, rows: [], next: null }
  }
}
