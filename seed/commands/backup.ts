import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { LoadError, reasonOf } from '../load/error.ts'
import { endMarks } from '../load/indexes.ts'
import { databaseFile, openDatabase, STATE } from '../local/database.ts'
import { holdDatabase } from '../local/hold.ts'
import { runCommand } from './command.ts'

const USAGE = `Usage: npm run backup -- FILE [OPTION...]

Copies the local database into FILE, also while a service writes to it, and checks the copy. FILE is as it was at one moment.
Keys are not in it. npm run export makes a file that other versions can load.

  --persist-to DIR  the folder of the database, as for npm run serve (default .wrangler/state)
  --restore         put FILE in the place of the database in DIR. End the service first
  --help            show this text`

/** All pages in one step: so the copy is of one moment, and waits for no writer. */
const ALL_PAGES = 2 ** 31 - 1

/** Copies the local database in a folder into a file, also while a service writes to it. Throws LoadError for a damaged copy. */
async function writeBackup(folder: string | undefined, file: string): Promise<void> {
  const source = new DatabaseSync(databaseFile(folder), { readOnly: true })
  const draft = `${file}.partial`
  try {
    rmSync(draft, { force: true })
    writeFileSync(draft, '', { mode: 0o600 }) // It has the data of all levels.
    await backup(source, draft, { rate: ALL_PAGES })
    endLog(draft)
    checkBackup(draft)
    flush(draft)
    renameSync(draft, file)
  } finally {
    source.close()
    rmSync(draft, { force: true })
  }
}

/**
 * Puts a backup into a folder, in the place of its database, which may be damaged. Copies that follow the service then read
 * everything again. Throws LoadError for a damaged file or one of a later version, and while another program has the database.
 */
async function restoreBackup(file: string, folder = STATE): Promise<void> {
  if (!existsSync(file)) throw new LoadError(`there is no file ${file}: enter a file that npm run backup made`)
  checkBackup(file)
  const [place, beside] = [databaseFile(folder), `${resolve(folder)}.restored`]
  const release = holdDatabase(folder)
  try {
    const draft = await prepared(file, beside)
    const { uid, gid, mode } = statSync(place)
    chownSync(draft, uid, gid) // of the service, also if root runs this command
    chmodSync(draft, mode)
    if (isInUse(place)) throw new LoadError(`another program has the database in ${folder} open: end it first`)
    for (const end of ['-wal', '-shm']) rmSync(place + end, { force: true })
    renameSync(draft, place)
  } finally {
    rmSync(beside, { recursive: true, force: true })
    release()
  }
}

/** Copies a backup into a folder of its own, and migrates it there. No mark holds that was given before. */
async function prepared(file: string, folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  await (await openDatabase(folder)).close()
  const draft = databaseFile(folder)
  endLog(draft)
  copyFileSync(file, draft)
  const { db, close } = await openDatabase(folder)
  try {
    await endMarks(db)
  } finally {
    await close()
  }
  endLog(draft)
  flush(draft)
  return draft
}

/** Writes the log of a database into its file, and removes the log. */
function endLog(file: string): void {
  const database = new DatabaseSync(file)
  try {
    database.exec('PRAGMA journal_mode = DELETE')
  } finally {
    database.close()
  }
}

/** Tests if another program has a database open. Only then SQLite cannot remove the log. */
function isInUse(file: string): boolean {
  try {
    endLog(file)
    return false
  } catch (error) {
    return /locked|busy/.test(reasonOf(error)) // A damaged file has another error.
  }
}

function flush(file: string): void {
  const open = openSync(file, 'r+')
  try {
    fsyncSync(open)
  } finally {
    closeSync(open)
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

await runCommand({ name: 'backup', usage: USAGE, files: 1 }, async ({ flag, text }, [file = '']) => {
  const folder = text('persist-to')
  if (flag('restore')) await restoreBackup(file, folder)
  else await writeBackup(folder, file)
  console.log(flag('restore') ? `Restored ${file}.` : `Wrote ${file}.`)
})
