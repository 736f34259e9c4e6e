import { sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import type { ListName } from '../../question/fields.ts'
import type { Order, Question, RowPosition } from '../../question/question.ts'
import { type All, type Batching, type Reads, Refused, type Row } from '../engine.ts'
import { BATCH, FIRST_BATCH, MAX_IDS } from '../limits.ts'
import { placesOf } from './distances.ts'
import { fieldsOf } from './fields.ts'
import { selectFrom } from './from.ts'
import { matchesOf } from './matches.ts'
import { orderingOf, runsOf } from './order.ts'
import { batchesById, rowsById } from './rows.ts'
import type { Snapshot, Snapshots } from './snapshot.ts'
import { all, integer, named } from './sql.ts'
import type { Views } from './views.ts'

/** If an index has the order, the ids come in parts of so many. */
const PART = 100_000

/**
 * Counts all matches, reads their ids, and then reads the rows in batches. The count and the first batch are of one moment.
 * Each later batch has a transaction of its own, because a slow client would keep one open. A consistent stream has one
 * transaction.
 */
export const readAll = async (
  { within, hold, renew }: Snapshots,
  list: ListName,
  question: Question,
  { fields }: Reads,
  { consistent, batchRows }: Batching,
): Promise<All> => {
  if (consistent) renew('stream')
  const release = hold()
  const read = <T>(use: (snapshot: Snapshot) => Promise<T>): Promise<T> => {
    if (!consistent) renew('request')
    return within(use)
  }
  const readPart = (from: RowPosition | null, known: number | null) =>
    read((snapshot) => partOf(snapshot, list, question, from, known))
  try {
    const { from } = question.slice
    const first = await readPart(from !== 'end' && 'after' in from ? from.after : null, null)
    return { count: first.count, batches: batches(first) }
  } catch (error) {
    release()
    throw error
  }

  async function* batches(first: Part): AsyncGenerator<readonly Row[], void> {
    let limit = 0
    const nextLimit = () => {
      limit = limit === 0 ? FIRST_BATCH : Math.min(2 * limit, BATCH, Math.max(batchRows(), FIRST_BATCH))
      return limit
    }
    const readRows = async (ids: readonly number[]) => {
      const rows = await read((snapshot) => rowsById(snapshot, list, fields, ids, {}, snapshot.level))
      if (!consistent) release()
      return rows
    }
    try {
      for (let part: Part | null = first; part !== null; part = part.next && (await readPart(part.next, part.count)))
        yield* batchesById(part.ids, nextLimit, readRows)
    } finally {
      release()
    }
  }
}

/** The ids of matches in order. `count` has all matches. `next` is the position of the last id. Null: there are no more. */
interface Part {
  readonly count: number
  readonly ids: Float64Array
  readonly next: RowPosition | null
}

/** Reads the ids of the matches after a position. `known`: their number, if an earlier part has counted them. */
const partOf = async (
  snapshot: Snapshot,
  list: ListName,
  question: Question,
  from: RowPosition | null,
  known: number | null,
): Promise<Part> => {
  const { order } = question
  const matches = await matchesOf(snapshot, list, question)
  const count = known ?? at(at(await snapshot.read(matches.count), 0), 0).count
  const isIndexed = hasIndex(snapshot.views, order)
  const isWalked = isIndexed || order.by === 'id'
  if (count > MAX_IDS && !isWalked) throw new Refused('order', TOO_MANY)
  if (order.by === 'distance') {
    const whole = { after: from, skip: 0, take: Number.POSITIVE_INFINITY, backward: false, known: null }
    const places = await placesOf(snapshot, matches, order.from ?? [0, 0], whole, order.descending)
    return { count, ids: Float64Array.from(places, ({ id }) => id), next: null }
  }
  const ordering = orderingOf(snapshot, list, order, false, true)
  const source = matches.withFields(ordering.fields)
  const columns = named({ id: ordering.id, value: isWalked ? ordering.shown : sql`NULL` })
  const ids = new Float64Array(Math.min(count, isIndexed ? PART : MAX_IDS))
  let found = 0
  let last: RowPosition | null = null
  for (const { condition, terms } of runsOf(ordering, from)) {
    const rows = selectFrom(source, columns, all([matches.condition, condition]))
    const query = sql<RowPosition>`${rows} ORDER BY ${terms} LIMIT ${integer(ids.length - found)}`
    await snapshot.each(query, (row) => {
      ids[found] = row.id
      found += 1
      last = row
    })
  }
  const isFull = isWalked && found === ids.length && found < count
  return { count, ids: ids.subarray(0, found), next: isFull ? last : null }
}

const TOO_MANY = `More than ${MAX_IDS.toLocaleString('en')} items match, too many to download in this order. Order them by id, or add a filter.`

/** Tests if an index has exactly the order of answers. They show times in milliseconds. */
const hasIndex = (views: Views, { by }: Order): boolean =>
  (by === 'id' || (by === 'start' && !fieldsOf(views)('events', by).isFine)) && views.indexes.has(by)
