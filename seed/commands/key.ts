import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { accessName, levelOf } from '../../src/base/access.ts'
import { at } from '../../src/base/collections.ts'
import { UUID_LENGTH } from '../../src/base/schema.ts'
import { uuidPrefix } from '../../src/filters/references.ts'
import { type StoredKey, UUID_DIGITS } from '../../src/http/caller.ts'
import { LoadError, oneLine, optionError } from '../load/error.ts'
import { addKey, countKeys, readKeys, removeKey, shortOf } from '../local/keys.ts'
import { counted } from '../read/statistics.ts'
import { type Options, runCommand } from './command.ts'

const USAGE = `Usage: npm run key [-- OPTION...]

Makes a key and prints it once. Only its digest is stored, in the secret API_KEYS.

  --add FILE         add the key to a file of secrets: .dev.vars, which npm start reads, deploy.vars for a deployment, see
                     docs/operating.md, or another one for a server of your own, see docs/own-server.md. A secret has room for about 38 keys. Further keys go to API_KEYS_2 and so on
  --read LEVEL       the highest access level that the key may see: Common (the default), Private or Hidden
  --write            the key may write
  --series UUID,...  the key writes only these series. The first ${UUID_DIGITS} digits of a uuid are enough, if no other series
                     has them
  --expires DAY      the last day (UTC) on which the key works, such as 2027-01-01
  --name NAME        the owner of the key
  --list             list the keys of a file, without making one
  --revoke NAME      remove the key with this name from a file. Without a name, enter the digits that --list shows
  --in FILE          the file of --list and --revoke, .dev.vars by default
  --help             show this text`

await runCommand({ name: 'key', usage: USAGE }, (options) => {
  options.refuseSeveral('task', 'add', 'list', 'revoke')
  const [named, file] = [options.text('revoke'), options.text('in') ?? '.dev.vars']
  if (named === undefined && !options.flag('list')) return make(options)
  if (!existsSync(file)) throw new LoadError(`${file} does not exist: enter the file of your keys with --in`)
  if (named === undefined) return list(file)
  const secret = removeKey(file, named)
  console.log(`Removed from ${secret} in ${file}, now with ${keysIn(file)}. ${stepOf(file)}. Until then the key works.`)
})

/** Makes a key, and adds it to a file. */
function make(options: Options): void {
  const file = options.text('add')
  const stored = rightsIn(options)
  const key = randomBytes(24).toString('hex')
  const digest = createHash('sha256').update(key).digest('hex')
  const secret = file === undefined ? null : addKey(file, digest, stored)
  console.log(`Key, not shown again:        ${key}
Digest:                      ${digest}
Entry for the JSON API_KEYS: ${JSON.stringify({ [digest]: stored })}`)
  if (file !== undefined)
    console.log(`Added to ${secret} in ${file}, now with ${keysIn(file)}. ${stepOf(file)} to use it.`)
}

function rightsIn({ text, flag }: Options): StoredKey {
  const read = text('read') ?? 'Common'
  const level = levelOf(read)
  const [series, expires] = [text('series')?.split(',').map(beginningOf), text('expires')]
  if (!level) throw new LoadError(`--read is ${read}: enter Common, Private or Hidden`)
  if (series !== undefined && !flag('write'))
    throw new LoadError('--series limits what a key writes: enter --write too, or leave --series out')
  if (expires !== undefined && !isDayToCome(expires))
    throw optionError('--expires', expires, 'enter a day from today on, such as 2027-01-01')
  return {
    read: accessName(level) ?? read,
    write: flag('write'),
    name: text('name') ?? '',
    ...(series && { series }),
    ...(expires && { expires }),
  }
}

/** Shortens a uuid, because a secret has little room. Only the first digits of versions 4 and 5 differ enough. */
function beginningOf(given: string): string {
  const uuid = uuidPrefix(given) ?? ''
  if (uuid.length < UUID_DIGITS)
    throw optionError('--series', given, `enter uuids, each with at least its first ${UUID_DIGITS} digits`)
  return uuid.length === UUID_LENGTH && /^.{14}[45]/.test(uuid) ? uuid.slice(0, UUID_DIGITS) : uuid
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

function isDayToCome(day: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00Z`) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) && day >= today()
}

/** Prints the keys of a file as a table. */
function list(file: string): void {
  const keys = [...readKeys(file).values()].flatMap((keys) => Object.entries(keys))
  const rows = keys.map(([digest, { name = '', read = 'Common', write, series, expires }]) => {
    const until = expires === undefined ? '' : `${expires}${expires < today() ? ', expired' : ''}`
    const writes = write ? (series?.join(',') ?? 'all series') : 'nothing'
    return [shortOf(digest), oneLine(name), read, writes, until]
  })
  const table = [['digest', 'name', 'reads', 'writes', 'works through (UTC)'], ...rows]
  const widths = table.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(cell.length, most[i] ?? 0)), [])
  for (const row of table) {
    const cells = row.map((cell, i) => cell.padEnd(at(widths, i)))
    console.log(cells.join('  ').trimEnd())
  }
  console.log(
    `${file} has ${keysIn(file)}.${isLocal(file) ? '' : ' Nobody can read back what a deployed service has.'}`,
  )
}

function keysIn(file: string): string {
  return counted(countKeys(readKeys(file)), 'key')
}

/** Tests if a service on this machine reads a file. Other files have the secrets of a deployed one. */
function isLocal(file: string): boolean {
  return basename(file) === '.dev.vars' || !file.endsWith('.vars')
}

/** Returns what to do after a change of a file. */
function stepOf(file: string): string {
  return isLocal(file) ? 'Start the service again' : `Run npm run wrangler -- secret bulk ${file}`
}
