import { sql } from 'drizzle-orm'
import type { ListName } from '../../question/fields.ts'
import type { Question } from '../../question/question.ts'
import type { All, Batching, Reads, Row } from '../engine.ts'
import { BATCH, FIRST_BATCH } from '../limits.ts'
import { wholeRows } from '../shares.ts'
import { placesOf } from './distances.ts'
import { type Matches, matchesOf } from './matches.ts'
import { beyond, orderingOf, termsOf } from './order.ts'
import { rowsById, wholeBy } from './rows.ts'
import type { Snapshot, Snapshots } from './snapshot.ts'
import { all } from './sql.ts'

/**
 * Counts all matches, and reads them in batches from the same snapshot. It stays open until the last batch, or until the
 * generator is closed.
 */
export const readAll = (
  { within, hold }: Snapshots,
  list: ListName,
  question: Question,
  { fields }: Reads,
  { batchRows }: Batching,
): Promise<All> =>
  within(async (snapshot) => {
    const matches = await matchesOf(snapshot, list, question)
    const [[counted]] = await snapshot.read(matches.count)
    const count = counted?.count ?? 0
    const release = hold()
    async function* batches(): AsyncGenerator<readonly Row[], void> {
      let limit = FIRST_BATCH / 2
      let sent = 0
      const nextLimit = () => {
        limit = Math.min(2 * limit, BATCH, Math.max(batchRows(), FIRST_BATCH))
        return limit
      }
      try {
        for await (const ids of idsInOrder(snapshot, matches, question, nextLimit)) {
          const rows = await rowsById(snapshot, list, fields, ids)
          sent += rows.length
          const isLast = sent === count
          if (isLast) release()
          yield* wholeRows(wholeBy(snapshot, list, fields), rows)
          // The cursor of another batch is gone.
          if (isLast) break
        }
        if (count === 0) yield []
      } finally {
        release()
      }
    }
    return { count, batches: batches() }
  })

/** Reads the ids of the matches in an order, at most `limit` at a time. */
async function* idsInOrder(
  snapshot: Snapshot,
  matches: Matches,
  { order, slice: { from } }: Question,
  limit: () => number,
): AsyncGenerator<readonly number[], void> {
  const after = from !== 'end' && 'after' in from ? from.after : null
  if (order.by === 'distance') {
    const part = { from: after, offset: 0, limit: Number.POSITIVE_INFINITY, isDown: order.descending }
    const places = await placesOf(snapshot, matches, order.from ?? [0, 0], part)
    for (let start = 0; start < places.length; ) {
      const chunk = places.slice(start, start + limit())
      start += chunk.length
      yield chunk.map(({ id }) => id)
    }
    return
  }
  const ordering = orderingOf(snapshot, matches.list, order, false, true)
  const { table, joins, visible } = matches.withFields(ordering.field === null ? [] : [ordering.field])
  const condition = all([visible, matches.condition, after && beyond(ordering, after)])
  const query = sql<{ readonly id: number }>`SELECT ${ordering.id} AS id FROM ${table}${joins}
    WHERE ${condition} ORDER BY ${termsOf(ordering)}`
  for await (const rows of snapshot.batches(query, limit)) yield rows.map(({ id }) => id)
}
