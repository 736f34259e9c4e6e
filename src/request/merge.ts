import { sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../access.ts'
import type { Row } from '../engine/conditions/table.ts'
import type { Database } from '../engine/run/database.ts'
import { wholeRows } from '../engine/run/whole.ts'
import { select, sharedColumns } from '../engine/sql/columns.ts'
import { conflict, type Mistakes, mistake, refuseMistakes } from '../errors.ts'
import type { WritableResource } from '../resource.ts'
import { type Draft, noteMissing, type Part } from '../store/fields.ts'
import type { Identity, Writable, Writer } from '../store/writable.ts'

/** An item of a post. */
export interface PostedItem extends Part {
  /** Its position in the body, empty if it is the whole body. */
  readonly place: string
  /** The id or uuid in an item that the client read before. */
  readonly name: number | string | null
}

/** An item of a post, and the stored row with its external id. */
interface Matched extends PostedItem {
  readonly row: Row | null
}

/** Finds the stored rows with the external ids of items. An external id that occurs twice is a mistake. */
export const findNamed = async (
  db: Database,
  resource: WritableResource,
  posted: readonly PostedItem[],
  mistakes: Mistakes,
): Promise<Matched[]> => {
  const { keyed, recordOf } = resource.writable
  const conditions = keyed?.conditions(posted.map(({ draft }) => draft)) ?? []
  if (keyed === undefined || conditions.length === 0) return posted.map((each) => ({ ...each, row: null }))
  const selected = select(resource, sharedColumns(resource, posted.length))
  const answers = await db.read(...conditions.map((where) => sql`${selected} WHERE ${where}`))
  const stored = new Map<string | null, Row>()
  for await (const rows of wholeRows(db.read, resource, answers.flat(), ACCESS_LEVELS.Hidden))
    for (const row of rows) stored.set(keyed.nameOf(recordOf(row)), row)
  const seen = new Set<string>()
  return posted.map((each) => {
    const name = keyed.nameOf(each.draft)
    if (name === null) return { ...each, row: null }
    if (seen.has(name))
      mistake(mistakes, each.item.at + keyed.path, 'This value is given more than once for a series. Give it once.')
    seen.add(name)
    return { ...each, row: stored.get(name) ?? null }
  })
}

/** The most positions that a 409 names. */
const MAX_SHOWN = 100

/**
 * Throws a 409 if an item has the id or uuid of a stored row. `known` has those rows. An item with a stored external id
 * is a change of its row, and no conflict.
 */
export const refuseKnown = (
  { member, pathOf, isFinal }: Identity,
  items: readonly Matched[],
  known: readonly Row[],
): void => {
  const rows = new Map(known.map((row) => [row.given, row]))
  const again = items.filter(({ name, row }) => row === null && rows.has(name))
  const first = rows.get(again[0]?.name)
  if (first === undefined) return
  const [path, places] = [pathOf(first), again.map(({ place }) => place)]
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

/** A record to store, and the stored one that it changes. A new record has no id yet, and `stored` is null. */
export interface Made {
  readonly record: Draft
  readonly stored: Draft | null
}

/**
 * Makes the records of items. `row` is the stored row that an item changes, null for a new item. Throws a 400 that names
 * every mistake.
 */
export const recordsOf = (
  writable: Writable,
  items: readonly (Part & { readonly row: Row | null })[],
  writer: Writer,
  mistakes: Mistakes,
): Made[] => {
  const parts = items.map((item) => ({ ...item, stored: item.row && writable.recordOf(item.row) }))
  for (const part of parts) {
    if (part.stored === null) noteMissing(part, mistakes)
    const fault = writable.faultOf(part.draft, part.stored, writer.level)
    if (fault !== null) mistake(mistakes, part.item.at + fault[0], fault[1])
  }
  refuseMistakes(mistakes)
  return parts.map(({ draft, stored }) => ({
    record: stored === null ? writable.complete(draft, writer) : writable.merge(stored, draft),
    stored,
  }))
}
