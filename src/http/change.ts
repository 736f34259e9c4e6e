import { ACCESS_LEVELS } from '../base/access.ts'
import { at } from '../base/collections.ts'
import {
  ApiError,
  badRequest,
  type Mistakes,
  mistake,
  noMistakes,
  notFound,
  preconditionFailed,
  refuseMistakes,
  unavailable,
} from '../base/errors.ts'
import type { Database, Statement } from '../engine/d1/database.ts'
import type { FoundItem, Row } from '../engine/engine.ts'
import { isSame, type LevelState, parseState } from '../engine/state.ts'
import type { Selection } from '../question/question.ts'
import { type Draft, noteFault, noteMissing, parseBody, readItem } from '../store/fields.ts'
import { changeAndRead, checkTitles, readStep, resolveNames, storedRows } from '../store/reads.ts'
import { changesIn } from '../store/records.ts'
import { guardItem, guardState, limitSteps, STEP, untilWritten } from '../store/statement.ts'
import type { Writable } from '../store/writable.ts'
import { lookFor, recordsOf, refuseOtherSeries, type Storing, type WriteTarget } from './create.ts'
import { LEVELS } from './validators.ts'

/**
 * Changes the item with a key, and returns it after the change. If `replaced`, members that the body leaves out become as
 * in a new item.
 */
export const change = async (writing: Storing, key: string, bytes: ArrayBuffer, replaced: boolean): Promise<object> => {
  const { target, db } = writing
  const body = parseBody(bytes)
  return untilWritten(async () => {
    const { row, tag } = await find(writing, key)
    const guards = guardsOf(writing, row, tag)
    const changes = await changesOf(writing, row, body, replaced)
    if (Object.keys(changes).length === 0) return target.show(row)
    writing.note(target.writable.keyOf(row))
    const statements = [...guards, ...itemsOf(target).change(row, changes, writing.writer)]
    const changed = await changeAndRead(db, target, Number(row.id), statements)
    return changed === null ? null : target.show(changed)
  })
}

/** Deletes the item with a key. `asked` has the parameters in the address that say how. */
export const remove = async (writing: Storing, key: string, asked: ReadonlySet<string>): Promise<void> => {
  const { target, db, writer } = writing
  await untilWritten(async ({ isFirst }) => {
    const item = await find(writing, key).catch(async (error: unknown) => {
      const isLost = !isFirst && error instanceof ApiError && error.status === 404
      // An item that became hidden was not deleted.
      if (!isLost || (await lookFor(writing, key, ACCESS_LEVELS.Hidden)) !== null) throw error
      return null
    })
    // The last try succeeded and its answer was lost, or another request deleted the item.
    if (item === null) return true
    const { row, tag } = item
    const guards = guardsOf(writing, row, tag)
    writing.note(target.writable.keyOf(row))
    return (await itemsOf(target).remove?.(db, row, { guards, asked, ...writer })) || null
  })
}

/**
 * Deletes the matching items of a list in steps, and returns their number. A step is a transaction that applies only to
 * the state that it read. After 20 seconds it throws a 503, and the client must repeat the request.
 */
export const deleteMany = async (writing: Storing, selection: Selection): Promise<number> => {
  const { target, writer, db } = writing
  refuseOtherSeries(writing, [{ series: target.owner?.id }])
  const limit = limitSteps()
  let deleted = 0
  for (;;) {
    const ids = await readStep(db, target.list, selection)
    const state = db.state()
    if (deleted === 0) refuseOthers(expectedOf(writing), db)
    if (ids.length === 0 || state === null) return deleted
    if (limit.isReached())
      throw unavailable(`${deleted} items were deleted. Send the same request again to delete the rest.`)
    const statements = target.writable.removeMany?.(ids, writer) ?? []
    const guard = guardState([{ ...state, level: writer.level }])
    const isDone = db.read.state() !== null && (await db.write([guard, ...statements])) !== null
    limit.note(isDone)
    if (isDone) deleted += ids.length
    writing.note(deleted)
    if (isDone && ids.length < STEP) return deleted
  }
}

/**
 * Returns the states of the data, or of an item, that If-Match allows to a writer of a level. Null allows all. The tag of an item stands for that
 * item, and another tag for all data that its level sees. So a client may read without its key. A tag of a higher level
 * says more than the writer may know, so it never matches.
 */
const expectedOf = ({ ifMatch, writer }: Storing) => {
  if (ifMatch === null || ifMatch.trim() === '*') return null
  const [states, items]: [LevelState[], string[]] = [[], []]
  for (const tag of ifMatch.split(',')) {
    const [, named = '', position] = /^\s*(?:W\/)?"([^"]*)-(\d)[^"-]*"\s*$/.exec(tag) ?? []
    const [state, level] = [parseState(named), LEVELS[Number(position)]]
    if (level === undefined || level > writer.level) continue
    if (state === null) items.push(named)
    else states.push({ ...state, level })
  }
  return { states, items }
}

/** Throws a 412 if the data has another state. */
const refuseOthers = (expected: ReturnType<typeof expectedOf>, db: Database): void => {
  const isExpected = expected === null || expected.states.some((state) => isSame(state, db.state(state.level)))
  if (!isExpected) throw preconditionFailed()
}

/** Returns the guards of a write to an item. Throws a 412 if neither the item nor the data has an expected state. */
const guardsOf = (writing: Storing, row: Row, tag: FoundItem['tag']): Statement[] => {
  const { target, db } = writing
  const expected = expectedOf(writing)
  if (expected === null) return []
  if (tag !== null && expected.items.includes(tag)) return [guardItem(target.list, Number(row.id), tag)]
  refuseOthers(expected, db)
  return [guardState(expected.states)]
}

/** Returns how the items of a list change. For other lists the Worker has already answered 405. */
const itemsOf = ({ path, writable: { items } }: WriteTarget): NonNullable<Writable['items']> => {
  if (items === undefined) throw new Error(`the items of ${path} cannot be changed`)
  return items
}

/** Reads the row of an item that the caller sees. Throws a 404 if there is none. */
const find = async (writing: Storing, key: string): Promise<FoundItem> => {
  const { target } = writing
  const item = await lookFor(writing, key)
  if (item === null) throw notFound()
  refuseOtherSeries(writing, [item.row])
  if (target.writable.isWhole?.(key) === false)
    throw badRequest(
      `The first characters of a uuid are enough only to read. To write, use ${target.path}${target.writable.keyOf(item.row)}/.`,
    )
  return item
}

/**
 * Returns the members that a body changes. A member with the stored value does not change. Throws a 400 that names
 * every mistake.
 */
const changesOf = async (writing: Storing, row: Row, body: unknown, replaced: boolean): Promise<Draft> => {
  const { target, writer, db, merges } = writing
  const { writable } = target
  const mistakes = noMistakes()
  const read = readItem(writable, { value: body, at: '' }, mistakes, replaced)
  if (replaced) noteMissing(read, mistakes)
  const stored = writable.recordOf(row)
  const draft = changeable(writable, stored, read.draft, mistakes, merges && !replaced)
  const parts = await resolveNames(db, writable, [{ ...read, draft }], mistakes)
  const record = at(recordsOf(writable, parts, [row], writer, mistakes), 0)
  refuseOtherSeries(writing, [record])
  await checkTitles(db, stored, record, mistakes)
  const { keyed } = writable
  const name = keyed?.nameOf(record) ?? null
  const isNew = name !== null && name !== keyed?.nameOf(stored)
  if (isNew && at(await storedRows(db, target, [{ ...read, draft: record }], mistakes), 0) !== null)
    mistake(mistakes, keyed?.path ?? '', 'Another event of this series has this value. Enter another value, or null.')
  refuseMistakes(mistakes)
  return changesIn(stored, record)
}

/**
 * Removes members that only a new item can set, and notes a mistake if they differ. A member that follows another one
 * keeps its stored value if the body does not give it. `merges`: some members are merged.
 */
const changeable = ({ fields }: Writable, stored: Draft, draft: Draft, mistakes: Mistakes, merges: boolean): Draft => {
  const changes: Record<string, unknown> = { ...draft }
  for (const [path, { to, once, follows, patch }] of Object.entries(fields)) {
    if (patch && merges && to in draft)
      noteFault(mistakes, path, () => {
        changes[to] = patch(stored[to], draft[to])
      })
    if (once && to in draft) {
      if (draft[to] !== stored[to]) mistake(mistakes, path, 'This field cannot be changed.')
      delete changes[to]
    }
    if (follows && !(to in draft)) changes[to] = stored[to]
  }
  return changes
}
