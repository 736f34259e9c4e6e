import { gone } from '../../base/errors.ts'
import type { ListName } from '../../question/fields.ts'
import type { Change, Row } from '../engine.ts'
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
 * Returns the change after which the next answer begins, if this one has `number` changes. The read passes at most so many.
 * Null: no other change is stored.
 */
export const lastTold = <P extends Passed>(found: readonly P[], number: number, most: number): P | null => {
  const all = found.filter((row) => row.told)
  const last = number < all.length ? all[number - 1] : found.at(-1)
  const isEnd = last === undefined || (last === found.at(-1) && found.length < most)
  return isEnd ? null : last
}

/** Reads the rows of the first changes that have at most MAX_BYTES of texts. Returns these changes, and their number. */
export const readTold = async (
  passed: readonly Passed[],
  { read, whole }: RowsOf,
): Promise<{ readonly changes: readonly Change[]; readonly number: number }> => {
  const found = await rowsIn(byList(passed), (list, of) => read(list, [...new Set(of.map(({ id }) => id))]))
  const all = passed.map((each): Told => {
    const row = found.get(`${listOf(each)} ${each.id}`) ?? null
    return { ...each, row, bytes: Number(row?.bytes ?? 0) }
  })
  const told = firstRows(all)
  const rows = await rowsIn(byList(told), (list, of) =>
    whole(
      list,
      of.map(rowOf).filter((row) => row !== null),
    ),
  )
  const changes = changesIn(told.map((each) => ({ ...each, row: rows.get(`${listOf(each)} ${each.id}`) ?? null })))
  return { changes, number: told.length }
}

const rowOf = ({ row }: Told): Row | null => row

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
