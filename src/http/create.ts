import { at } from '../base/collections.ts'
import {
  conflict,
  type Mistakes,
  mistake,
  noMistakes,
  permissionDenied,
  refuseMistakes,
  unavailable,
} from '../base/errors.ts'
import type { Database } from '../engine/d1/database.ts'
import { fetchItem } from '../engine/d1/rows.ts'
import type { FoundItem, Row } from '../engine/engine.ts'
import type { Owner, Resource } from '../lists/resource.ts'
import type { Links } from '../model/kinds.ts'
import { type Draft, type ItemRead, itemsOf, noteMissing, parseBody, readItem } from '../store/fields.ts'
import { type Answered, answeredTo, type Post, remember } from '../store/idempotency.ts'
import { readForPost, type WritableList } from '../store/reads.ts'
import { changesIn } from '../store/records.ts'
import { takeIds, untilWritten } from '../store/statement.ts'
import type { Identity, NamedRow, Writable, Writer } from '../store/writable.ts'
import { keyUnder } from './session.ts'

/** The list or the collection to which a request writes. */
export interface WriteTarget extends WritableList {
  readonly find: Resource['find']
  readonly owner: Owner | null
  readonly path: string
  /** Writes the item of a row for the answer. */
  readonly show: (row: Row) => object
}

/** The only series that a key writes. The key has the beginnings of their uuids. */
export interface OwnSeries {
  readonly ids: readonly number[]
  readonly beginnings: readonly string[]
}

/** A write to a list or its items. */
export interface Storing {
  readonly target: WriteTarget
  readonly db: Database
  readonly links: Links
  readonly writer: Writer
  /** Null: the key writes all series. */
  readonly own: OwnSeries | null
  /** True if the body is a merge patch. Attributes are merged with their stored values. */
  readonly merges: boolean
  /** The header If-Match. Null: the request has none. */
  readonly ifMatch: string | null
  /** Notes for the log which item is written, by its key, or how many items. */
  readonly note: (written: string | number) => void
}

/**
 * Stores all posted items, or none, and returns the answer. A repeat of `post`, which has an Idempotency-Key, gets the
 * same answer. Null: the request has no such key.
 */
export const create = async (writing: Storing, post: Post | null, bytes: ArrayBuffer): Promise<Answered> => {
  const { target, db, note } = writing
  // Null: this is no repeat. Otherwise the answer shows the current state of a single item.
  const answerRepeat = async (): Promise<Answered | null> => {
    const remembered = post && (await answeredTo(db, post))
    if (remembered === null || remembered.key === null) return remembered
    const { status, location, key } = remembered
    const item = await lookFor(writing, key)
    const gone = { id: key, detail: 'The item was stored. Since then it was deleted or hidden.' }
    return { status, location, body: item === null ? gone : target.show(item.row) }
  }
  const before = await answerRepeat()
  if (before !== null) return before
  const body = parseBody(bytes)
  return untilWritten(async ({ isLast }) => {
    const { answer, key, count, statements, isRepeatable } = await examine(writing, body)
    if (statements.length === 0) return answer
    note(key ?? count)
    const all = [...(post ? remember(post, answer, key) : []), ...statements]
    if ((await db.write(all)) !== null) return answer
    // Another request came first. It had the same key, or created or deleted an item that this one names.
    const since = await answerRepeat()
    if (since !== null) return since
    if (isRepeatable && !isLast) return null
    await examine(writing, body)
    throw unavailable()
  })
}

/** Throws a 403 unless the key writes the series of all these rows or records. The caller sees each of them. */
export const refuseOtherSeries = ({ own, target }: Storing, items: readonly (Row | Draft)[]): void => {
  const series = items.map((item) => target.writable.seriesOf?.(item))
  if (own !== null && !series.every((id) => id !== undefined && own.ids.includes(id))) throw notOfKey(own.beginnings)
}

/** The text depends on the key alone, so it tells nothing about series that the caller does not see. */
export const notOfKey = (beginnings: readonly string[]) =>
  permissionDenied(
    `This key writes only events and descriptions of the series ${beginnings.join(', ')}. Each is the beginning of a uuid that only one series has. For other writes, use a key for all series.`,
  )

/** Reads the item with a key, if a level sees it. By default it is the writer's. */
export const lookFor = async ({ db, target }: Storing, named: string, level = db.level): Promise<FoundItem | null> => {
  const key = keyUnder(target.find(named), target.owner)
  return key && fetchItem(db, target.list, key, target.reads, level)
}

/**
 * Compares posted items with the stored ones. Returns the answer, the statements that store the items, and the key of a
 * single one. There are no statements if nothing differs. If each item has a name, the post can be repeated. Throws a 400
 * that names every mistake.
 */
const examine = async (writing: Storing, body: unknown) => {
  const { target, db, writer } = writing
  const { writable } = target
  const { identity, keyed, table } = writable
  const mistakes = noMistakes()
  const { items, single } = itemsOf(body)
  const read = items.map((item) => readItem(writable, item, mistakes))
  const names = items.map(({ value }) => identity.nameOf(value))
  const isNamed = ({ draft }: ItemRead): boolean => keyed !== undefined && keyed.nameOf(draft) !== null
  // If no item can be stored already, the first round trip reserves all ids. Otherwise the Worker first counts new
  // items.
  const areNew = mistakes.count === 0 && names.every((name) => name === null) && !read.some(isNamed)
  const before = await readForPost(db, target, read, names, areNew, mistakes)
  const { known, parts, rows, widened } = before
  // The path of a part may lead into its feature.
  const again = items.flatMap(({ at }, i) => (rows[i] === null && known.has(names[i]) ? { at, name: names[i] } : []))
  const first = known.get(again[0]?.name)
  if (first !== undefined) refuseKnown(identity, again, first)
  const stamped = { ...writer, now: Math.max(writer.now, 1 + before.stamp) }
  const made = recordsOf(writable, parts, rows, stamped, mistakes)
  refuseOtherSeries(writing, made)
  const added = rows.filter((row) => row === null).length
  let id = added === 0 ? 0 : (before.firstId ?? (await takeIds(db, table, added, [])).first)
  const records = made.map((record, i) => (rows[i] === null ? { ...record, id: id++ } : record))
  const { answer, ...stored } = answerOf(writing, records, rows, stamped, single)
  const wider = widened(records)
  const told = wider.length === 0 ? answer.body : { ...answer.body, widened: wider }
  return { answer: { ...answer, body: told }, ...stored, isRepeatable: parts.every(isNamed) }
}

const MAX_SHOWN = 100

/**
 * Throws a 409 for items with the id or uuid of a stored row, and no external id that makes them changes. `row` is that of
 * the first.
 */
const refuseKnown = ({ member, pathOf, isFinal }: Identity, again: readonly { at: string }[], row: NamedRow): never => {
  const path = pathOf(row)
  const places = again.map(({ at }) => at.slice(0, -1))
  if (places[0] === '') {
    const advice = isFinal
      ? `It is ${path}. To store a new item, enter another ${member}.`
      : `To change it, use PATCH ${path}. To store a new item, leave ${member} out.`
    throw conflict(`An item with this ${member} is stored already. ${advice}`)
  }
  const more = places.length > MAX_SHOWN ? ` and ${places.length - MAX_SHOWN} more` : ''
  const advice = isFinal
    ? `Leave them out. The first is ${path}.`
    : `To change one, use PATCH, such as PATCH ${path}. To store new items, leave ${member} out.`
  throw conflict(
    `Items with these values of ${member} are stored already: ${places.slice(0, MAX_SHOWN).join(', ')}${more}. ${advice}`,
  )
}

/** Makes the record of each item. `rows` has the stored rows that they change. Throws a 400 that names every mistake. */
export const recordsOf = (
  writable: Writable,
  parts: readonly ItemRead[],
  rows: readonly (Row | null)[],
  writer: Writer,
  mistakes: Mistakes,
): Draft[] => {
  const stored = rows.map((row) => row && writable.recordOf(row))
  parts.forEach((part, i) => {
    const before = at(stored, i)
    if (before === null) noteMissing(part, mistakes)
    const fault = writable.faultOf(part.draft, before, writer.level)
    if (fault !== null) mistake(mistakes, part.item.at + fault[0], fault[1])
  })
  refuseMistakes(mistakes)
  return parts.map(({ draft }, i) => {
    const before = at(stored, i)
    return before === null ? writable.complete(draft, writer) : writable.merge(before, draft)
  })
}

/** Makes the answer to a post. `rows` has the stored rows that the records change. */
const answerOf = (
  { target, links }: Storing,
  records: readonly Draft[],
  rows: readonly (Row | null)[],
  writer: Writer,
  single: boolean,
) => {
  const { writable, path } = target
  const differs = (record: Draft, row: Row) => Object.keys(changesIn(writable.recordOf(row), record)).length > 0
  const created = records.filter((_, i) => rows[i] === null)
  const changed = records.filter((record, i) => rows[i] != null && differs(record, rows[i]))
  const count = created.length + changed.length
  const statements = count > 0 ? writable.add(created, writer, changed) : []
  const status: Answered['status'] = created.length > 0 ? 201 : 200
  if (!single) {
    const numbers = { created: created.length, changed: changed.length, unchanged: records.length - count }
    const answer = { status, location: null, body: writable.several(records, numbers) }
    return { answer, key: null, count, statements }
  }
  const row = count === 0 ? at(rows, 0) : null
  const shown = row ?? writable.rowOf(at(records, 0), writer)
  const key = writable.keyOf(shown)
  const location = created.length > 0 ? links.to(`${path}${key}/`) : null
  return { answer: { status, location, body: target.show(shown) }, key, count, statements }
}
