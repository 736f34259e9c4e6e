import { existsSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { sql } from 'drizzle-orm'
import { moveStatements } from '../../schema/counts.ts'
import { listed, nameOf } from '../../schema/sql.ts'
import { eventSeries, events, followed, IS_COPY, observationTypes, sequences } from '../../schema/tables.ts'
import type { Statement } from '../../src/engine/d1/database.ts'
import { changeRow, parameterTexts, storeAll } from '../../src/store/batch.ts'
import { noteSeries, noteTypes } from '../../src/store/changes.ts'
import { takeOut } from '../../src/store/events.ts'
import type { EventRecord, ObservationTypeRecord, SeriesRecord } from '../../src/store/records.ts'
import { DELETE } from '../../src/store/series.ts'
import { RAISE_ALL, raiseRevision, STEP, statement, takeStamp, touchSeries } from '../../src/store/statement.ts'
import { LoadError } from '../load/error.ts'
import { type Db, readRow, readRows } from '../load/rows.ts'
import { type Local, openDatabase } from '../local/database.ts'
import type { Copy } from './follow.ts'
import type { FeedPart, Step } from './source.ts'

const FOLLOWED = sql<{ readonly source: string; readonly mark: string }>`
  SELECT ${followed.source} AS source, ${followed.mark} AS mark FROM ${followed}`

/**
 * Opens the copy in a folder. `open` opens a database that is complete. Throws LoadError for a database that is no copy of the
 * service.
 */
export async function databaseCopy(
  folder: string,
  source: string,
  open: (folder: string) => Promise<Local> = openDatabase,
): Promise<Copy> {
  const home = resolve(folder)
  const [stored, next, last] = [join(home, 'v3'), join(home, 'partial'), join(home, 'last')]
  // A kill came between the two moves of `finish`.
  if (!existsSync(stored) && existsSync(last)) renameSync(last, stored)
  let local = existsSync(stored) ? await open(home) : null
  let known = local && (await storedIn(local.db))
  const row = local && (await readRow(local.db, FOLLOWED))
  if (local !== null && row?.source !== source) {
    await local.close()
    throw otherCopy(folder, row?.source)
  }
  return {
    mark: () => known?.mark ?? null,
    restart: async () => {
      await local?.close()
      rmSync(next, { recursive: true, force: true })
      local = await openDatabase(next)
      await local.write([REFUSE_OTHERS])
      known = await storedIn(local.db)
    },
    apply: async (part) => {
      if (local === null || known === null) throw new Error('The copy is not open.')
      try {
        await applyTo(local, known, source, part)
      } catch (error) {
        known = await storedIn(local.db)
        throw error
      }
    },
    finish: async () => {
      await local?.close()
      rmSync(last, { recursive: true, force: true })
      if (existsSync(stored)) renameSync(stored, last)
      renameSync(join(next, 'v3'), stored)
      for (const folder of [next, last]) rmSync(folder, { recursive: true, force: true })
      local = await open(home)
    },
    close: async () => {
      await local?.close()
    },
  }
}

const otherCopy = (folder: string, source: string | undefined): LoadError =>
  new LoadError(
    source === undefined
      ? `the database in ${folder} is no copy of a service: enter a new folder after --persist-to`
      : `the database in ${folder} follows ${source}: enter that address, or a new folder after --persist-to`,
  )

/** The ids of the stored types and series, and the mark. */
interface Stored {
  readonly types: Set<number>
  readonly series: Set<number>
  mark: string | null
}

async function storedIn(db: Db): Promise<Stored> {
  const [types, series, [row]] = await readRows(
    db,
    sql<{ readonly id: number }>`SELECT ${observationTypes.id} AS id FROM ${observationTypes}`,
    sql<{ readonly id: number }>`SELECT ${eventSeries.id} AS id FROM ${eventSeries}`,
    FOLLOWED,
  )
  const idsOf = (rows: readonly { readonly id: number }[]) => new Set(rows.map(({ id }) => id))
  return { types: idsOf(types), series: idsOf(series), mark: row?.mark ?? null }
}

/**
 * Applies steps in their order, in one transaction with the mark. The events of a dropped series are deleted before, in
 * transactions of their own. A repetition of all steps gives the same data.
 */
async function applyTo({ db, write }: Local, stored: Stored, source: string, { steps, mark }: FeedPart): Promise<void> {
  let statements: Statement[] = []
  let events: Step[] = []
  const now = 1000 * Date.now()
  const store = (all: readonly Statement[]) => write(inCopy(source, stored.mark, all))
  const flush = (): void => {
    const last = new Map(events.map((step) => [step.id, step]))
    const given = [...last.values()].filter((step) => step.kind === 'event')
    const gone = [...last.values()].flatMap(({ kind, id }) => (kind === 'gone' ? [id] : []))
    statements.push(...copyEvents(given as readonly EventRecord[], gone, [...stored.series], now))
    events = []
  }
  for (const step of steps) {
    if (step.kind === 'event' || step.kind === 'gone') {
      // A series that is shown again comes later, and then all of its events.
      if (step.kind === 'gone' || stored.series.has(step.series)) events.push(step)
      continue
    }
    flush()
    const { id } = step
    if (step.kind === 'observation_type') {
      statements.push(...copyType(step, stored.types.has(id), now))
      stored.types.add(id)
    } else if (step.kind === 'event_series') {
      statements.push(...copySeries(step, stored.series.has(id), now))
      stored.series.add(id)
    } else if (stored.series.has(id)) {
      await store(statements)
      statements = []
      for await (const ids of eventsIn(db, id)) await store(copyEvents([], ids, [id], now))
      statements.push(...dropSeries(id, now))
      stored.series.delete(id)
    }
  }
  flush()
  stored.mark = mark ?? stored.mark
  await store(statements)
}

/** Yields the ids of the events of a series, as many as a transaction deletes. */
async function* eventsIn(db: Db, series: number): AsyncGenerator<readonly number[]> {
  for (;;) {
    const [rows] = await readRows(
      db,
      sql<{
        readonly id: number
      }>`SELECT ${events.id} AS id FROM ${events} WHERE ${events.eventSeriesId} = ${series} LIMIT ${STEP}`,
    )
    if (rows.length === 0) return
    yield rows.map(({ id }) => id)
  }
}

// The statements of a database that copies another service. It has the same ids, stamps and descriptions.

/** Another event of the copy may still have an external id that it lost meanwhile. Its own change follows. */
const FREE = sql`UPDATE ${events} SET ${nameOf(events.externalId)} = NULL WHERE ${events.id} IN (
  SELECT named.id FROM json_each(?1) AS given CROSS JOIN ${events} AS named INDEXED BY event_by_external_id
  ON named.${nameOf(events.externalId)} = given.value ->> 1 AND named.${nameOf(events.eventSeriesId)} = given.value ->> 0)`

/** Stores events, which replace events with the same ids. It also deletes events. `series` has the ids of all stored series. */
const copyEvents = (
  given: readonly EventRecord[],
  gone: readonly number[],
  series: readonly number[],
  now: number,
): Statement[] => {
  const ids = [...given.map(({ id }) => id), ...gone]
  const keys = given.flatMap(({ series, external_id }) => (external_id ? [JSON.stringify([series, external_id])] : []))
  return ids.length === 0
    ? []
    : [
        ...takeOut(JSON.stringify(ids), series),
        ...parameterTexts(keys).map((list) => statement(FREE, list)),
        ...(given.length > 0 ? storeAll(given, now, false) : []),
        RAISE_ALL,
      ]
}

/** Stores a series, or changes the stored one with its id. */
const copySeries = (series: SeriesRecord, isStored: boolean, now: number): Statement[] => {
  const { id, access_modifier, kind, ...changes } = series
  if (!isStored) return storeAll([series], now)
  return [
    takeStamp(now),
    noteSeries([id]),
    raiseRevision([id], access_modifier),
    ...moveStatements().map((text) => statement(text, JSON.stringify([[id, access_modifier]]))),
    touchSeries([id], now),
    ...changeRow(kind, id, { ...changes, access_modifier }),
  ]
}

/** Stores an observation type, or changes the stored one with its id. */
const copyType = (type: ObservationTypeRecord, isStored: boolean, now: number): Statement[] => {
  const { id, kind, ...changes } = type
  return isStored
    ? [takeStamp(now), noteTypes([id]), ...changeRow(kind, id, changes), RAISE_ALL]
    : storeAll([type], now)
}

/** Deletes a series that has no event. */
const dropSeries = (id: number, now: number): Statement[] => [
  takeStamp(now),
  noteSeries([id]),
  raiseRevision([id]),
  statement(DELETE, String(id)),
]

/**
 * Refuses all other writes to a copy, because each write takes a stamp. Another service has no such trigger: it would cost
 * each write some rows.
 */
const REFUSE_OTHERS = statement(sql`CREATE TRIGGER refuse_others BEFORE UPDATE ON ${sequences}
  WHEN EXISTS (SELECT 1 FROM ${followed}) BEGIN SELECT RAISE(ABORT, ${IS_COPY}); END`)

/** Lets a batch write to a copy. Its last statement notes the mark of the copy. Null: the copy has none yet. */
const inCopy = (source: string, mark: string | null, statements: readonly Statement[]): Statement[] => [
  statement(sql`DELETE FROM ${followed}`),
  ...statements,
  ...(mark === null ? [] : [statement(NOTE_MARK, source, mark)]),
]

const NOTE_MARK = sql`INSERT INTO ${followed} (${listed([followed.id, followed.source, followed.mark].map(nameOf))})
  VALUES (1, ?1, ?2)`
