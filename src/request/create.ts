import { type SQL, sql } from 'drizzle-orm'
import type { Caller } from '../caller.ts'
import type { Row } from '../engine/conditions/table.ts'
import { fetchItem } from '../engine/read.ts'
import type { Database, Statement } from '../engine/run/database.ts'
import { noMistakes, refuseMistakes, unavailable } from '../errors.ts'
import type { Links, WritableResource } from '../resource.ts'
import { itemsOf, parseBody } from '../store/body.ts'
import { lookUp, readItem } from '../store/fields.ts'
import { type Answered, answeredTo, postOf, remember } from '../store/idempotency.ts'
import { changesIn, type LoadRecord } from '../store/records.ts'
import { lastId, STAMP, takeIds, untilWritten } from '../store/statement.ts'
import type { Writer } from '../store/writable.ts'
import { findNamed, type Made, type PostedItem, recordsOf, refuseKnown } from './merge.ts'

/** The parts of a request to write that each kind of write needs. */
export interface WriteContext {
  readonly resource: WritableResource
  readonly caller: Caller
  readonly db: Database
  readonly links: Links
  /** The absolute address of the request, with its query. */
  readonly address: string
  /** The parameters in the address that say how to delete an item. */
  readonly asked: ReadonlySet<string>
  /** Microseconds since 1970. */
  readonly now: number
  /** Notes for the log which item is written, by its key, or how many items. */
  readonly note: (written: string | number) => void
}

/**
 * Stores all posted items, or none, and returns the answer. A repeat with the same Idempotency-Key gets the same
 * answer.
 */
export const create = async (
  writing: WriteContext,
  idempotencyKey: string | null,
  bytes: ArrayBuffer,
): Promise<Answered> => {
  const { resource, db, caller, links, address } = writing
  const post = idempotencyKey === null ? null : await postOf(caller.key?.id ?? '', idempotencyKey, address, bytes)
  // Null: this is no repeat. Otherwise the answer shows the current state of a single item.
  const answerRepeat = async (): Promise<Answered | null> => {
    const remembered = post && (await answeredTo(db, post))
    if (remembered === null || remembered.key === null) return remembered
    const { status, location, key } = remembered
    const row = await fetchItem(db, resource, resource.find(key), caller.level)
    const gone = { id: key, detail: 'The item was stored. Since then it was deleted or hidden.' }
    return { status, location, body: row === null ? gone : resource.serialize(row, links) }
  }
  const before = await answerRepeat()
  if (before !== null) return before
  const examine = examinationOf(writing, bytes)
  return untilWritten(async ({ isLast }) => {
    const { answer, key, count, statements, isRepeatable } = await examine()
    if (statements.length === 0) return answer
    writing.note(key ?? count)
    const all = [...(post ? remember(post, answer, key) : []), ...statements]
    if ((await db.write(all)) !== null) return answer
    // Another request came first. It had the same key, or created or deleted an item that this one names.
    const since = await answerRepeat()
    if (since !== null) return since
    if (isRepeatable && !isLast) return null
    await examine()
    throw unavailable()
  })
}

/** The answer to a post, and the statements that store it. */
interface Examined {
  readonly answer: Answered
  /** The key at the end of a single item's address. Null for several items. */
  readonly key: string | null
  /** The number of new and changed items. */
  readonly count: number
  /** Empty if nothing differs from the stored items. */
  readonly statements: readonly Statement[]
  /** True if each item has a name, because posting it again then changes nothing. */
  readonly isRepeatable: boolean
}

/** Reads a post. The returned function compares it with the current data. It throws a 400 that names every mistake. */
const examinationOf = (writing: WriteContext, bytes: ArrayBuffer) => {
  const { resource, caller, db, now } = writing
  const { writable } = resource
  const { identity, keyed, table } = writable
  const read = noMistakes()
  const { items: given, single } = itemsOf(parseBody(bytes))
  const posted: PostedItem[] = given.map((item) => ({
    ...readItem(writable, item, read),
    place: item.at.slice(0, -1),
    name: identity.nameOf(item.value),
  }))
  const names = posted.flatMap(({ name }) => name ?? [])
  const { queries, resolve } = lookUp(writable, posted, caller.level)
  const reads = [sql`SELECT ${STAMP} AS stamp`, identity.query(JSON.stringify(names), caller.level), ...queries]
  const isNamed = ({ draft }: PostedItem): boolean => keyed !== undefined && keyed.nameOf(draft) !== null
  // If no item can be stored already, the first round trip reserves all ids. Otherwise the Worker first counts new
  // items.
  const isNew = read.count === 0 && names.length === 0 && !posted.some(isNamed)
  return async (): Promise<Examined> => {
    const taken = isNew ? await takeFirst(db, table, posted.length, reads) : null
    const [[before] = [], known = [], ...found] = taken?.answers ?? (await db.read(...reads))
    const mistakes = noMistakes()
    mistakes.count = read.count
    Object.assign(mistakes.faults, read.faults)
    Object.assign(mistakes.codes, read.codes)
    const items = await findNamed(db, resource, resolve(found, mistakes), mistakes)
    refuseKnown(identity, items, known)
    const writer = { level: caller.level, now: Math.max(now, 1 + Number(before?.stamp ?? 0)) }
    const made = recordsOf(writable, items, writer, mistakes)
    refuseMistakes(mistakes)
    const added = items.filter(({ row }) => row === null).length
    let id = added === 0 ? 0 : (taken ?? (await takeFirst(db, table, added, []))).first
    const merged = made.map(({ record, stored }) => ({ record: stored ? record : { ...record, id: id++ }, stored }))
    const answer = answerOf(writing, merged, writer, single, items[0]?.row ?? null)
    return { ...answer, isRepeatable: items.every(isNamed) }
  }
}

/** Reserves ids for new rows, in the same round trip as `reads`. */
const takeFirst = async (db: Database, table: LoadRecord['kind'], count: number, reads: readonly SQL[]) => {
  const answers = await db.write([takeIds(table, count)], lastId(table), ...reads)
  if (answers === null) throw unavailable()
  const [[last], ...rest] = answers
  if (last === undefined) throw new Error(`no ids were reserved for ${table}`)
  return { first: Number(last.last) - count + 1, answers: rest }
}

/** Makes the answer to a post. `storedRow` is the row that the first item changes, null for a new item. */
const answerOf = (
  { resource, links }: WriteContext,
  merged: readonly Made[],
  writer: Writer,
  single: boolean,
  storedRow: Row | null,
): Omit<Examined, 'isRepeatable'> => {
  const { writable, path } = resource
  const records = merged.map(({ record }) => record)
  const created = merged.flatMap(({ record, stored }) => (stored === null ? [record] : []))
  const changed = merged.flatMap(({ record, stored }) =>
    stored !== null && Object.keys(changesIn(stored, record)).length > 0 ? [record] : [],
  )
  const [added, altered] = [created.length, changed.length]
  const count = added + altered
  const statements = count > 0 ? writable.add(created, writer, changed) : []
  const status = added > 0 ? 201 : 200
  const [record] = records
  if (!single || record === undefined) {
    const numbers = { created: added, changed: altered, unchanged: records.length - added - altered }
    return {
      answer: { status, location: null, body: writable.several(records, numbers) },
      key: null,
      count,
      statements,
    }
  }
  const row = storedRow !== null && altered === 0 ? storedRow : writable.rowOf(record, writer)
  const key = writable.keyOf(row)
  const location = added > 0 ? links.to(`${path}${key}/`) : null
  return { answer: { status, location, body: resource.serialize(row, links) }, key, count, statements }
}
