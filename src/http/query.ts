import { at } from '../base/collections.ts'
import { badRequest } from '../base/errors.ts'
import { hexDigit, sha256Hex } from '../base/hex.ts'
import { decodeValue, encodeValue } from '../filters/lookups.ts'
import type { Hint } from '../question/question.ts'
import { apiKeys } from './caller.ts'
import type { Bound, Env } from './env.ts'

/** A parameter of a query. Its value may be WKB, see `decodeValue` in src/filters/lookups.ts. */
export interface Parameter {
  readonly name: string
  readonly value: string
}

const AMPERSAND = 0x26
const EQUALS = 0x3d
const PLUS = 0x2b
const PERCENT = 0x25
const BLANK = 0x20
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** Ten times as many as any list takes. More would only keep a Worker busy. */
const MAX_PARAMETERS = 1000

/**
 * Parses an `application/x-www-form-urlencoded` text in UTF-8, and keeps its order (WHATWG URL, 5.1). Throws a 400 for
 * too many parameters.
 */
export const parseQuery = (query: Uint8Array): Parameter[] => {
  const parameters: Parameter[] = []
  for (let start = 0; start < query.length; ) {
    if (query[start] === AMPERSAND) {
      start += 1
      continue
    }
    if (parameters.length === MAX_PARAMETERS) throw badRequest(`Send at most ${MAX_PARAMETERS} parameters.`)
    const ampersand = query.indexOf(AMPERSAND, start)
    const pair = query.subarray(start, ampersand < 0 ? query.length : ampersand)
    start += pair.length
    const equals = pair.indexOf(EQUALS)
    const name = unquote(pair.subarray(0, equals < 0 ? pair.length : equals))
    parameters.push({
      name: decoder.decode(name),
      value: decodeValue(unquote(pair.subarray(equals < 0 ? pair.length : equals + 1))),
    })
  }
  return parameters
}

/**
 * Writes parameters as a query, sorted by name as in Django REST framework. It begins with `?`, and is empty without
 * parameters.
 */
export const formatQuery = (parameters: readonly Parameter[]): string => {
  const pairs = [...parameters].sort(byName).map(({ name, value }) => `${quote(name)}=${quote(value)}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/**
 * Identifies a request for a list, for its hints: the filters and the level of the caller, then the order and the page
 * size. The order of parameters has no effect.
 */
export const requestKeyOf = async (path: string, parameters: readonly Parameter[], level: number): Promise<string> => {
  const parts = (which: (name: string) => boolean) => keyParts(parameters.filter(({ name }) => which(name)))
  const search = await digest([path, String(level), ...parts((name) => !PAGE.has(name) && !PAGES.has(name))])
  return digest([search, ...parts((name) => PAGES.has(name))])
}

/** Cloudflare accepts no longer address. */
export const MAX_ADDRESS = 16_384
/** The characters that `page` and `hint` add to an address, at most. */
export const TURN = 160

/** The parameters that choose a page, or how it is written. */
const PAGE = new Set(['page', 'hint', 'format', 'fields', 'locale', 'explain'])
/** The parameters that divide items into pages. */
const PAGES = new Set(['after', 'ordering', 'page_size'])

/** Returns the first 64 bits of the SHA-256 of a list of parts, in hexadecimal. */
export const digest = async (parts: readonly (string | Uint8Array)[]): Promise<string> =>
  (await fullDigest(parts)).slice(0, 16)

/** Returns the SHA-256 of a list of parts, in hexadecimal. */
export const fullDigest = async (parts: readonly (string | Uint8Array)[]): Promise<string> =>
  // The length before each part keeps lists with the same joined text apart.
  sha256Hex(await new Blob(parts.flatMap((part) => [`${part.length} `, part])).arrayBuffer())

/** A hint begins with this letter if its address needs the body of a posted query as well. */
export const POSTED = 'p'

/** The secret of this isolate. The first request makes it, because a Worker has no random numbers before. */
let random: string | undefined

/**
 * Returns a code of 16 hexadecimal digits for a text, which a client cannot compute. It uses the API keys, which all isolates
 * share. Without keys it uses a secret of its own, or else a random one.
 */
export const sealOf = (env: Env, text: string): Promise<string> => {
  const secrets = apiKeys(env).filter((keys) => /[0-9a-f]{64}/i.test(keys))
  if (secrets.length === 0) {
    random ??= crypto.randomUUID()
    secrets.push(env.SECRET ?? random)
  }
  return digest([...secrets, text])
}

export const keyParts = (parameters: readonly Parameter[]): (string | Uint8Array)[] =>
  [...parameters].sort(byName).flatMap(({ name, value }) => [name, encodeValue(value)])

const byName = (a: Parameter, b: Parameter): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

const unquote = (quoted: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(quoted.length)
  let length = 0
  for (let i = 0; i < quoted.length; i++) {
    let byte = at(quoted, i)
    if (byte === PLUS) byte = BLANK
    else if (byte === PERCENT) {
      const high = hexDigit(quoted[i + 1] ?? 0)
      const low = hexDigit(quoted[i + 2] ?? 0)
      if (high >= 0 && low >= 0) {
        byte = high * 16 + low
        i += 2
      }
    }
    bytes[length++] = byte
  }
  return bytes.subarray(0, length)
}

const UNRESERVED = new Set(encodeValue('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~'))

const quote = (value: string): string => {
  let text = ''
  for (const byte of encodeValue(value)) {
    if (UNRESERVED.has(byte)) text += String.fromCharCode(byte)
    else if (byte === BLANK) text += '+'
    else text += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}

/** Writes a hint of the engine as the value of a parameter. It is valid for this page of this request only. */
export const formatHint = async (text: string, request: string, page: number, env: Env): Promise<string> => {
  const checked = `${text}_${check(request, page)}`
  return `${checked}_${await sealOf(env, `${checked} ${request}`)}`
}

const SENT = new RegExp(`^${POSTED}?((.+?)_([0-9a-z]+))(?:_([0-9a-f]{16}))?$`)

/** Reads a hint that a client sent. Returns null if the value is no hint, or belongs to another request or page. */
export const parseHint = async (value: string, request: string, page: number, env: Bound): Promise<Hint | null> => {
  const [, checked = '', text = '', code, sealed] = SENT.exec(value) ?? []
  if (code !== check(request, page) || !env.ENGINE.isHint(text)) return null
  return { text, isOwn: sealed === (await sealOf(env, `${checked} ${request}`)) }
}

/**
 * Returns a 32-bit FNV-1a hash. It detects a hint of another request by mistake, but it is no protection against forgery.
 */
const check = (request: string, page: number): string => {
  const text = `${page} ${request}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36)
}
