import { gone } from '../../base/errors.ts'
import type { ListName } from '../../question/fields.ts'
import type { Change, Row } from '../engine.ts'
import { MAX_PASSED } from '../limits.ts'
import { firstRows } from './page.ts'

/** The kinds of changes, in the order of one write on D1: a series follows its type, and its events follow it. */
export const CHANGE = { type: 0, series: 1, event: 2, gone: 3, end: 4 } as const

/** The database lacks some changes after a mark, or the mark is of another one. */
export const takeAnother = () =>
  gone(
    'This mark is too old, or it belongs to another database or another access level. Take a new mark, then read the lists again.',
  )

/** A change that a read passes. `told`: the answer may have it. */
export interface Passed extends Row {
  readonly kind: number
  readonly id: number
  /** The uuid of the series. An event has the uuid of its series before the write. */
  readonly series: string | null
  readonly externalId: string | null
  readonly told: number | boolean
  /** The caller sees the series now. `wasSeen`: it also saw it before the write. */
  readonly seen: number | boolean
  readonly wasSeen: number | boolean
}

/** A change of an answer, with its row. Null: the caller does not see the series now, or the event is gone. */
type Told = Passed & { readonly row: Row | null; readonly bytes: number }

/** Reads the rows of a list with some ids, and their `bytes` of texts. Another function may read long texts later. */
interface RowsOf {
  readonly read: (list: ListName, ids: readonly number[]) => Promise<readonly Row[]>
  readonly whole: (list: ListName, rows: readonly Row[]) => Promise<readonly Row[]>
}

const LISTS: readonly (ListName | undefined)[] = ['types', 'series', 'events']

/** Returns the list that has the row of a change. Undefined: there is none. */
const listOf = ({ kind, seen }: Passed): ListName | undefined =>
  kind === CHANGE.series && !seen ? undefined : LISTS[kind]

const byList = <P extends Passed>(passed: readonly P[]): [ListName, P[]][] =>
  [...Map.groupBy(passed, listOf)].flatMap(([list, of]) => (list === undefined ? [] : [[list, of]]))

/**
 * Reads the changes of an answer. `pass` passes at most so many changes: a few, or many if all of those are hidden. `last` is
 * the change before the next answer. Null: no other change is stored.
 */
export const readPassed = async <P extends Passed>(
  pass: (most: number) => Promise<readonly P[]>,
  limit: number,
  rowsOf: RowsOf,
): Promise<{ readonly changes: readonly Change[]; readonly last: P | null }> => {
  const few = await pass(limit + 1)
  const isHidden = few.length > limit && !few.some(({ told }) => told)
  const found = isHidden ? await pass(MAX_PASSED) : few
  const all = found.filter(({ told }) => told)
  const { changes, number } = await readTold(all.slice(0, limit), rowsOf)
  if (number < all.length) return { changes, last: all[number - 1] ?? null }
  const areAll = found.length < (isHidden ? MAX_PASSED : limit + 1)
  return { changes, last: areAll ? null : (found.at(-1) ?? null) }
}

/** Reads the rows of the first changes that have at most MAX_BYTES of texts. Returns these changes, and their number. */
const readTold = async (
  passed: readonly Passed[],
  { read, whole }: RowsOf,
): Promise<{ readonly changes: readonly Change[]; readonly number: number }> => {
  const found = await rowsIn(byList(passed), (list, of) => read(list, [...new Set(of.map(({ id }) => id))]))
  const all = passed.map((each): Told => {
    const row = found.get(`${listOf(each)} ${each.id}`) ?? null
    return { ...each, row, bytes: Number(row?.bytes ?? 0) }
  })
  const told = firstRows(all)
  const rows = await rowsIn(byList(told), (list, of) => whole(list, rowsOf(of)))
  const changes = changesIn(told.map((each) => ({ ...each, row: rows.get(`${listOf(each)} ${each.id}`) ?? null })))
  return { changes, number: told.length }
}

const rowsOf = (told: readonly Told[]): readonly Row[] => told.flatMap(({ row }) => (row === null ? [] : [row]))

const rowsIn = async <P>(
  lists: readonly (readonly [ListName, P[]])[],
  read: (list: ListName, of: readonly P[]) => Promise<readonly Row[]>,
): Promise<ReadonlyMap<string, Row>> => {
  const rows = new Map<string, Row>()
  for (const [list, of] of lists) for (const row of await read(list, of)) rows.set(`${list} ${row.id}`, row)
  return rows
}

/** Returns the changes of an answer. It has each item only once, in the place of its first change. */
const changesIn = (told: readonly Told[]): readonly Change[] => {
  const unseen = new Set(told.flatMap(({ kind, id, wasSeen }) => (kind === CHANGE.series && !wasSeen ? [id] : [])))
  const firsts = new Map(told.toReversed().map((each) => [`${each.kind} ${each.id}`, each]))
  return told.flatMap((each): Change[] => {
    const { kind, id, row, externalId } = each
    const { series } = each
    if (firsts.get(`${kind} ${id}`) !== each) return []
    if (kind === CHANGE.gone) return [{ kind: 'gone', id, series, externalId }]
    if (kind === CHANGE.series)
      return [
        row === null ? { kind: 'dropped', id, series: series ?? '' } : { kind: 'series', row, reread: unseen.has(id) },
      ]
    return row === null ? [] : [{ kind: kind === CHANGE.type ? 'type' : 'event', row }]
  })
}
