import type { Database } from '../page/database.ts'
import { formatState, parseState, type State } from '../state.ts'

/** What a client sends to ask only for what is new to it (RFC 9110, 13.1). */
export interface Preconditions {
  readonly ifNoneMatch: string | null
  readonly ifModifiedSince: string | null
}

/** Those of a request. */
export const preconditionsOf = (headers: Headers): Preconditions => ({
  ifNoneMatch: headers.get('If-None-Match'),
  ifModifiedSince: headers.get('If-Modified-Since'),
})

/** Whether a client wants nothing that was kept: neither by a cache on the way nor here (RFC 9111, 5.2.1.4). */
export const isAnew = (headers: Headers): boolean =>
  /(^|,)\s*no-cache\s*(,|$)/i.test(headers.get('Cache-Control') ?? '')

/** The state of what was read; of nothing where nothing was. */
export const stateOf = (db: Database): State => db.state() ?? { revision: 0, changed: 0 }

/** Those that only hold of an answer that was given: for a page that may not be there. */
export const tagsOnly = ({ ifNoneMatch }: Preconditions): Preconditions => ({
  ifNoneMatch: ifNoneMatch?.trim() === '*' ? null : ifNoneMatch,
  ifModifiedSince: null,
})

/** None of them: for an item, of which a tag can be made up. */
export const none = (): Preconditions => ({ ifNoneMatch: null, ifModifiedSince: null })

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
  if (ifNoneMatch !== null) {
    const opaque = tag.replace('W/', '')
    return (
      ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((known) => known.trim().replace(/^W\//, '') === opaque)
    )
  }
  if (ifModifiedSince === null || state.changed === 0) return false
  return Math.floor(state.changed / 1000) * 1000 <= Date.parse(ifModifiedSince)
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

/**
 * How long an answer may be kept: not at all where it is one client's `own`, else for so many seconds, or as long as it is
 * asked after. By caches on the way only where every host gets the same addresses, as not all of them tell hosts apart.
 */
export const cacheControl = (own: boolean, seconds: number, sameForAllHosts: boolean): string => {
  if (own) return 'private, no-store'
  if (!(seconds > 0)) return 'no-cache'
  return `${sameForAllHosts ? 'public' : 'private'}, max-age=${seconds}`
}
