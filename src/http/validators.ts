import { ACCESS_LEVELS } from '../base/access.ts'
import { preconditionFailed } from '../base/errors.ts'
import type { State } from '../engine/state.ts'
import type { Env } from './env.ts'

/** The access levels. A tag has the position of one here. */
export const LEVELS = Object.values(ACCESS_LEVELS)

/**
 * Makes the entity tag of an answer, from the state of the data or of an item, the caller's level, and a digest of the
 * request, its format and base. The tag is weak, because the answer may be compressed (RFC 9110, 8.8.1).
 */
export const entityTag = (state: string, level: number, request: string): string =>
  `W/"${state}-${LEVELS.findLastIndex((each) => each <= level)}${request.slice(0, TAG_DIGITS)}"`

const TAG_DIGITS = 15

/**
 * Returns the time of the last write, as HTTP writes it. It is null if unknown. It is also null if the state was read
 * during the second of that write, because another write in it would not change the time.
 */
export const httpDate = ({ changed }: State, at: number): string | null =>
  changed === 0 || Math.floor(at / 1000) <= Math.floor(changed / 1000) ? null : new Date(changed).toUTCString()

/**
 * Returns a function that tells if If-None-Match names a tag. Null: a state cannot decide that without the answer. Only
 * an existing page may match `*`, and If-Match needs the answer.
 */
export const tagTest = (headers: Headers): ((tag: string) => boolean) | null => {
  const tags = headers.get('If-None-Match')
  const isDecided = tags !== null && tags.trim() !== '*' && !headers.has('If-Match')
  return isDecided ? (tag) => names(tags, tag) : null
}

/**
 * Returns true if the client has the answer with this tag and date. Throws a 412 if If-Match names only other tags.
 * Preconditions count for successes only (RFC 9110, 13.2.1). So a 304 reveals nothing about hidden items.
 */
export const isHeld = (headers: Headers, tag: string, modified: string | null): boolean => {
  const [match, noneMatch] = [headers.get('If-Match'), headers.get('If-None-Match')]
  if (match !== null && !names(match, tag)) throw preconditionFailed()
  if (noneMatch !== null) return names(noneMatch, tag)
  // A later date does not count: a restored database may be older than the client's answer.
  return modified !== null && dateOf(headers.get('If-Modified-Since') ?? '') === Date.parse(modified)
}

/** Returns true for `*`, or if a list of entity tags has this one. The comparison is weak (RFC 9110, 8.8.3.2). */
const names = (tags: string, tag: string): boolean =>
  tags.trim() === '*' || tags.split(',').some((each) => opaque(each.trim()) === opaque(tag))

const opaque = (tag: string): string => tag.replace(/^W\//, '')

/** The current form of a date in HTTP, and two obsolete forms (RFC 9110, 5.6.7). */
const [MONTH, TIME] = ['(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)', '\\d\\d:\\d\\d:\\d\\d']
const DATES = [
  `(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d ${MONTH} \\d{4} ${TIME} GMT`,
  `(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d\\d-${MONTH}-\\d\\d ${TIME} GMT`,
  `(Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} [ \\d]\\d ${TIME} \\d{4}`,
].map((form) => new RegExp(`^${form}$`))

/** Returns a date of HTTP in milliseconds since 1970. Null for another text. */
const dateOf = (text: string): number | null => {
  if (!DATES.some((form) => form.test(text))) return null
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date) ? null : date
}

/** While the database fails, an answer may show a state that was read so many seconds ago. */
export const STALE_SECONDS = 60

/** Returns the seconds for which a state is used without a read. 0: each request reads the state. */
export const stateSecondsOf = ({ STATE_SECONDS }: Pick<Env, 'STATE_SECONDS'>): number =>
  Math.min(STALE_SECONDS, Math.max(0, Number(STATE_SECONDS) || 0))

/** Returns the seconds during which a cache may answer without revalidation. */
export const secondsOf = ({ CACHE_SECONDS }: Pick<Env, 'CACHE_SECONDS'>): number => Number(CACHE_SECONDS) || 0

/** The header Cache-Control of an answer that only the client stores, and revalidates each time. */
const REVALIDATED = 'private, no-cache'

/**
 * Returns the header Cache-Control. An answer for one client, `own`, is never stored. With 0 seconds only the client
 * stores it, and revalidates it each time. `shared` lets shared caches store it.
 */
export const cacheControl = (own: boolean, seconds: number, shared: boolean): string => {
  if (own) return 'private, no-store'
  const place = shared && seconds > 0 ? 'public' : 'private'
  // A cache must not show stale answers even if the service fails. They could hide an error, or show private data.
  return seconds > 0 ? `${place}, max-age=${seconds}, must-revalidate` : REVALIDATED
}

/** The seconds for which a browser may show a tile or a summary again. A map that moves back then asks nothing. */
const BROWSER_SECONDS = 10

/** Returns the headers that let a browser show an answer again for BROWSER_SECONDS, if it would revalidate it each time. */
export const reusable = (control: string): Record<string, string> =>
  control === REVALIDATED
    ? { 'Cache-Control': cacheControl(false, BROWSER_SECONDS, false), Vary: varyOf(BROWSER_SECONDS) }
    : {}

/**
 * Returns the header Vary. If no cache may answer it is Accept alone. Otherwise it has every header that decides the
 * answer.
 */
export const varyOf = (seconds: number): string => (seconds > 0 ? 'Accept, Authorization, X-D1-Bookmark' : 'Accept')
