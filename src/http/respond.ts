import { DatabaseFault } from '../base/errors.ts'
import { piecesOf, SMALL, sendPieces } from '../base/transfers.ts'
import type { FoundItem, Reader } from '../engine/engine.ts'
import { formatState, type State } from '../engine/state.ts'
import { type DocumentFormat, isItems, JSON_FORMAT } from '../formats/formats.ts'
import { type Answer, answerCache, type ReadCost } from './cache.ts'
import type { Caller } from './caller.ts'
import { refuseFaults } from './parameters.ts'
import { digest, fullDigest } from './query.ts'
import type { Query } from './read.ts'
import { isWrite, type RequestContext, setHeaders } from './route.ts'
import { recentState, type SeenState, withReader } from './session.ts'
import { entityTag, httpDate, isHeld, reusable, STALE_SECONDS, tagTest } from './validators.ts'

interface AnswerRules {
  /** The answer exists for every caller, so its tag may decide a 304 before the read. A client could invent other tags. */
  readonly exists?: boolean
  readonly cost?: ReadCost
  /** A browser may show the answer again for some seconds, unless the caller has a key or a bookmark. */
  readonly mayBeOld?: boolean
  /** The answer has its plan, so no cache may store it. */
  readonly explain?: boolean
  /** The answer has the newest data. */
  readonly newest?: boolean
}

/** An answer for a state of the data. Null: the client has it. */
interface Outcome extends Pick<SeenState, 'at'> {
  readonly answer: Answer | null
  /** Null: the database does not tell its state. */
  readonly state: State | null
  /** The database failed, and the state may have passed. */
  readonly isStale?: true
  /** The data changed between the reads, so the answer belongs to no state. */
  readonly isMixed?: boolean
}

/**
 * Answers a request: a 400 for faulty parameters, a 304, a 412, or what `compute` reads. The answer comes from a cache if
 * the state of the data was read a moment ago, or else from the database. If that fails, an answer of the last minute is
 * better than none.
 */
export const respond = async (
  c: RequestContext,
  query: Query,
  compute: (reader: Reader) => Promise<Answer>,
  rules: AnswerRules = {},
): Promise<Response> => {
  refuseFaults(query.values)
  const { exists = false, cost = 'low', explain = false, newest = false } = rules
  const { caller, identity } = query
  const key = await fullDigest([...identity, String(caller.level)])
  const isTagged = c.req.method !== 'POST' && !explain
  const tagOf = (state: State) => (isTagged ? entityTag(formatState(state), caller.level, key) : null)
  const isHeldTag = exists && isTagged ? tagTest(c.req.raw.headers) : null
  const cache = answerCache(c, query, key, cost)
  /** Finds the answer for a state without a read: the client or a cache has it. Null: the Worker must read it. */
  const known = async (seen: SeenState): Promise<Outcome | null> => {
    if (isHeldTag?.(tagOf(seen.state) ?? '')) return { ...seen, answer: null }
    const answer = (await cache?.find(seen.state)) ?? null
    return answer && { ...seen, answer }
  }
  const find = async (reader: Reader): Promise<Outcome> => {
    const recent = cache?.isOpen ? recentState(c.env, caller.level) : null
    const seen = recent ?? (isHeldTag !== null || (await cache?.mayHave()) ? await readState(reader) : null)
    const found = seen && (await known(seen))
    if (found !== null) return found
    const at = Date.now()
    const answer = await reader.atOneState(() => compute(reader))
    cache?.keep(reader, answer)
    const seenAfter = reader.cost.roundTrips === 0 ? await readState(reader) : null
    return { answer, state: reader.state(), at: seenAfter?.at ?? at, isMixed: !reader.isOneState() }
  }
  const found = await withReader(c, caller, { cheap: cost === 'low', explain, newest }, (reader) =>
    find(reader).catch(async (error: unknown): Promise<Outcome> => {
      const isFault = cache?.isOpen && error instanceof DatabaseFault
      const stale = isFault ? recentState(c.env, caller.level, STALE_SECONDS) : null
      const answer = stale && (await cache?.find(stale.state))
      if (!stale || !answer) throw error
      return { ...stale, answer, isStale: true }
    }),
  )
  const { answer, state, isMixed } = found
  // A database may not tell its state, and a stream has no digest.
  const hasDigest = answer !== null && isTagged && !(answer.body instanceof ReadableStream)
  const tagOfAnswer = async () => (state === null ? hasDigest && digestTag(query, 'body', answer) : tagOf(state))
  return answerFound(c, query, rules, found, answer?.tag ?? ((!isMixed && (await tagOfAnswer())) || null))
}

/** Reads the state of the data, which costs one row. Null: the database does not tell it. */
const readState = async (reader: Reader): Promise<SeenState | null> => {
  const at = Date.now()
  await reader.refresh()
  const state = reader.state()
  return state && { state, at }
}

/** A page of ids has the same body after a change of their number. */
type Tagged = Pick<Answer, 'body' | 'title' | 'head'> & Partial<Pick<Answer, 'headers'>>

/** Returns an entity tag with a digest of the answer. */
const digestTag = async (
  { identity, caller: { level } }: Pick<Query, 'identity' | 'caller'>,
  state: string,
  { body, headers = {}, title = '', head = '' }: Tagged,
): Promise<string> => {
  const written = body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body)
  const parts = [...identity, String(level), title + head, headers['X-Total-Count'] ?? '', written]
  return entityTag(state, level, await digest(parts))
}

/** Sends an answer, or a 304 if the client has it. Throws a 412 if `If-Match` names another one. */
const answerFound = (
  c: RequestContext,
  query: Query,
  { mayBeOld, explain }: AnswerRules,
  { answer, state, at, isStale, isMixed }: Outcome,
  tag: string | null,
): Response => {
  // The time of the last write says nothing about an answer that also changes with the time of the request.
  const modified = query.isRelative || isMixed || state === null ? null : httpDate(state, at)
  // The state may have passed, so the client cannot hear that its answer is current.
  const isKnown = answer === null || (!isStale && tag !== null && isHeld(c.req.raw.headers, tag, modified))
  const age = Math.floor((Date.now() - at) / 1000)
  if (isStale) c.var.trace.age = age
  setHeaders(c, {
    ...(explain || isMixed
      ? { 'Cache-Control': 'no-store' }
      : { 'Cache-Control': query.cacheControl, ...(mayBeOld && reusable(query.cacheControl)) }),
    ...(tag && { ETag: tag }),
    ...(modified && { 'Last-Modified': modified }),
    ...(isStale && { Age: String(age) }),
  })
  return isKnown ? c.body(null, 304) : answerBody(c, query, answer)
}

/**
 * Returns the entity tag of an item. It has the state of the item, so that other writes keep it. Its digest has the
 * answer, because an event also shows its series. Undefined: the item has no state of its own.
 */
export const itemTag = async (
  query: Pick<Query, 'identity' | 'caller'>,
  tag: FoundItem['tag'],
  answer: Tagged,
): Promise<string | undefined> => (tag === null ? undefined : digestTag(query, tag, answer))

const answerBody = (c: RequestContext, asked: Query, { headers, body, title, head, sent }: Answer): Response => {
  setHeaders(c, headers)
  const isWritten = typeof body === 'string' || body instanceof ReadableStream || body instanceof Uint8Array
  if (!isWritten) return answerDocument(c, { ...asked, page: { ...asked.page, head } }, body, title)
  c.header('Content-Type', asked.format.contentType)
  if (!(body instanceof ReadableStream)) return sendBody(c, asked.caller, body)
  // Nothing reads the stream of a HEAD request to its end.
  if (sent === undefined || c.req.method === 'HEAD') return c.body(body)
  try {
    c.var.admission.openStream(asked.caller)
  } catch (error) {
    void body.cancel()
    throw error
  }
  c.var.trace.sent = sent
  return c.body(body)
}

/**
 * Answers with a body that is complete. A large one is sent as fast as the client takes it. The answer to a write is
 * never refused, because the write is done.
 */
export const sendBody = (c: RequestContext, caller: Caller, body: string | Uint8Array<ArrayBuffer>): Response => {
  if (body.length <= SMALL || c.req.method === 'HEAD' || isWrite(c)) return c.body(body)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const share = c.var.admission.hold(caller, bytes.length)
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
  page: Query['page'],
  status: number,
): string => {
  c.header('Content-Type', contentType)
  const { method, url } = c.req
  const shown = { ...page, method, url, status, headers: c.res.headers, base, mapStyle: c.env.MAP_STYLE }
  return render(body, shown)
}
