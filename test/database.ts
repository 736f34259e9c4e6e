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
/** The data that another file loaded, and the number of changes after that. */
let loaded: { readonly load: Load; readonly changes: number } | null = null

/** Lets this file begin with data. The files that want it in turn load it once, if none of them changes it. */
export const beginWith = (load: Load): void => {
  wanted = load
}

/** Counts the changes of rows since the last `reset`. */
const countChanges = () => env.DB.prepare('SELECT total_changes() AS changes').first<number>('changes')

/** Empties and migrates the database, and loads the data that this file wants. */
export const prepareDatabase = async (): Promise<void> => {
  const load = wanted
  wanted = null
  ofFile = freshDatabase()
  // Read first: after a long pause, `reset` left rows in the database.
  const changes = await countChanges()
  if (load !== null && loaded?.load === load && loaded.changes === changes) return
  loaded = null
  await reset()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  if (load === null) return
  await load()
  loaded = { load, changes: (await countChanges()) ?? 0 }
}
