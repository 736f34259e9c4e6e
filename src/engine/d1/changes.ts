import { type SQL, sql } from 'drizzle-orm'
import { eventSeries, events, markRules, changes as noted, sequences } from '../../../schema/tables.ts'
import type { Changes, Followed } from '../engine.ts'
import { boundOf, isAt, markOf, placeIn } from '../mark.ts'
import { CHANGE, type Passed, readPassed, takeAnother } from '../shared/changes.ts'
import { NO_STATE } from '../state.ts'
import type { Database } from './database.ts'
import { rowsById, withTexts } from './rows.ts'
import { integerOf, isOneOf } from './sql.ts'
import { tableOf } from './tables.ts'

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
  if (place === null) throw takeAnother()
  let [end, bound]: [Place, string] = [place, after.bound]
  const pass = async (most: number) => {
    const [[rules], found] = await read(RULES, passedFrom(place, followed, level, most))
    if (rules === undefined || rules.key !== key || !tellsAll(place, rules)) {
      known.key = null
      throw takeAnother()
    }
    // A write after this read is not in the mark, even if the rows show it.
    ;[end, bound] = [endOf(rules), boundOf(state(), level)]
    return found
  }
  const { changes, last } = await readPassed(pass, followed.limit, {
    read: (list, ids) => rowsById(read, tableOf(list, followed.fields[list]), ids, level),
    whole: (list, rows) => withTexts(read, tableOf(list, followed.fields[list]), level, rows),
  })
  const next: Place = last === null ? end : [last.stamp, last.kind, last.id]
  return { mark: await markOf(key, next, last === null ? bound : after.bound), more: last !== null, changes }
}

/** Returns the place after all writes. */
const endOf = ({ last }: { readonly last: number }): Place => [last, CHANGE.end, 0]

/** Tests if the database has all changes after a place. A restored database may not have reached it. */
const tellsAll = ([stamp, kind]: Place, { complete, last }: { complete: number; last: number }): boolean =>
  stamp <= last && (stamp > complete || (stamp === complete && kind === CHANGE.end))

interface Stamped extends Passed {
  readonly stamp: number
}

/** Selects the stored changes after a place. Each part has a limit of its own, so an index ends it. */
const storedFrom = ([stamp, kind, id]: Place, limit: SQL): SQL => {
  const none = sql`NULL AS series, NULL AS level, NULL AS external_id`
  const event = sql`SELECT ${events.lastModified} AS stamp, ${CHANGE.event} AS kind, ${events.id} AS id,
    ${events.eventSeriesId} AS owner, ${none} FROM ${events} INDEXED BY event_by_last_modified`
  // The events of the same write come after the ids of its types and series, and before its deletions.
  const firstId = kind < CHANGE.event ? 0 : kind === CHANGE.event ? id + 1 : null
  const same =
    firstId === null
      ? null
      : sql`SELECT * FROM (${event} WHERE ${events.lastModified} = ${integerOf(stamp)}
    AND ${events.id} >= ${integerOf(firstId)} ORDER BY ${events.id} ${limit})`
  const later = sql`SELECT * FROM (${event} WHERE ${events.lastModified} > ${integerOf(stamp)}
    ORDER BY ${events.lastModified}, ${events.id} ${limit})`
  const own = sql`iif(${noted.kind} = ${CHANGE.series}, ${noted.id}, ${noted.movedTo})`
  const others = sql`SELECT * FROM (SELECT ${noted.stamp}, ${noted.kind}, ${noted.id}, ${own}, ${noted.series},
    ${noted.level}, ${noted.externalId} FROM ${noted}
    WHERE (${noted.stamp}, ${noted.kind}, ${noted.id}) > (${integerOf(stamp)}, ${integerOf(kind)}, ${integerOf(id)})
    ORDER BY ${noted.stamp}, ${noted.kind}, ${noted.id} ${limit})`
  const parts = [same, later, others].filter((part) => part !== null)
  return sql.join(parts, sql` UNION ALL `)
}

/** Passes at most so many changes after a place, in their order. */
const passedFrom = (place: Place, { series }: Followed, level: number, most: number): SQL<Stamped> => {
  const limit = sql`LIMIT ${integerOf(most)}`
  const asks = (uuid: SQL) => (series === null ? sql`1` : sql`${uuid} ${isOneOf(series)}`)
  const uuid = sql`coalesce(passed.series, ${eventSeries.uuid})`
  const seen = sql`coalesce(${eventSeries.accessModifier} <= ${integerOf(level)}, 0)`
  const wasSeen = sql`coalesce(passed.level <= ${integerOf(level)}, 0)`
  // A moved event is not gone if it is told as an event before this change. After a later write it is told later, or never:
  // the caller may not see its series then.
  const isTold = sql`EXISTS (SELECT 1 FROM ${events} WHERE ${events.id} = passed.id
    AND ${events.eventSeriesId} = passed.owner AND ${events.lastModified} <= passed.stamp)`
  const told = sql`CASE passed.kind WHEN ${CHANGE.type} THEN 1
    WHEN ${CHANGE.series} THEN (${seen} OR ${wasSeen}) AND ${asks(uuid)}
    WHEN ${CHANGE.event} THEN ${seen} AND ${asks(uuid)}
    ELSE ${wasSeen} AND ${asks(uuid)} AND NOT (${seen} AND ${asks(sql`${eventSeries.uuid}`)} AND ${isTold}) END`
  return sql`SELECT passed.stamp, passed.kind, passed.id, ${uuid} AS series, passed.external_id AS "externalId", ${told} AS told,
      ${seen} AS seen, ${wasSeen} AS "wasSeen"
    FROM (SELECT * FROM (${storedFrom(place, limit)}) ORDER BY stamp, kind, id ${limit}) AS passed
    LEFT JOIN ${eventSeries} ON ${eventSeries.id} = passed.owner ORDER BY passed.stamp, passed.kind, passed.id`
}
