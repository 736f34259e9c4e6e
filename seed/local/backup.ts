import { chmodSync, chownSync, copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { LoadError, reasonOf } from '../load/error.ts'
import { endMarks } from '../load/indexes.ts'
import { databaseFile, openDatabase } from './database.ts'

/** All pages in one step: so the copy is of one moment, and waits for no writer. */
const ALL_PAGES = 2 ** 31 - 1

/** Copies the local database in a folder into a file, also while a service writes to it. Throws LoadError for a damaged copy. */
export async function writeBackup(folder: string | undefined, file: string): Promise<void> {
  const source = new DatabaseSync(databaseFile(folder), { readOnly: true })
  const draft = `${file}.partial`
  try {
    rmSync(draft, { force: true })
    await backup(source, draft, { rate: ALL_PAGES })
    checkBackup(draft)
    chmodSync(draft, 0o600) // It has the data of all levels.
    renameSync(draft, file)
  } finally {
    source.close()
    rmSync(draft, { force: true })
  }
}

/**
 * Puts a backup into a folder, in the place of its database. Copies that follow the service then read everything again. Throws
 * LoadError for a damaged file, and while another program has the database open.
 */
export async function restoreBackup(file: string, folder: string | undefined): Promise<void> {
  if (!existsSync(file)) throw new LoadError(`there is no file ${file}: enter a file that npm run backup made`)
  checkBackup(file)
  const first = await openDatabase(folder)
  await first.close()
  const place = databaseFile(folder)
  endLog(place, folder)
  const draft = `${place}.restored`
  const { uid, gid } = statSync(place)
  copyFileSync(file, draft)
  chownSync(draft, uid, gid) // of the service, also if root runs this command
  renameSync(draft, place)
  const { db, close } = await openDatabase(folder)
  try {
    await endMarks(db)
  } finally {
    await close()
  }
}

/** Writes the log of a database into its file, and removes the log. SQLite does so only if no other program has it open. */
function endLog(place: string, folder = '.wrangler/state'): void {
  const database = new DatabaseSync(place)
  try {
    database.exec('PRAGMA journal_mode = DELETE')
  } catch (cause) {
    throw new LoadError(`a service or a command has the database in ${folder} open: end it first`, { cause })
  } finally {
    database.close()
  }
}

/** Throws LoadError if a file is no whole database of a service. */
function checkBackup(file: string): void {
  let fault: unknown
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      fault = database.prepare('PRAGMA quick_check(1)').get()?.quick_check
      database.prepare('SELECT 1 FROM d1_migrations').get()
    } finally {
      database.close()
    }
  } catch (cause) {
    fault = reasonOf(cause)
  }
  if (fault !== 'ok') throw new LoadError(`${file} is no whole backup (${fault}): use another one`)
}
