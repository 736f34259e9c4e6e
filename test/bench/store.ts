import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoadError } from '../../seed/load/error.ts'
import { areSuspended, restoreIndexes, suspendIndexes } from '../../seed/load/indexes.ts'
import { insertRecords } from '../../seed/load/insert.ts'
import type { Db } from '../../seed/load/rows.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { ROOT } from '../../seed/local/wrangler.ts'
import { type LoadRecord, wholeRecords } from '../records.ts'
import { records } from './events.ts'
import { bar } from './progress.ts'
import { skewed } from './skewed.ts'

/** The profiles of events: the generator and its default seed. */
const PROFILES = {
  even: { records, seed: 20_261_121 },
  skewed: { records: skewed, seed: 1 },
}

/** The profile, the seed and the number of the events. */
export interface Data {
  readonly profile: keyof typeof PROFILES
  readonly seed: number
  readonly events: number
}

/** The files that determine a database. If one of them changes, the database is made again. */
const MADE_BY = [
  'test/bench/events.ts',
  'test/bench/skewed.ts',
  'test/bench/store.ts',
  'src/store/batch.ts',
  'schema/counts.ts',
  'schema/durations.ts',
  'schema/trees.ts',
  ...readdirSync(join(ROOT, 'schema/migrations'))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => `schema/migrations/${name}`),
]

/** Parses the options. Throws LoadError for an invalid number or profile. */
export function dataOf({ events, profile = 'even', seed }: Record<string, unknown>): Data {
  if (profile !== 'even' && profile !== 'skewed') {
    throw new LoadError(`--profile is ${JSON.stringify(profile)}: enter ${Object.keys(PROFILES).join(' or ')}`)
  }
  return {
    profile,
    events: numberOf('events', events, 1000, 10_000_000),
    seed: seed === undefined ? PROFILES[profile].seed : numberOf('seed', seed, 0, 2 ** 31 - 1),
  }
}

const numberOf = (name: string, value: unknown, least: number, most: number): number => {
  const number = Number(value)
  if (typeof value === 'string' && /^\d+$/.test(value) && number >= least && number <= most) return number
  const range = `a number from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}`
  throw new LoadError(`--${name} is ${JSON.stringify(value)}: enter ${range}`)
}

/**
 * Returns the folder of the database of these events under .wrangler/bench. It makes it if it is missing or outdated. If
 * an earlier run was stopped, it continues.
 */
export async function storeOf({ profile, seed, events }: Data): Promise<string> {
  const folder = join(ROOT, '.wrangler/bench', `${profile}-${seed}`, String(events))
  const store = join(folder, 'open')
  const mark = join(folder, 'made-by')
  const madeBy = hash()
  if (existsSync(mark) && readFileSync(mark, 'utf8') === madeBy) return store
  const begun = join(folder, 'begun-by')
  if (!existsSync(begun) || readFileSync(begun, 'utf8') !== madeBy) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(begun, madeBy)
  }
  const { db, close } = await openDatabase(store)
  try {
    await fill(db, PROFILES[profile].records(events, seed), events)
  } finally {
    await close()
  }
  writeFileSync(mark, madeBy)
  return store
}

const hash = (): string => {
  const sum = createHash('sha256')
  for (const file of MADE_BY) sum.update(readFileSync(join(ROOT, file)))
  return sum.digest('hex')
}

function* shown(records: Iterable<LoadRecord>, onEvent: () => void): Generator<LoadRecord> {
  for (const record of records) {
    if (record.kind === 'event') onEvent()
    yield record
  }
}

/** Leaves out the records that a database with this number of events has. They are stored in their order. */
function* after(records: Iterable<LoadRecord>, events: number): Generator<LoadRecord> {
  let left = events
  for (const record of records) {
    if (record.kind === 'event' && left-- > 0) continue
    if (record.kind === 'event' || events === 0) yield record
  }
}

/**
 * Loads the events, and creates the index that the plain implementation needs. The Worker names its indexes, so it
 * never uses this one.
 */
const fill = async (db: Db, records: Iterable<LoadRecord>, events: number): Promise<void> => {
  const progress = bar('loading', events)
  const stored = (await db.prepare('SELECT count(*) FROM event').first<number>('count(*)')) ?? 0
  try {
    const all = shown(records, progress.increment.bind(progress))
    if (!(await areSuspended(db))) await suspendIndexes(db)
    await insertRecords(db, wholeRecords(after(all, stored)), { counted: false })
    await restoreIndexes(db)
    await db.prepare('CREATE INDEX IF NOT EXISTS bench_place ON event (x, y)').run()
  } finally {
    progress.stop()
  }
}
