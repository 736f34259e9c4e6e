import { ACCESS_LEVELS, levelOf } from '../base/access.ts'
import { notAuthenticated, orUndefined, permissionDenied } from '../base/errors.ts'
import { sha256Hex } from '../base/hex.ts'
import { uuidPrefix } from '../filters/references.ts'
import type { Env } from './env.ts'

/** The sender of a request. `level` is the highest access modifier that it may read. An anonymous caller has no key. */
export interface Caller {
  readonly level: number
  readonly key: Key | null
}

interface Key {
  /** The SHA-256 digest of the key, in hexadecimal. */
  readonly id: string
  readonly name: string
  readonly write: boolean
  /** The beginnings of the uuids of the only series that it writes. Null: it writes all series. */
  readonly series: readonly string[] | null
}

/**
 * A key in the secrets API_KEYS, API_KEYS_2 and so on. Its name there is the SHA-256 digest of the key, in hexadecimal.
 */
export interface StoredKey {
  /** The highest access modifier that the key reads. Common if absent. */
  readonly read?: string
  readonly write?: boolean
  readonly name?: string
  /** The beginnings of the uuids of the only series that the key writes. All series if absent. */
  readonly series?: readonly string[]
  /** The last day (UTC) on which the key works, such as 2027-01-01. No end if absent. */
  readonly expires?: string
}

/** The least digits of such a beginning. If two series share a beginning, it names neither. */
export const UUID_DIGITS = 8

const WRONG_KEY =
  'Invalid key. Send Authorization: Bearer <key>, or HTTP Basic with the user __key__ and the key as password.'

/**
 * Finds the caller of a request. Without the header Authorization it is anonymous. Throws a 401 for a wrong or expired
 * key, and a 403 for a key that came over plain http.
 */
export const callerOf = async (headers: Headers, env: Env): Promise<Caller> => {
  const authorization = headers.get('Authorization')
  const anonymous = configuredLevel(env.ANONYMOUS_LEVEL, 'ANONYMOUS_LEVEL', ACCESS_LEVELS.Public)
  if (authorization === null) return { level: anonymous, key: null }
  // Only Cloudflare sets this header.
  const isPlain = /"scheme"\s*:\s*"http"/.test(headers.get('CF-Visitor') ?? '')
  if (isPlain) throw permissionDenied(SENT_PLAIN)
  const key = keyOf(authorization)
  const entry = key === null ? null : await find(key, env)
  if (entry === null) throw notAuthenticated(WRONG_KEY)
  const [id, stored] = entry
  if (isOver(stored.expires))
    throw notAuthenticated(`The key expired at the end of ${stored.expires} (UTC). Ask for a new key.`)
  const level = configuredLevel(stored.read, 'API_KEYS', ACCESS_LEVELS.Common)
  return {
    level: Math.max(anonymous, level, ACCESS_LEVELS.Common),
    key: { id, name: stored.name ?? '', write: stored.write === true, series: seriesOf(stored) },
  }
}

/** Returns true if a day (UTC) is over. A key without a day works for ever. */
const isOver = (day: string | undefined): boolean => {
  if (day !== undefined && !/^\d{4}-\d\d-\d\d$/.test(day))
    throw new Error(`API_KEYS has a key that expires ${day}: enter a day, such as 2027-01-01`)
  return day !== undefined && new Date().toISOString().slice(0, 10) > day
}

const seriesOf = ({ series }: StoredKey): readonly string[] | null => {
  if (series === undefined) return null
  const beginnings = Array.isArray(series) ? series.map((text) => uuidPrefix(String(text)) ?? '') : []
  if (beginnings.length > 0 && beginnings.every(({ length }) => length >= UUID_DIGITS)) return beginnings
  throw new Error(
    `API_KEYS has a key for the series ${JSON.stringify(series)}: enter a list of uuids, each with at least its first ${UUID_DIGITS} digits`,
  )
}

const SENT_PLAIN =
  'The key was sent over plain http, so others may have read it. Ask for a new key, and send it over https.'

/**
 * Returns true if shared caches may store an answer to this caller. Then it shows nothing above `CACHE_LEVEL`, and the
 * addresses in it begin with `BASE_URL`.
 */
export const mayBeShared = ({ level }: Caller, { BASE_URL, CACHE_LEVEL }: Env): boolean =>
  Boolean(BASE_URL) && level <= configuredLevel(CACHE_LEVEL, 'CACHE_LEVEL', ACCESS_LEVELS.Public)

const configuredLevel = (name: string | undefined, where: string, otherwise: number): number => {
  if (name === undefined || name === '') return otherwise
  const level = levelOf(name)
  if (level === null) throw new Error(`${where} is ${name}: enter an access level, such as Private`)
  return level
}

const keyOf = (authorization: string): string | null => {
  const [, scheme = '', credentials = ''] = /^(\S+) +(\S+)\s*$/.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return credentials
  if (scheme.toLowerCase() !== 'basic') return null
  const [, key = null] = /^__key__:(.+)$/s.exec(orUndefined(() => atob(credentials)) ?? '') ?? []
  return key
}

/** The names of the secrets with keys. One secret has at most 5 KB, which is about 38 keys. */
export const SECRET = /^API_KEYS(_\d+)?$/

/** The secrets API_KEYS, API_KEYS_2 and so on, sorted by name. */
export const apiKeys = (env: Env): string[] =>
  Object.entries(env)
    .filter(([name]) => SECRET.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => String(value))

/** Compares the key with every stored digest, each in constant time. So the duration tells an attacker nothing. */
const find = async (key: string, env: Env): Promise<[string, StoredKey] | null> => {
  const stored = apiKeys(env).flatMap((keys) => Object.entries<StoredKey>(JSON.parse(keys || '{}')))
  const encoder = new TextEncoder()
  const digest = encoder.encode(await sha256Hex(key))
  let found: [string, StoredKey] | null = null
  for (const [hex, candidate] of stored) {
    const expected = encoder.encode(hex.toLowerCase())
    if (expected.length === digest.length && crypto.subtle.timingSafeEqual(expected, digest)) found = [hex, candidate]
  }
  return found
}

/** Loopback, link-local and private addresses (RFC 1918, RFC 4193). No client that comes through Cloudflare has one. */
const LOCAL = /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.|^0:0:0:0$|^f[cd][0-9a-f]{2}:|^fe80:/

/**
 * Returns the key of a client for the limits: its address, or the first 64 bits of an IPv6 address. Null: the client
 * has no limits.
 */
export const clientOf = (address: string | null): string | null => {
  const plain = (address ?? '').toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  const client = plain.includes(':') ? networkOf(plain) : plain
  return client === '' || LOCAL.test(client) ? null : client
}

/** Mobile networks give each phone 64 bits, so fewer would join strangers. The owner of 48 bits counts as 65,536 clients. */
const networkOf = (address: string): string => {
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}
