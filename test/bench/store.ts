import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { openDatabase, ROOT } from '../../seed/database.ts'
import { LoadError } from '../../seed/error.ts'
import { insertRecords } from '../../seed/insert.ts'
import { records } from './events.ts'
import { hideSeries } from './hide.ts'
import { bar } from './progress.ts'

/** The folders of two local databases with the same events. */
export interface Store {
  readonly open: string
  /** Some series, of 6 % of the events, are private. */
  readonly mixed: string
}

const HIDDEN = [2, 3, 4]

/** What the databases are made by: others are made when it changes. */
const MADE_BY = [
  'test/bench/events.ts',
  'test/bench/hide.ts',
  'test/bench/store.ts',
  'src/write/batch.ts',
  'schema/counts.ts',
  ...readdirSync(join(ROOT, 'schema/migrations'))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => `schema/migrations/${name}`),
]

/** How many events a text of the command line asks for. Throws LoadError for what is no such number. */
export function eventsOf(text: string): number {
  const events = Number(text)
  if (/^\d+$/.test(text) && events >= 1000 && events <= 10_000_000) return events
  throw new LoadError(`--events is ${JSON.stringify(text)}: put a number from 1,000 to 10,000,000`)
}

/** The databases of so many events, under .wrangler/bench: made when they are not there, or not by the same code. */
export async function storeOf(events: number): Promise<Store> {
  const folder = join(ROOT, '.wrangler/bench', String(events))
  const store = { open: join(folder, 'open'), mixed: join(folder, 'mixed') }
  const mark = join(folder, 'made-by')
  const madeBy = hash()
  if (existsSync(mark) && readFileSync(mark, 'utf8') === madeBy) return store
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await change(store.open, (db) => fill(db, events))
  cpSync(store.open, store.mixed, { recursive: true })
  await change(store.mixed, (db) => hideSeries(db, HIDDEN))
  writeFileSync(mark, madeBy)
  return store
}

const hash = (): string => {
  const sum = createHash('sha256')
  for (const file of MADE_BY) sum.update(readFileSync(join(ROOT, file)))
  return sum.digest('hex')
}

const change = async (folder: string, by: (db: D1Database) => Promise<unknown>): Promise<void> => {
  const { db, close } = await openDatabase(folder)
  try {
    await by(db)
  } finally {
    await close()
  }
}

/** With the index of the plain way, which the Worker does not use: it names those that it does. */
const fill = async (db: D1Database, events: number): Promise<void> => {
  const progress = bar('loading', events)
  try {
    await insertRecords(db, records(events), { onBatch: ({ event }) => progress.update(event) })
    await db.prepare('CREATE INDEX bench_place ON event (x, y)').run()
  } finally {
    progress.stop()
  }
}
