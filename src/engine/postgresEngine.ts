import { keptFor } from '../base/collections.ts'
import { parseCursor } from './cursor.ts'
import type { Cost, Engine, Explanation, Reader, Session } from './engine.ts'
import { readAll } from './postgres/all.ts'
import { readExtent, readItem, readOverview, readUuids } from './postgres/overview.ts'
import { readPage } from './postgres/page.ts'
import { type Memory, type Noted, type Snapshot, snapshotsOf, stateIn } from './postgres/snapshot.ts'
import { readSummary } from './postgres/summary.ts'
import { readTile } from './postgres/tile.ts'

/** The address of a PostgreSQL server, as a binding of Hyperdrive has it. */
type Binding = Pick<Hyperdrive, 'connectionString'>

/** Returns the engine of a database of PostgreSQL with PostGIS, which it only reads. */
export const postgresEngine = keptFor((binding: Binding): Engine => {
  const memory: Memory = { views: null }
  return {
    takesWrites: false,
    refusals: () => [],
    isHint: (text) => parseCursor({ text, isOwn: false }) !== null,
    weight: () => 'any',
    open: (session) => readerOf(binding.connectionString, memory, session),
  }
})

const NO_COST: Cost = {
  plan: null,
  roundTrips: 0,
  rowsRead: 0,
  estimateRows: 0,
  milliseconds: 0,
  region: null,
  size: 0,
}

const readerOf = (connectionString: string, memory: Memory, session: Session): Reader => {
  const explanation: Explanation | null = session.explain
    ? { plan: { path: 'plan of PostgreSQL', rows: null, matches: null, paths: [] }, trips: [] }
    : null
  const noted: Noted = { states: null, cost: { ...NO_COST }, explanation }
  const snapshots = snapshotsOf(connectionString, memory, session, noted)
  const { within } = snapshots
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
    ready: reading(async ({ read, state }) => {
      await read()
      return { revision: state()?.revision ?? 0, bytes: null, capacity: null }
    }),
    state: (level = session.level) => stateIn(noted, level),
    isOneState: () => true,
    bookmark: () => null,
    cost: noted.cost,
    explanation,
  }
}
