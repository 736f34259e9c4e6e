import type { Env } from '../env.ts'
import type { Database } from '../query/db/d1.ts'
import { formatState, parseState, type State } from '../state.ts'

/** What a client sends to ask only for what is new to it, or only for what it knows (RFC 9110, 13.1). */
export interface Preconditions {
  readonly ifMatch: string | null
  readonly ifNoneMatch: string | null
  readonly ifModifiedSince: string | null
}

/** Those of a request. */
export const preconditionsOf = (headers: Headers): Preconditions => ({
  ifMatch: headers.get('If-Match'),
  ifNoneMatch: headers.get('If-None-Match'),
  ifModifiedSince: headers.get('If-Modified-Since'),
})

/** Whether a client wants nothing that was kept: neither by a cache on the way nor here (RFC 9111, 5.2.1.4). */
export const isAnew = (headers: Headers): boolean =>
  /(^|,)\s*no-cache\s*(,|$)/i.test(headers.get('Cache-Control') ?? '')

/** The state of what was read; of nothing where nothing was. */
export const stateOf = (db: Database): State => db.state() ?? { revision: 0, changed: 0 }

/** Only tags that this service gave out: a page that may not exist must match neither `*` nor a date. */
export const tagsOnly = (sent: Preconditions): Preconditions => ({
  ...sent,
  ifNoneMatch: sent.ifNoneMatch?.trim() === '*' ? null : sent.ifNoneMatch,
  ifModifiedSince: null,
})

/** None of them: an item may not exist, and a client can make up its tag. */
export const none = (): Preconditions => ({ ifMatch: null, ifNoneMatch: null, ifModifiedSince: null })

/**
 * The entity tag of an answer: weak, as it may be sent compressed. The data and the whole request are in it, so that an
 * answer of another state, level, format or base has another.
 */
export const entityTag = (state: State, request: string): string => `W/"${formatState(state)}-${request}"`

/**
 * When the data was last written, in the form of HTTP; null when that is not known, and within the same second, as
 * another write in it would not show.
 */
export const lastModified = ({ changed }: State, now: number): string | null =>
  changed === 0 || Math.floor(now / 1000) <= Math.floor(changed / 1000) ? null : new Date(changed).toUTCString()

/** Whether the client has the answer with this tag, of data in this state. */
export const isKnown = (state: State, tag: string, { ifNoneMatch, ifModifiedSince }: Preconditions): boolean => {
  if (ifNoneMatch !== null) return names(ifNoneMatch, tag)
  // A later date does not count: a restored database is older than the answer that the client has.
  const modified = lastModified(state, Date.now())
  return modified !== null && dateOf(ifModifiedSince ?? '') === Date.parse(modified)
}

/** Whether the client wants the answer with this tag: it does unless If-Match names others only. */
export const isWanted = (tag: string, { ifMatch }: Preconditions): boolean => ifMatch === null || names(ifMatch, tag)

/** Whether a list of entity tags, or `*`, has this one, weak or not. */
const names = (tags: string, tag: string): boolean =>
  tags.trim() === '*' || tags.split(',').some((each) => opaque(each.trim()) === opaque(tag))

const opaque = (tag: string): string => tag.replace(/^W\//, '')

const [DAY, MONTH, TIME] = [
  '(Mon|Tue|Wed|Thu|Fri|Sat|Sun)',
  '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)',
  '\\d\\d:\\d\\d:\\d\\d',
]
/** The three forms of a date in HTTP (RFC 9110, 5.6.7): the one in use, and two of old. */
const DATES = [
  `${DAY}, \\d\\d ${MONTH} \\d{4} ${TIME} GMT`,
  `(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d\\d-${MONTH}-\\d\\d ${TIME} GMT`,
  `${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}`,
].map((form) => new RegExp(`^${form}$`))

/** Milliseconds since 1970 of a date in HTTP, null for what is none. */
const dateOf = (text: string): number | null => {
  if (!DATES.some((form) => form.test(text))) return null
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date) ? null : date
}

/**
 * The states of the data that If-Match asks for, null where it asks for none. Any tag of a state stands for the whole of
 * it: what was read is as it was as long as nothing was written.
 */
export const statesIn = (ifMatch: string | null): State[] | null => {
  if (ifMatch === null || ifMatch.trim() === '*') return null
  return ifMatch.split(',').flatMap((tag) => {
    const [, text = ''] = /^\s*(?:W\/)?"([^"]*)-[^"-]*"\s*$/.exec(tag) ?? []
    return parseState(text) ?? []
  })
}

/** For how many seconds answers may be kept without asking after them. */
export const secondsOf = ({ CACHE_SECONDS }: Pick<Env, 'CACHE_SECONDS'>): number => Number(CACHE_SECONDS) || 0

/**
 * How long an answer may be kept: not at all where it is one client's `own`, else for so many seconds, or by the client
 * alone, who asks after it each time. By caches on the way only where it is `shared`. What is older is never shown, also
 * where we do not answer: an error is not to be hidden, nor is what was made private meanwhile to be seen.
 */
export const cacheControl = (own: boolean, seconds: number, shared: boolean): string => {
  if (own) return 'private, no-store'
  if (!(seconds > 0)) return 'private, no-cache'
  return `${shared ? 'public' : 'private'}, max-age=${seconds}, must-revalidate`
}

/** What an answer depends on: Accept alone, where nobody may keep it, else all that decides who gets it. */
export const varyOf = (seconds: number): string =>
  seconds > 0 ? 'Accept, Authorization, X-D1-Bookmark, Prefer' : 'Accept'
