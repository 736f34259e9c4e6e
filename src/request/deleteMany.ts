import { preconditionFailed, unavailable } from '../errors.ts'
import type { Condition } from '../filters/filter.ts'
import { fetchPage } from '../query/read.ts'
import { isSame, type State } from '../state.ts'
import { guardState } from '../store/statement.ts'
import type { WriteContext } from './create.ts'

/** The most items that one transaction deletes. */
const STEP = 5000
const MAX_TIME = 20_000 // milliseconds
const MAX_REFUSALS = 5

/**
 * Deletes the matching items of a list in steps, and returns their number. A step is a transaction that applies only to
 * the state that it read. After `MAX_TIME` it throws a 503, and the client must repeat the request.
 */
export const removeMatching = async (
  { resource, caller, db, now }: WriteContext,
  conditions: readonly Condition[],
  states: readonly State[] | null,
): Promise<number> => {
  const { writable, included: _, flat: __, ...list } = resource
  const order = { column: null, descending: false }
  const request = { conditions, order, page: 1, pageSize: STEP, cursor: null, key: null }
  const started = Date.now()
  let [deleted, refusals] = [0, 0]
  for (;;) {
    const { rows } = await fetchPage(db, list, request, caller.level)
    const state = db.state()
    if (deleted === 0 && states !== null && !states.some((each) => isSame(each, state))) throw preconditionFailed()
    if (rows.length === 0 || state === null) return deleted
    if (Date.now() - started > MAX_TIME || refusals === MAX_REFUSALS)
      throw unavailable(`${deleted} items were deleted. Send the same request again to delete the rest.`)
    const keys = rows.map(({ id, series }) => ({ id, series }))
    const statements = writable.removeMany?.(keys, { level: caller.level, now }) ?? []
    if ((await db.write([guardState([state]), ...statements])) === null) refusals += 1
    else {
      deleted += rows.length
      refusals = 0
      if (rows.length < STEP) return deleted
    }
  }
}
