import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

/** The database of a new isolate. The Worker has no cached facts of it. */
export const freshDatabase = () =>
  ({ withSession: (from: string) => env.DB.withSession(from) }) as unknown as D1Database

let ofFile = freshDatabase()

/** Returns the database of this test file. The Worker has no facts of it that it read for another file. */
export const fileDatabase = (): D1Database => ofFile

type Load = () => Promise<unknown>

let wanted: Load | null = null
/** The data that another file loaded, and the state of the database after that. */
let loaded: { readonly load: Load; readonly state: string } | null = null

/**
 * Lets this file begin with data. The files that want it in turn load it once, if none of them writes. A file that
 * changes rows by SQL must load its own.
 */
export const beginWith = (load: Load): void => {
  wanted = load
}

/** Forgets the wish of an earlier file. A file whose tests are all skipped does not prepare the database. */
export const beginEmpty = (): void => {
  wanted = null
}

/** Reads what each write changes. Empty: the database has no tables. */
const readState = async (): Promise<string> => {
  const counts = ['event', 'event_series', 'observation_type'].map((table) => `(SELECT count(*) FROM ${table})`)
  const read = env.DB.prepare(`SELECT revision.*, ${counts} FROM revision`).raw()
  return read.then(JSON.stringify, () => '')
}

/** Empties and migrates the database, and loads the data that this file wants. */
export const prepareDatabase = async (): Promise<void> => {
  const load = wanted
  wanted = null
  ofFile = freshDatabase()
  // Read first: after a long pause, `reset` left rows in the database.
  const state = await readState()
  if (load !== null && loaded?.load === load && loaded.state === state) return
  loaded = null
  await reset()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  if (load === null) return
  await load()
  loaded = { load, state: await readState() }
}
