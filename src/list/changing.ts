import { sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../access.ts'
import { ApiError, badRequest, notFound, preconditionFailed, unavailable } from '../errors.ts'
import { integer } from '../filters/lookups.ts'
import { type Mistakes, mistake, noMistakes, refuseMistakes } from '../mistakes.ts'
import type { Database, Statement } from '../query/db/d1.ts'
import { columnsOf } from '../query/db/sql.ts'
import { fetchItem } from '../query/read.ts'
import type { Row } from '../query/table.ts'
import type { Resource } from '../resource.ts'
import type { State } from '../state.ts'
import { isSame } from '../state.ts'
import { parseBody } from '../store/body.ts'
import { checkLength, checkTexts, type Draft, lookUp, noteMissing, readItem } from '../store/fields.ts'
import { guardState } from '../store/statement.ts'
import type { Items, Writable, Writer } from '../store/writable.ts'
import type { Writing } from './creating.ts'
import { changesIn } from './merging.ts'

/** The item that is written. */
export interface Target {
  /** The last part of its address. */
  readonly key: string
  /** The states of the data that it may be written in, null for any. */
  readonly states: readonly State[] | null
}

/** How often a write is tried that something written meanwhile refuses: each finds the item anew. */
const ATTEMPTS = 5

/**
 * Changes the members of an item that are given or, where it is `replaced`, all: those that are left out are as in a new one.
 * Answers the item as it is then.
 */
export const change = async (
  writing: Writing,
  target: Target,
  bytes: ArrayBuffer,
  replaced = false,
): Promise<object> => {
  const { resource, links, db } = writing
  const body = parseBody(bytes)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const row = await find(writing, target)
    const changes = await changesOf(writing, row, body, replaced)
    if (Object.keys(changes).length === 0) return resource.serialize(row, links)
    const statements = [...guardsOf(target), ...itemsOf(resource).change(row, changes, writerOf(writing))]
    const item = sql`SELECT ${columnsOf(resource)} FROM ${resource.table} ${resource.joins ?? sql``} WHERE ${resource.id} = ${integer(BigInt(row.id))}`
    const [[changed] = []] = (await db.write(statements, item)) ?? []
    if (changed !== undefined) return resource.serialize(changed, links)
  }
  throw unavailable()
}

/** Deletes an item, in the manner that is asked for. */
export const remove = async (writing: Writing, target: Target): Promise<void> => {
  const { resource, db, asked } = writing
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const row = await find(writing, target).catch(async (error: unknown) => {
      const isLost = attempt > 0 && error instanceof ApiError && error.status === 404
      if (!isLost || (await isThere(writing, target))) throw error
      return null
    })
    if (row === null) return // The one before was done, and its answer lost; or somebody else deleted it meanwhile.
    if (await itemsOf(resource).remove(db, row, { guards: guardsOf(target), asked, ...writerOf(writing) })) return
  }
  throw unavailable()
}

/** Whether an item is there, whoever may see it: one that was hidden meanwhile was not deleted. */
const isThere = async ({ resource, db }: Writing, { key }: Target): Promise<boolean> =>
  (await fetchItem(db, resource, resource.find(key), ACCESS_LEVELS.Hidden)) !== null

/** How the items of a list are changed. Other lists answer 405 before. */
const itemsOf = ({ path, writable: { items } }: Resource): Items => {
  if (items === undefined) throw new Error(`the items of ${path} cannot be changed`)
  return items
}

const writerOf = ({ caller, now }: Writing): Writer => ({ level: caller.level, now })

/** The row of an item that the caller sees. Throws a 404, and a 412 where the data is in no state that was asked for. */
const find = async ({ resource, caller, db }: Writing, { key, states }: Target): Promise<Row> => {
  const row = await fetchItem(db, resource, resource.find(key), caller.level)
  if (row === null) throw notFound()
  if (resource.writable.isWhole?.(key) === false)
    throw badRequest(
      `A beginning names it for reading only: write to ${resource.path}${resource.writable.keyOf(row)}/.`,
    )
  if (states !== null && !states.some((state) => isSame(state, db.state()))) throw preconditionFailed()
  return row
}

const guardsOf = ({ states }: Target): Statement[] => (states === null ? [] : [guardState(states)])

/** Notes of a changed record that another has its name. */
const checkName = async (
  { keyed, table }: Writable,
  db: Database,
  before: Draft,
  record: Draft,
  mistakes: Mistakes,
) => {
  const name = keyed?.nameOf(record) ?? null
  if (keyed === undefined || name === null || name === keyed.nameOf(before)) return
  const found = await db.read(
    ...keyed.conditions([record]).map((where) => sql`SELECT 1 FROM ${sql.identifier(table)} WHERE ${where}`),
  )
  if (found.flat().length > 0)
    mistake(mistakes, keyed.path, 'Another one of this series has it. Enter another, or null.')
}

/** Returns the members that a body changes. Members with the stored value are no changes. Throws a 400 that names every mistake. */
const changesOf = async (
  { resource, caller, db }: Writing,
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

/** Removes members that only a new item sets, and keeps those that only a POST moves. Notes forbidden changes. */
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
