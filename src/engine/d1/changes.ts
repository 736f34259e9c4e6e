import { type SQL, sql } from 'drizzle-orm'
import { changes, eventSeries, events, markRules, sequences } from '../../../schema/tables.ts'
import { gone } from '../../base/errors.ts'
import type { ListName } from '../../question/fields.ts'
import type { Change, Changes, Followed, Row } from '../engine.ts'
import { MAX_PASSED } from '../limits.ts'
import { boundOf, isAt, markOf, placeIn } from '../mark.ts'
import { firstRows } from '../shared/page.ts'
import { NO_STATE } from '../state.ts'
import type { Database } from './database.ts'
import { rowsById, withTexts } from './rows.ts'
import { integerOf, isOneOf } from './sql.ts'
import { tableOf } from './tables.ts'

/** The kinds of changes in the order of one write: a series follows its type, and its events follow it. */
export const CHANGE = { type: 0, series: 1, event: 2, gone: 3, end: 4 } as const

/** A change of the write with a stamp. The kind `end` stands after all changes of that write. */
type Place = readonly [stamp: number, kind: number, id: number]

/** The key of marks that the isolate knows. A restored database has another one. */
export interface KnownKey {
  key: string | null
}

const MODIFIED = sql`${sequences.name} = 'event_modified'`

/** Reads the key, the last stamp that changes may lack, and the stamp of the last write. */
const RULES = sql<{ readonly key: string; readonly complete: number; readonly last: number }>`
  SELECT ${markRules.key} AS key, ${markRules.complete} AS complete,
    coalesce((SELECT ${sequences.last} FROM ${sequences} WHERE ${MODIFIED}), 0) AS last FROM ${markRules}`

const TAKE_ANOTHER =
  'This mark is too old, or it belongs to another database or another access level. Take a new mark, then read the lists again.'

/** Reads what changed for the level of the caller after a mark. It reads one row if nothing has. */
export const readChanges = async (db: Database, known: KnownKey, followed: Followed): Promise<Changes> => {
  const { read, level } = db
  const { after } = followed
  const state = () => db.state() ?? NO_STATE
  if (after === null) {
    const [[rules]] = await read(RULES)
    if (rules === undefined) throw new Error('The table of the key of marks has no row.')
    known.key = rules.key
    const mark = await markOf(rules.key, endOf(rules), boundOf(state(), level))
    return { mark, more: false, changes: [] }
  }
  await read()
  if (isAt(after, state(), level)) return { mark: after.text, more: false, changes: [] }
  const opened = async (isFresh: boolean) => {
    if (isFresh || known.key === null) known.key = (await read(RULES))[0][0]?.key ?? ''
    return { key: known.key, place: (await placeIn(known.key, after, level)) as Place | null }
  }
  const first = await opened(false)
  const { key, place } = first.place === null ? await opened(true) : first
  if (place === null) throw gone(TAKE_ANOTHER)
  const [[rules], found] = await read(RULES, passedFrom(place, followed, level))
  if (rules === undefined || rules.key !== key || !tellsAll(place, rules)) {
    known.key = null
    throw gone(TAKE_ANOTHER)
  }
  // A write after this read is not in the mark, even if the rows show it.
  const bound = boundOf(state(), level)
  const told = await toldOf(db, found.filter((row) => row.told === 1).slice(0, followed.limit), followed)
  const next = placeAfter(found, told.length)
  const mark = await (next === null ? markOf(key, endOf(rules), bound) : markOf(key, next, after.bound))
  return { mark, more: next !== null, changes: changesIn(told) }
}

/** Returns the place after all writes. */
const endOf = ({ last }: { readonly last: number }): Place => [last, CHANGE.end, 0]

/** Tests if the database has all changes after a place. A restored database may not have reached it. */
const tellsAll = ([stamp, kind]: Place, { complete, last }: { complete: number; last: number }): boolean =>
  stamp <= last && (stamp > complete || (stamp === complete && kind === CHANGE.end))

/** A change that a read passes. `told`: the answer has it. The last row only shows how far the read came. */
interface Passed extends Row {
  readonly stamp: number
  readonly kind: number
  readonly id: number
  /** The uuid of the series. An event has the uuid of its series before the write. */
  readonly series: string | null
  readonly externalId: string | null
  readonly told: 0 | 1
  /** The caller sees the series now. `wasSeen`: it also saw it before the write. */
  readonly seen: 0 | 1
  readonly wasSeen: 0 | 1
  readonly passed: number
}

/**
 * Passes at most MAX_PASSED changes after a place, in their order. It selects those for the answer, and the last one. Each
 * part has a limit of its own, so an index ends it.
 */
const passedFrom = ([stamp, kind, id]: Place, { limit, series }: Followed, level: number): SQL<Passed> => {
  const most = sql`LIMIT ${integerOf(MAX_PASSED)}`
  const none = sql`NULL AS series, NULL AS level, NULL AS external_id`
  const event = sql`SELECT ${events.lastModified} AS stamp, ${CHANGE.event} AS kind, ${events.id} AS id,
    ${events.eventSeriesId} AS owner, ${none} FROM ${events} INDEXED BY event_by_last_modified`
  // The events of the same write come after the ids of its types and series, and before its deletions.
  const firstId = kind < CHANGE.event ? 0 : kind === CHANGE.event ? id + 1 : null
  const same =
    firstId === null
      ? null
      : sql`SELECT * FROM (${event} WHERE ${events.lastModified} = ${integerOf(stamp)}
    AND ${events.id} >= ${integerOf(firstId)} ORDER BY ${events.id} ${most})`
  const later = sql`SELECT * FROM (${event} WHERE ${events.lastModified} > ${integerOf(stamp)}
    ORDER BY ${events.lastModified}, ${events.id} ${most})`
  const own = sql`iif(${changes.kind} = ${CHANGE.series}, ${changes.id}, ${changes.movedTo})`
  const noted = sql`SELECT * FROM (SELECT ${changes.stamp}, ${changes.kind}, ${changes.id}, ${own}, ${changes.series},
    ${changes.level}, ${changes.externalId} FROM ${changes}
    WHERE (${changes.stamp}, ${changes.kind}, ${changes.id}) > (${integerOf(stamp)}, ${integerOf(kind)}, ${integerOf(id)})
    ORDER BY ${changes.stamp}, ${changes.kind}, ${changes.id} ${most})`
  const parts = [same, later, noted].filter((part) => part !== null)
  const asks = (uuid: SQL) => (series === null ? sql`1` : sql`${uuid} ${isOneOf(series)}`)
  const uuid = sql`coalesce(passed.series, ${eventSeries.uuid})`
  const seen = sql`coalesce(${eventSeries.accessModifier} <= ${integerOf(level)}, 0)`
  const wasSeen = sql`coalesce(passed.level <= ${integerOf(level)}, 0)`
  const told = sql`CASE passed.kind WHEN ${CHANGE.type} THEN 1
    WHEN ${CHANGE.series} THEN (${seen} OR ${wasSeen}) AND ${asks(uuid)}
    WHEN ${CHANGE.event} THEN ${seen} AND ${asks(uuid)}
    ELSE ${wasSeen} AND ${asks(uuid)} AND NOT (${seen} AND ${asks(sql`${eventSeries.uuid}`)}) END`
  return sql`WITH found AS MATERIALIZED (SELECT * FROM (${sql.join(parts, sql` UNION ALL `)}) ORDER BY stamp, kind, id ${most}),
      passed AS (SELECT *, row_number() OVER (ORDER BY stamp, kind, id) AS place, count(*) OVER () AS passed FROM found)
    SELECT stamp, kind, id, series, "externalId", told, seen, "wasSeen", passed FROM (
      SELECT passed.stamp, passed.kind, passed.id, ${uuid} AS series, passed.external_id AS "externalId", ${told} AS told,
        ${seen} AS seen, ${wasSeen} AS "wasSeen", passed.passed, passed.place
      FROM passed LEFT JOIN ${eventSeries} ON ${eventSeries.id} = passed.owner)
    WHERE told OR place = passed ORDER BY place LIMIT ${integerOf(limit + 1)}`
}

/** Returns the place after the first `told` changes of an answer. Null: no other change is stored. */
const placeAfter = (found: readonly Passed[], told: number): Place | null => {
  const all = found.filter((row) => row.told === 1)
  const last = told < all.length ? all[told - 1] : found.at(-1)
  const isEnd = last === undefined || (last === found.at(-1) && last.passed < MAX_PASSED)
  return isEnd ? null : [last.stamp, last.kind, last.id]
}

/** A change of an answer, with its row. Null: the caller does not see the series now, or the event is gone. */
type Told = Passed & { readonly row: Row | null; readonly bytes: number }

const LIST_OF: readonly (ListName | undefined)[] = ['types', 'series', 'events']

/** Reads the rows of changes, as many as have at most MAX_BYTES of texts. */
const toldOf = async ({ read, level }: Database, passed: readonly Passed[], { fields }: Followed): Promise<Told[]> => {
  const rows = new Map<string, Row>()
  const listed = [...Map.groupBy(passed, listOf)].flatMap(([list, of]) => (list === undefined ? [] : [{ list, of }]))
  const tables = listed.map(({ list, of }) => ({
    list,
    table: tableOf(list, fields[list]),
    ids: of.map(({ id }) => id),
  }))
  for (const { list, table, ids } of tables)
    for (const row of await rowsById(read, table, [...new Set(ids)], level)) rows.set(`${list} ${row.id}`, row)
  const all = passed.map((each): Told => {
    const row = rows.get(`${listOf(each)} ${each.id}`) ?? null
    return { ...each, row, bytes: Number(row?.bytes ?? 0) }
  })
  const told = firstRows(all)
  const whole = new Map<string, Row>()
  for (const { list, table } of tables) {
    const own = told.flatMap(({ row, ...each }) => (listOf(each) === list && row !== null ? [row] : []))
    for (const row of await withTexts(read, table, level, own)) whole.set(`${list} ${row.id}`, row)
  }
  return told.map((each) => ({ ...each, row: whole.get(`${listOf(each)} ${each.id}`) ?? null }))
}

/** Returns the list that has the row of a change. Undefined: it has none. */
const listOf = ({ kind, seen }: Pick<Passed, 'kind' | 'seen'>): ListName | undefined =>
  kind === CHANGE.series && seen === 0 ? undefined : LIST_OF[kind]

/** Returns the changes of an answer. It has a series only once, in the place of its first change. */
const changesIn = (told: readonly Told[]): Change[] => {
  const unseen = new Set(told.flatMap(({ kind, id, wasSeen }) => (kind === CHANGE.series && wasSeen === 0 ? [id] : [])))
  const known = new Set<number>()
  return told.flatMap((each): Change[] => {
    const { kind, id, row, externalId } = each
    const series = each.series ?? ''
    if (kind === CHANGE.gone) return [{ kind: 'gone', id, series, externalId }]
    if (kind === CHANGE.type) return row === null ? [] : [{ kind: 'type', row }]
    if (kind === CHANGE.event) return row === null ? [] : [{ kind: 'event', row }]
    if (known.has(id)) return []
    known.add(id)
    return [row === null ? { kind: 'dropped', id, series } : { kind: 'series', row, reread: unseen.has(id) }]
  })
}
