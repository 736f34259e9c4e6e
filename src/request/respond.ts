import type { Caller } from '../caller.ts'
import type { Row } from '../engine/conditions/table.ts'
import type { Database } from '../engine/run/database.ts'
import { DatabaseFault } from '../errors.ts'
import { type DocumentFormat, isItems, JSON_FORMAT } from '../formats/formats.ts'
import { formatState, NO_STATE, type State } from '../state.ts'
import { piecesOf, SMALL, sendPieces } from '../transfers.ts'
import { type Answer, answerCache, type ReadCost } from './cache.ts'
import { refuseFaults } from './parameters.ts'
import { digest, fullDigest } from './query.ts'
import { answerVersion, type PageHead, type Query, RELATIVE_SECONDS } from './read.ts'
import { BOOKMARK, isWrite, type RequestContext, setHeaders } from './route.ts'
import { freshState, type Seen, staleState, withDatabase } from './session.ts'
import {
  BROWSER_SECONDS,
  cacheControl as cacheControlOf,
  entityTag,
  httpDate,
  isKnown,
  isKnownOrRefused,
  none,
  type Preconditions,
  preconditionsOf,
  REVALIDATED,
  stateSecondsOf,
  varyOf,
  wantsNoCache,
} from './validators.ts'

/** The rules of an answer. */
export interface AnswerRules {
  /**
   * Selects the preconditions to check before the read. Absent: none, because the caller may not see the item, or it
   * may not exist.
   */
  readonly early?: (sent: Preconditions) => Preconditions
  /** Absent: low. */
  readonly cost?: ReadCost
  /** A further part of the identity of the answer. */
  readonly more?: string
  /** A browser may show the answer again for BROWSER_SECONDS, unless the caller has a key or a bookmark. */
  readonly mayBeOld?: boolean
  /** The answer has its plan, so no cache may store it. */
  readonly explain?: boolean
}

/** An answer for a state of the data. Null: the client has it. */
interface Outcome extends Seen {
  readonly answer: Answer | null
}

/**
 * Answers a request: a 400 for faulty parameters, a 304, a 412, or what `compute` reads. The answer comes from a cache if
 * the state of the data was read a moment ago, or else from the database. If that fails, an answer of the last minute is
 * better than none.
 */
export const respond = async (
  c: RequestContext,
  query: Query,
  compute: (db: Database) => Promise<Answer>,
  { early = none, cost = 'low', more = '', mayBeOld = false, explain = false }: AnswerRules = {},
): Promise<Response> => {
  refuseFaults(query.values)
  const { caller, identity, isRelative } = query
  const { level } = caller
  const key = await fullDigest([...identity, String(level), ...(more === '' ? [] : [more])])
  const isTagged = c.req.method !== 'POST' && !explain
  const tagOf = (state: State) => (isTagged ? entityTag(formatState(state), level, key) : null)
  const preconditions = preconditionsOf(c.req.raw.headers)
  // The time of the last write says nothing about an answer that also changes with the time of the request.
  const sent = isRelative ? { ...preconditions, ifModifiedSince: null } : preconditions
  // Preconditions count only for a success (RFC 9110, 13.2.1), so a 304 reveals nothing that the caller may not see.
  // If-Match comes first, and needs the answer.
  const first = isTagged && sent.ifMatch === null ? early(sent) : none()
  const isHeld = ({ state, at }: Seen): boolean => {
    const tag = tagOf(state)
    return tag !== null && isKnown(state, at, tag, first)
  }
  const isCached = answerVersion(c.env) !== null && !wantsNoCache(c.req.raw.headers) && !explain
  const isOpen = isCached && takesEarlier(c, caller)
  const cache = isCached ? answerCache(c, key, cost, isOpen, isRelative ? RELATIVE_SECONDS : undefined) : null

  /** Returns the outcome for a state without a read. Null: neither the client nor a cache has the answer. */
  const known = async (seen: Seen, ofCache = cache): Promise<Outcome | null> => {
    if (isHeld(seen)) return { answer: null, ...seen }
    const answer = (await ofCache?.find(seen.state)) ?? null
    return answer && { answer, ...seen }
  }
  const read = async (db: Database, fresh: Seen | null): Promise<Outcome> => {
    const isAsked = first.ifNoneMatch !== null || first.ifModifiedSince !== null
    if (fresh === null && (isAsked || cache?.isExpensive)) {
      const at = Date.now()
      await db.read() // It costs one row.
      const found = await known({ state: db.state() ?? NO_STATE, at }, cache?.isExpensive ? cache : null)
      if (found !== null) return found
    }
    const at = Date.now()
    const answer = await compute(db)
    cache?.keep(db, answer)
    const state = db.state()
    if (state === null && isTagged) await db.read()
    return { answer, state: state ?? db.state() ?? NO_STATE, at }
  }

  let isStale = false
  const outcome = await withDatabase(c, caller, { cheap: cost === 'low', explain }, async (db) => {
    const fresh = isOpen ? await freshState(c, level) : null
    const found = fresh && (await known(fresh))
    if (found !== null) return found
    try {
      return await read(db, fresh)
    } catch (error) {
      const stale = isOpen && error instanceof DatabaseFault ? await staleState(c, level) : null
      const answer = stale && ((await cache?.find(stale.state)) ?? null)
      if (stale === null || answer === null) throw error
      // The state may have passed, so the client cannot hear that its answer is current.
      isStale = true
      c.set('age', Math.floor((Date.now() - stale.at) / 1000))
      c.header('Age', String(c.var.age))
      return { answer, ...stale }
    }
  })

  const { answer, state, at } = outcome
  const tag = answer?.tag ?? tagOf(state)
  const isSent = tag === null || isStale || !isKnownOrRefused(state, at, tag, sent)
  const modified = isRelative ? null : httpDate(state, at)
  setHeaders(c, { ...(tag && { ETag: tag }), ...(modified && { 'Last-Modified': modified }) })
  const isReused = mayBeOld && query.cacheControl === REVALIDATED
  const stored = isReused ? cacheControlOf(false, BROWSER_SECONDS, false) : query.cacheControl
  c.header('Cache-Control', explain ? 'no-store' : stored)
  if (isReused) c.header('Vary', varyOf(BROWSER_SECONDS))
  return isSent && answer !== null ? answerBody(c, query, answer) : c.body(null, 304)
}

/**
 * Returns true if a caller may get the answer of an earlier state. A caller with a key or a bookmark may have written.
 * `If-Match` may name a later state.
 */
const takesEarlier = ({ env, req }: RequestContext, { key }: Caller): boolean =>
  stateSecondsOf(env) > 0 && key === null && req.header(BOOKMARK) === undefined && req.header('If-Match') === undefined

/**
 * Returns the entity tag of an item. It has the state of the item, so that other writes keep it. Its digest has the
 * answer, because an event also shows its series. Undefined: the item has no state of its own.
 */
export const itemTag = async (
  { identity, caller: { level } }: Pick<Query, 'identity' | 'caller'>,
  { state }: Row,
  { body, title = '' }: Pick<Answer, 'title'> & { readonly body: object | string },
): Promise<string | undefined> => {
  if (typeof state !== 'string') return undefined
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return entityTag(state, level, await digest([...identity, String(level), title, text]))
}

const answerBody = (c: RequestContext, asked: Query, { headers, body, title, sent }: Answer): Response => {
  setHeaders(c, headers)
  const isWritten = typeof body === 'string' || body instanceof ReadableStream || body instanceof Uint8Array
  if (!isWritten) return answerDocument(c, asked, body, title)
  c.header('Content-Type', asked.format.contentType)
  if (!(body instanceof ReadableStream)) return sendBody(c, asked.caller, body)
  // Nothing reads the stream of a HEAD request to its end.
  if (sent === undefined || c.req.method === 'HEAD') return c.body(body)
  try {
    c.get('openStream')(asked.caller)
  } catch (error) {
    void body.cancel()
    throw error
  }
  c.set('sent', sent)
  return c.body(body)
}

/**
 * Answers with a body that is complete. A large one is sent as fast as the client takes it. The answer to a write is
 * never refused, because the write is done.
 */
export const sendBody = (c: RequestContext, caller: Caller, body: string | Uint8Array<ArrayBuffer>): Response => {
  if (body.length <= SMALL || c.req.method === 'HEAD' || isWrite(c)) return c.body(body)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const share = c.get('holdAnswer')(caller, bytes.length)
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  const stream = sendPieces(piecesOf(bytes), () => {
    share.end()
    resolve()
  })
  c.executionCtx.waitUntil(sent)
  // The runtime then sends the length.
  return c.body(stream.pipeThrough(new FixedLengthStream(bytes.length)))
}

/** Answers with a document. Writes JSON if the format is only for lists and items. */
export const answerDocument = (
  c: RequestContext,
  { format, page, base, caller }: Pick<Query, 'format' | 'page' | 'base' | 'caller'>,
  body: object,
  title = page.title,
  status: 200 | 201 = 200,
): Response => {
  const text = writeDocument(c, isItems(format) ? JSON_FORMAT : format, base, body, { ...page, title }, status)
  c.status(status)
  return sendBody(c, caller, text)
}

/** Writes a document with the headers that are set so far, and sets its media type. */
export const writeDocument = (
  c: RequestContext,
  { contentType, render }: DocumentFormat,
  base: string,
  body: object,
  page: PageHead,
  status: number,
): string => {
  c.header('Content-Type', contentType)
  const { method, url } = c.req
  const shown = { ...page, method, url, status, headers: c.res.headers, base, mapStyle: c.env.MAP_STYLE }
  return render(body, shown)
}
