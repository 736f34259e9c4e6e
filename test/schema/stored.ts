import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { databaseFile, openDatabase } from '../../seed/local/database.ts'

const FOLDER = join(import.meta.dirname, 'databases')

/** The versions that have a stored database. */
export const VERSIONS = readdirSync(FOLDER).filter((name) => /^\d/.test(name))

/** Reads a file of a version. */
export const storedOf = (version: string, name: string): Buffer => readFileSync(join(FOLDER, version, name))

export const KEY = 'all'
const DIGEST = createHash('sha256').update(KEY).digest('hex')
export const VARIABLES = { API_KEYS: JSON.stringify({ [DIGEST]: { read: 'Hidden', write: true } }) }

/** Puts the stored database of a version into a folder. Returns its file. */
export async function putDatabase(version: string, state: string): Promise<string> {
  await (await openDatabase(state)).close() // it makes the folder and the name
  const file = databaseFile(state)
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  writeFileSync(file, gunzipSync(storedOf(version, 'database.sqlite.gz')))
  return file
}

/** Asks a service for the changes since a mark. The text does not have its address. */
export async function changesOf(address: string, mark: string): Promise<string> {
  const headers = { Authorization: `Bearer ${KEY}` }
  const answer = await fetch(`${address}/api/v4/changes/${mark && `?after=${mark}`}`, { headers })
  return (await answer.text()).replaceAll(address, 'http://service')
}
