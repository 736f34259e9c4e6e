import { existsSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { sql } from 'drizzle-orm'
import { eventSeries, events, followed, observationTypes } from '../../schema/tables.ts'
import type { Statement } from '../../src/engine/d1/database.ts'
import { copyEvents, copySeries, copyType, dropSeries, inCopy, REFUSE_OTHERS } from '../../src/store/copy.ts'
import type { EventRecord } from '../../src/store/records.ts'
import { STEP } from '../../src/store/statement.ts'
import { LoadError } from '../load/error.ts'
import { type Db, readRow, readRows } from '../load/rows.ts'
import { type Local, openDatabase } from '../local/database.ts'
import type { Copy } from './follow.ts'
import type { Part, Step } from './source.ts'

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
async function applyTo({ db, write }: Local, stored: Stored, source: string, { steps, mark }: Part): Promise<void> {
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
