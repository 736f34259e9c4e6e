import { fetchPage } from '../engine/read.ts'
import { preconditionFailed, unavailable } from '../errors.ts'
import type { Condition } from '../filters/filter.ts'
import { isSame, type State } from '../state.ts'
import { limitSteps, STEP } from '../store/retry.ts'
import { guardState } from '../store/statement.ts'
import type { WriteContext } from './create.ts'

/**
 * Deletes the matching items of a list in steps, and returns their number. A step is a transaction that applies only to
 * the state that it read. After 20 seconds it throws a 503, and the client must repeat the request.
 */
export const removeMatching = async (
  { resource, caller, db, now }: WriteContext,
  conditions: readonly Condition[],
  states: readonly State[] | null,
): Promise<number> => {
  const { writable, included: _, flat: __, ...list } = resource
  const order = { column: null, descending: false }
  const request = { conditions, order, page: 1, pageSize: STEP, cursor: null, key: null }
  const limit = limitSteps()
  let deleted = 0
  for (;;) {
    const { rows } = await fetchPage(db, list, request, caller.level)
    const state = db.state()
    if (deleted === 0 && states !== null && !states.some((each) => isSame(each, state))) throw preconditionFailed()
    if (rows.length === 0 || state === null) return deleted
    if (limit.isReached())
      throw unavailable(`${deleted} items were deleted. Send the same request again to delete the rest.`)
    const keys = rows.map(({ id, series }) => ({ id, series }))
    const statements = writable.removeMany?.(keys, { level: caller.level, now }) ?? []
    const isDone = (await db.write([guardState([state]), ...statements])) !== null
    limit.note(isDone)
    if (isDone) deleted += rows.length
    if (isDone && rows.length < STEP) return deleted
  }
}
