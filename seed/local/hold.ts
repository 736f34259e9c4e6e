import { chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LoadError } from '../load/error.ts'

const SQLITE_BUSY = 5

/**
 * Holds the local database in a folder, until the returned function is called or the process ends. The lock is one of SQLite,
 * so a kill leaves none. Throws LoadError if another program holds it.
 */
export const holdDatabase = (folder: string): (() => void) => {
  const home = resolve(folder)
  mkdirSync(home, { recursive: true })
  const file = join(home, 'service.lock')
  if (!existsSync(file)) {
    const { uid, gid } = statSync(home)
    writeFileSync(file, '')
    chownSync(file, uid, gid) // of the service, also if root runs this command
  }
  const lock = new DatabaseSync(file)
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (!(cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY)) throw cause
    throw new LoadError(`a service runs on the database in ${folder}: end it first`, { cause })
  }
  return () => lock.close()
}
