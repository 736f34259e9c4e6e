import { ACCESS_LEVELS, levelOf } from './access.ts'
import type { Env } from './env.ts'
import { notAuthenticated, permissionDenied } from './errors.ts'
import { sha256 } from './hex.ts'

/** Who asks: what it sees, and whether it may write. */
export interface Caller {
  readonly level: number
  readonly key: Key | null
}

interface Key {
  /** Tells it from other keys: its digest. */
  readonly id: string
  readonly name: string
  readonly write: boolean
}

/** A key as the secrets API_KEYS, API_KEYS_2 and so on keep it, under the SHA-256 digest of the key itself in hexadecimal. */
interface StoredKey {
  /** The greatest access modifier that it reads; Common when left out. */
  readonly read?: string
  readonly write?: boolean
  readonly name?: string
}

const WRONG_KEY =
  'Invalid key. Send Authorization: Bearer <key>, or HTTP Basic with the user __key__ and the key as password.'

/** Finds the caller of a request. Throws a 401 for a wrong key, and a 403 for a key that came over plain http. */
export const callerOf = (headers: Headers, env: Env): Promise<Caller> => {
  const authorization = headers.get('Authorization')
  // Only Cloudflare sets the header.
  const isPlain = /"scheme"\s*:\s*"http"/.test(headers.get('CF-Visitor') ?? '')
  if (authorization !== null && isPlain) throw permissionDenied(SENT_PLAIN)
  return identify(authorization, env)
}

const SENT_PLAIN =
  'The key came over plain http, so others may have read it. Have it replaced, and send the new one over https.'

/** Whether caches on the way may keep an answer: it holds nothing above `CACHE_LEVEL`, and all its addresses are fixed. */
export const mayBeShared = ({ level }: Caller, { BASE_URL, CACHE_LEVEL }: Env): boolean =>
  Boolean(BASE_URL) && level <= configuredLevel(CACHE_LEVEL, 'CACHE_LEVEL', ACCESS_LEVELS.Public)

/** The caller that the header Authorization names; without one, the anonymous caller. Throws a 401 for a wrong key. */
export const identify = async (authorization: string | null, env: Env): Promise<Caller> => {
  const anonymous = configuredLevel(env.ANONYMOUS_LEVEL, 'ANONYMOUS_LEVEL', ACCESS_LEVELS.Public)
  if (authorization === null) return { level: anonymous, key: null }
  const key = keyOf(authorization)
  const found = key === null ? null : await find(key, storedKeys(env))
  if (found === null) throw notAuthenticated(WRONG_KEY)
  const [id, stored] = found
  const level = configuredLevel(stored.read, 'API_KEYS', ACCESS_LEVELS.Common)
  return {
    level: Math.max(anonymous, level, ACCESS_LEVELS.Common),
    key: { id, name: stored.name ?? '', write: stored.write === true },
  }
}

const configuredLevel = (name: string | undefined, where: string, otherwise: number): number => {
  if (name === undefined || name === '') return otherwise
  const level = levelOf(name)
  if (level === null) throw new Error(`${where} names no access level: ${name}`)
  return level
}

const keyOf = (authorization: string): string | null => {
  const [, scheme = '', credentials = ''] = /^(\S+) +(\S+)\s*$/.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return credentials
  if (scheme.toLowerCase() !== 'basic') return null
  try {
    const [, key] = /^__key__:(.+)$/s.exec(atob(credentials)) ?? []
    return key ?? null
  } catch {
    return null
  }
}

/** One secret has 5 KB at most, some 38 keys. */
const SECRET = /^API_KEYS(_\d+)?$/

/** The secrets API_KEYS, API_KEYS_2 and so on, sorted by name. */
export const apiKeys = (env: Env): string[] =>
  Object.entries(env)
    .filter(([name]) => SECRET.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => String(value))

/** The keys that there are, by their digests. */
const storedKeys = (env: Env): [string, StoredKey][] =>
  apiKeys(env).flatMap((keys) => Object.entries<StoredKey>(JSON.parse(keys || '{}')))

/** Looks at every stored digest, each in constant time, so that how long it takes says nothing. */
const find = async (key: string, stored: [string, StoredKey][]): Promise<[string, StoredKey] | null> => {
  const digest = await sha256(key)
  let found: [string, StoredKey] | null = null
  for (const [hex, candidate] of stored) {
    const expected = bytesOf(hex)
    if (expected.length === digest.length && crypto.subtle.timingSafeEqual(expected, digest)) found = [hex, candidate]
  }
  return found
}

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
