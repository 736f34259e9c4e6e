import type { Cost, Engine, Explanation, Reader, Session } from '../engine.ts'
import { parseStart } from '../shared/cut.ts'
import type { Ready } from '../state.ts'

import { readChanges } from './changes.ts'
import { adviceOf, gradeOf } from './check.ts'
import type { Door } from './connection.ts'
import { readExtent, readItem, readOverview, readUuids } from './overview.ts'
import { readAll, readPage } from './read.ts'
import { type Memory, type Snapshot, type Snapshots, snapshotsOf, stateIn } from './snapshot.ts'
import { readSummary } from './summary.ts'
import { readTile } from './tile.ts'
import type { Noted } from './transaction.ts'

/** Returns an engine of a database of PostgreSQL with PostGIS, which it only reads. */
export const postgresEngine = (door: Door): Engine => {
  const memory: Memory = { views: null }
  return {
    takesWrites: false,
    refusals: () => [],
    isHint: (text) => parseStart({ text, isOwn: false }, 1) !== null,
    weight: () => 'any',
    open: (session) => readerOf(door, memory, session),
  }
}

const readerOf = (door: Door, memory: Memory, session: Session): Reader => {
  const explanation: Explanation | null = session.explain
    ? { plan: { path: 'plan of PostgreSQL', rows: null, matches: null, paths: [] }, trips: [] }
    : null
  const cost: Cost = { plan: null, roundTrips: 0, rowsRead: 0, estimateRows: 0, milliseconds: 0, region: null, size: 0 }
  const noted: Noted = { states: null, cost, explanation }
  const snapshots = snapshotsOf(door, memory, session, noted)
  const { within } = snapshots
  let isOneState = true
  /** Runs a read in the snapshot of the request. */
  const reading =
    <Args extends readonly unknown[], T>(read: (snapshot: Snapshot, ...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      within((snapshot) => read(snapshot, ...args))
  return {
    level: session.level,
    refresh: reading(async ({ read }) => {
      await read()
    }),
    atOneState: (compute) => within(compute),
    page: reading(readPage),
    all: (...asked) => readAll(snapshots, ...asked),
    item: reading((snapshot, list, key, { fields }) => readItem(snapshot, list, key, fields)),
    summary: reading(readSummary),
    tile: reading(readTile),
    extent: reading(readExtent),
    overview: reading(readOverview),
    uuids: reading(readUuids),
    changes: async (followed) => {
      const { isSettled, ...changes } = await within((snapshot) => readChanges(snapshot, followed))
      isOneState &&= isSettled
      return changes
    },
    ready: () => readReady(snapshots),
    state: (level = session.level) => stateIn(noted, level),
    isOneState: () => isOneState,
    bookmark: () => null,
    cost,
    explanation,
  }
}

/** Checks the views again, because an operator wants to see a change at once. */
const readReady = async ({ within, check }: Snapshots): Promise<Ready> => {
  const noLimit = { bytes: null, capacity: null }
  const views = await check(true)
  const { faults, tables } = views
  if (faults.length > 0) return { ...noLimit, revision: 0, grade: null, faults, tables, advice: [] }
  return within(async ({ read, state }) => {
    await read()
    const revision = state()?.revision ?? 0
    return { ...noLimit, revision, grade: gradeOf(views), faults, tables, advice: adviceOf(views) }
  })
}
