import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { SECRET, type StoredKey } from '../../src/http/caller.ts'
import { LoadError, shown } from '../load/error.ts'

/** The keys in a file of secrets. Each secret has a name and a JSON object of keys. */
type Secrets = ReadonlyMap<string, Readonly<Record<string, StoredKey>>>

/** Cloudflare limits a secret to 5 KB. */
const MAX_SECRET = 5_000 // bytes
/** The value of a secret in the file. It may span several lines. */
const VALUE = /\s*=\s*(?:'[^']*'|"[^"]*"|`[^`]*`|.*)(?:\n|$)/.source

/** Reads the keys of a file such as `.dev.vars`, which may be missing. Throws LoadError if a secret is not JSON. */
export function readKeys(file: string): Secrets {
  const secrets = Object.entries(existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {})
  return new Map(
    secrets.flatMap(([name, value]) => (SECRET.test(name) && value ? [[name, readSecret(file, name, value)]] : [])),
  )
}

/** Reads the keys in the text of a secret. `file` names its place. Throws LoadError if it is not JSON. */
export function readSecret(file: string, name: string, value: string): Record<string, StoredKey> {
  try {
    return JSON.parse(value)
  } catch {
    throw new LoadError(`${file}: ${name} is not JSON: enter {} there, and run npm run key -- --add ${file}`)
  }
}

export const countKeys = (secrets: Secrets): number =>
  [...secrets.values()].reduce((sum, keys) => sum + Object.keys(keys).length, 0)

const textOf = (keys: Readonly<Record<string, StoredKey>>): string => JSON.stringify(keys).replaceAll("'", '\\u0027')

/** Adds a key to the first secret of a file that has room. Returns the name of that secret. */
export function addKey(file: string, digest: string, stored: StoredKey): string {
  const secrets = readKeys(file)
  const entry = { [digest]: stored }
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'API_KEYS' : `API_KEYS_${number}`
    const text = textOf({ ...secrets.get(name), ...entry })
    if (Buffer.byteLength(text) > MAX_SECRET) continue
    put(file, name, text)
    return name
  }
}

/** The first digits of a digest. The log also shows them for a key without a name. */
export const shortOf = (digest: string): string => digest.slice(0, 8)

/**
 * Removes the only key of a file with a name, or with the first digits of a digest. Returns the name of its secret. An
 * empty secret stays in the file, so that sending the file empties the deployed one too.
 */
export function removeKey(file: string, named: string): string {
  const found = [...readKeys(file)].flatMap(([secret, keys]) =>
    Object.entries(keys).flatMap(([digest, { name }]) =>
      [name, shortOf(digest)].includes(named) ? [{ secret, keys, digest }] : [],
    ),
  )
  const [only, another] = found
  if (only === undefined || another !== undefined)
    throw new LoadError(
      `${file} has ${found.length === 0 ? 'no key' : `${found.length} keys`} with the name ${shown(named)}: enter the name of one, or the digits before it in npm run key -- --list --in ${file}`,
    )
  put(file, only.secret, textOf(Object.fromEntries(Object.entries(only.keys).filter(([hex]) => hex !== only.digest))))
  return only.secret
}

function put(file: string, name: string, text: string): void {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const line = `${name}='${text}'\n`
  const after = before.replace(new RegExp(`^${name}${VALUE}`, 'gm'), () => line)
  const end = before === '' || before.endsWith('\n') ? '' : '\n'
  replace(file, after.includes(line) ? after : `${before}${end}${line}`)
}

/** Writes a file beside, then renames it. So the file is old or new, even after a power failure or on a full disk. */
function replace(file: string, text: string): void {
  const isNew = !existsSync(file)
  const path = isNew ? file : realpathSync(file)
  const beside = `${path}.partial`
  try {
    writeFileSync(beside, text, { mode: isNew ? 0o600 : statSync(path).mode, flush: true })
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}
