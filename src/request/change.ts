import { sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../access.ts'
import type { Row } from '../engine/conditions/table.ts'
import { fetchItem } from '../engine/read.ts'
import type { Database, Statement } from '../engine/run/database.ts'
import { select, tableOf } from '../engine/sql/select.ts'
import { ApiError, badRequest, notFound, preconditionFailed } from '../errors.ts'
import { integer } from '../filters/sql.ts'
import { type Mistakes, mistake, noMistakes, refuseMistakes } from '../mistakes.ts'
import type { Resource } from '../resource.ts'
import type { State } from '../state.ts'
import { isSame } from '../state.ts'
import { parseBody } from '../store/body.ts'
import { checkLength, checkTexts, type Draft, noteMissing, readItem } from '../store/fields.ts'
import { lookUp } from '../store/lookUp.ts'
import { changesIn } from '../store/records.ts'
import { untilWritten } from '../store/retry.ts'
import { guardState } from '../store/statement.ts'
import type { Items, Writable, Writer } from '../store/writable.ts'
import type { WriteContext } from './create.ts'

/** The item to write. */
export interface ItemTarget {
  /** The last part of its address. */
  readonly key: string
  /** The states of the data in which it may be written. Null: in any state. */
  readonly states: readonly State[] | null
}

/**
 * Changes members of an item, and returns the item after the change. If `replaced`, members that the body leaves out
 * become as in a new item.
 */
export const change = async (
  writing: WriteContext,
  target: ItemTarget,
  bytes: ArrayBuffer,
  replaced = false,
): Promise<object> => {
  const { resource, links, db } = writing
  const body = parseBody(bytes)
  return untilWritten(async () => {
    const row = await find(writing, target)
    const changes = await changesOf(writing, row, body, replaced)
    if (Object.keys(changes).length === 0) return resource.serialize(row, links)
    const statements = [...guardsOf(target), ...itemsOf(resource).change(row, changes, writerOf(writing))]
    const item = select(resource.columns)
      .from(tableOf(resource))
      .where(sql`${resource.id} = ${integer(BigInt(row.id))}`)
    const changed = (await db.write(statements, item))?.[0][0]
    return changed === undefined ? null : resource.serialize(changed, links)
  })
}

/** Deletes an item, as the parameters of the request say. */
export const remove = async (writing: WriteContext, target: ItemTarget): Promise<void> => {
  const { resource, db, asked } = writing
  await untilWritten(async ({ isFirst }) => {
    const row = await find(writing, target).catch(async (error: unknown) => {
      const isLost = !isFirst && error instanceof ApiError && error.status === 404
      if (!isLost || (await isThere(writing, target))) throw error
      return null
    })
    // The last try succeeded and its answer was lost, or another request deleted the item.
    if (row === null) return true
    const removal = { guards: guardsOf(target), asked, ...writerOf(writing) }
    return (await itemsOf(resource).remove(db, row, removal)) || null
  })
}

/** Returns true if an item exists, even if this caller may not see it. An item that became hidden was not deleted. */
const isThere = async ({ resource, db }: WriteContext, { key }: ItemTarget): Promise<boolean> =>
  (await fetchItem(db, resource, resource.find(key), ACCESS_LEVELS.Hidden)) !== null

/** Returns how the items of a list change. For other lists the Worker has already answered 405. */
const itemsOf = ({ path, writable: { items } }: Resource): Items => {
  if (items === undefined) throw new Error(`the items of ${path} cannot be changed`)
  return items
}

const writerOf = ({ caller, now }: WriteContext): Writer => ({ level: caller.level, now })

/**
 * Reads the row of an item that the caller sees. Throws a 404 if there is none, and a 412 for data in another state.
 */
const find = async ({ resource, caller, db }: WriteContext, { key, states }: ItemTarget): Promise<Row> => {
  const row = await fetchItem(db, resource, resource.find(key), caller.level)
  if (row === null) throw notFound()
  if (resource.writable.isWhole?.(key) === false)
    throw badRequest(
      `The first characters of a uuid are enough only to read. To write, use ${resource.path}${resource.writable.keyOf(row)}/.`,
    )
  if (states !== null && !states.some((state) => isSame(state, db.state()))) throw preconditionFailed()
  return row
}

const guardsOf = ({ states }: ItemTarget): Statement[] => (states === null ? [] : [guardState(states)])

/** Notes a mistake if another record has the name of the changed record. */
const checkName = async (
  { keyed, table }: Writable,
  db: Database,
  before: Draft,
  record: Draft,
  mistakes: Mistakes,
) => {
  const name = keyed?.nameOf(record) ?? null
  if (keyed === undefined || name === null || name === keyed.nameOf(before)) return
  const others = await db.read(
    ...keyed.conditions([record]).map((where) => sql`SELECT 1 FROM ${sql.identifier(table)} WHERE ${where}`),
  )
  if (others.flat().length > 0)
    mistake(mistakes, keyed.path, 'Another event of this series has this value. Enter another value, or null.')
}

/**
 * Returns the members that a body changes. A member with the stored value does not change. Throws a 400 that names
 * every mistake.
 */
const changesOf = async (
  { resource, caller, db }: WriteContext,
  row: Row,
  body: unknown,
  replaced: boolean,
): Promise<Draft> => {
  const { writable } = resource
  const mistakes = noMistakes()
  const read = readItem(writable, { value: body, at: '' }, mistakes, replaced)
  const { item } = read
  if (replaced) noteMissing(read, mistakes)
  const stored = writable.recordOf(row)
  const part = { ...read, draft: changeable(writable, stored, read.draft, mistakes) }
  const { queries, resolve } = lookUp(writable, [part], caller.level)
  const [{ draft } = part] = resolve(queries.length === 0 ? [] : await db.read(...queries), mistakes)
  checkTexts(writable, part, stored, mistakes)
  const fault = writable.faultOf(draft, stored, caller.level)
  if (fault !== null) mistake(mistakes, item.at + fault[0], fault[1])
  refuseMistakes(mistakes)
  const record = writable.merge(stored, draft)
  checkLength(record, item.at, mistakes)
  await checkName(writable, db, stored, record, mistakes)
  refuseMistakes(mistakes)
  return changesIn(stored, record)
}

/**
 * Removes members that only a new item can set, and notes a mistake if they differ. A member that follows another one
 * keeps its stored value if the body does not give it.
 */
const changeable = ({ fields }: Writable, stored: Draft, draft: Draft, mistakes: Mistakes): Draft => {
  const changes: Record<string, unknown> = { ...draft }
  for (const [path, { to, once, follows }] of Object.entries(fields)) {
    if (once && to in draft) {
      if (draft[to] !== stored[to]) mistake(mistakes, path, 'This field cannot be changed.')
      delete changes[to]
    }
    if (follows && !(to in draft)) changes[to] = stored[to]
  }
  return changes
}
