import type { Caller } from '../caller.ts'
import { DOWNLOADS, mediaType } from '../downloads.ts'
import type { Row } from '../engine/conditions/table.ts'
import type { Database } from '../engine/run/database.ts'
import { type DocumentFormat, isItems, JSON_FORMAT } from '../formats/formats.ts'
import { MVT } from '../formats/mvt.ts'
import { formatState, type State } from '../state.ts'
import { piecesOf, SMALL, sendPieces } from '../transfers.ts'
import { answerCache, type CacheRules } from './cache.ts'
import { refuseFaults } from './parameters.ts'
import type { Answer, Bytes } from './places.ts'
import { digest, fullDigest } from './query.ts'
import { type Asked, type PageHead, RELATIVE_SECONDS } from './read.ts'
import { isWrite, type RequestContext, setHeaders } from './route.ts'
import { readAnswer, withDatabase } from './session.ts'
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
  varyOf,
} from './validators.ts'

/** How an answer is read. */
interface AnswerSource {
  readonly fetch: (db: Database) => Promise<Answer>
  /**
   * Selects the preconditions to check before the read. Absent: none, because the caller may not see the item, or it
   * may not exist.
   */
  readonly early?: (sent: Preconditions) => Preconditions
  /** How the caches serve the request. Null: no cache serves it. Absent: the read is cheap. */
  readonly cache?: CacheRules | null
  /** Further parts of the identity of the answer. */
  readonly more?: readonly string[]
  /** A browser may show the answer again for BROWSER_SECONDS, unless the caller has a key or a bookmark. */
  readonly mayBeOld?: boolean
  /** The answer has its plan, so no cache may store it. */
  readonly explain?: boolean
}

/** Answers a request: a 400 for faulty parameters, a 304, a 412, or what `fetch` reads. */
export const answer = async (c: RequestContext, asked: Asked, source: AnswerSource): Promise<Response> => {
  refuseFaults(asked.values)
  const { fetch, early = none, cache = CHEAP, more = [], mayBeOld = false, explain = false } = source
  const { caller, identity, cacheControl, isRelative } = asked
  const key = await fullDigest([...identity, String(caller.level), ...more])
  const isTagged = c.req.method !== 'POST' && !explain
  const tagOf = (state: State) => (isTagged ? entityTag(formatState(state), caller.level, key) : null)
  const preconditions = preconditionsOf(c.req.raw.headers)
  // The time of the last write says nothing about an answer that also changes with the time of the request.
  const sent = isRelative ? { ...preconditions, ifModifiedSince: null } : preconditions
  // Preconditions count only for a success (RFC 9110, 13.2.1), so a 304 reveals nothing that the caller may not see.
  // If-Match comes first, and needs the answer.
  const first = isTagged && sent.ifMatch === null ? early(sent) : none()
  const isHeld = (state: State, at: number) => {
    const tag = tagOf(state)
    return tag !== null && isKnown(state, at, tag, first)
  }
  const rules = cache && { ...cache, ...(isRelative && { seconds: RELATIVE_SECONDS }) }
  const caches = answerCache(c, caller, key, explain ? null : rules, fetch)
  const options = { cheap: cache?.cheap ?? false, explain }
  const { answer, state, at, isStale } = await withDatabase(c, caller, options, (db) =>
    readAnswer(c, db, caches, {
      isTagged,
      isHeld,
      hasFirst: (first.ifNoneMatch ?? first.ifModifiedSince) !== null,
    }),
  )
  const tag = answer?.tag ?? tagOf(state)
  const isSent = tag === null || isStale || !isKnownOrRefused(state, at, tag, sent)
  const modified = isRelative ? null : httpDate(state, at)
  setHeaders(c, { ...(tag && { ETag: tag }), ...(modified && { 'Last-Modified': modified }) })
  const isReused = mayBeOld && cacheControl === REVALIDATED
  const stored = isReused ? cacheControlOf(false, BROWSER_SECONDS, false) : cacheControl
  c.header('Cache-Control', explain ? 'no-store' : stored)
  if (isReused) c.header('Vary', varyOf(BROWSER_SECONDS))
  return isSent && answer !== null ? answerBody(c, asked, answer) : c.body(null, 304)
}

/**
 * Returns the entity tag of an item. It has the state of the item, so that other writes keep it. Its digest has the
 * answer, because an event also shows its series. Undefined: the item has no state of its own.
 */
export const itemTag = async (
  { identity, caller: { level } }: Pick<Asked, 'identity' | 'caller'>,
  { state }: Row,
  { body, title = '' }: Pick<Answer, 'title'> & { readonly body: object | string },
): Promise<string | undefined> => {
  if (typeof state !== 'string') return undefined
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return entityTag(state, level, await digest([...identity, String(level), title, text]))
}

const CHEAP: CacheRules = { expensive: false, cheap: true }

const answerBody = (c: RequestContext, asked: Asked, { headers, body, title, sent }: Answer): Response => {
  setHeaders(c, headers)
  const isWritten =
    body instanceof ReadableStream || body instanceof Uint8Array || (typeof body === 'string' && isItems(asked.format))
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
export const sendBody = (c: RequestContext, caller: Caller, body: string | Bytes): Response => {
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

/** Answers with a document, or with its JSON as a text. Writes JSON if the format is only for lists and items. */
export const answerDocument = (
  c: RequestContext,
  { format, page, base, caller }: Pick<Asked, 'format' | 'page' | 'base' | 'caller'>,
  body: object | string,
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
  body: object | string,
  page: PageHead,
  status: number,
): string => {
  c.header('Content-Type', contentType)
  const { method, url } = c.req
  const shown = { ...page, method, url, status, headers: c.res.headers, base, mapStyle: c.env.MAP_STYLE }
  return render(body, shown)
}

/** Cloudflare compresses GeoJSON by itself, as JSON and HTML. */
const BY_CLOUDFLARE = [mediaType(DOWNLOADS.geojson)]
/** The types that the Worker compresses. */
const PLAIN = [...Object.values(DOWNLOADS).map(mediaType), MVT].filter((type) => !BY_CLOUDFLARE.includes(type))

/** Marks an answer as compressed if the client accepts gzip. The runtime then compresses the body. */
export const compress = ({ status, headers }: Response, request: Request): void => {
  const [type] = (headers.get('Content-Type') ?? '').split(';')
  if (status !== 200 || !PLAIN.includes(type?.trim() ?? '')) return
  headers.append('Vary', 'Accept-Encoding')
  // Cloudflare replaces the header Accept-Encoding, and stores the value of the client here.
  const original = request.cf?.clientAcceptEncoding as string | undefined // a header is a text
  const accepted = original ?? request.headers.get('Accept-Encoding')
  if (takesGzip(accepted)) headers.set('Content-Encoding', 'gzip')
}

/** Returns true if the header Accept-Encoding allows gzip (RFC 9110, 12.5.3). Null: the client sent no such header. */
export const takesGzip = (acceptEncoding: string | null): boolean => {
  const weights = new Map(
    (acceptEncoding ?? '').split(',').map((entry) => {
      const [coding = '', ...parameters] = entry.toLowerCase().split(';')
      const weight = parameters.map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(text)?.[1]).find((value) => value)
      return [coding.trim(), Number(weight ?? 1)] as const
    }),
  )
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}

/**
 * Adds Content-Length to an answer, because the runtime adds it for GET but not for HEAD. A compressed body has none:
 * its length is unknown in advance.
 */
export const withLength = async (response: Response): Promise<Response> => {
  if ([204, 304].includes(response.status) || response.headers.has('Content-Encoding')) return response
  const body = await response.arrayBuffer()
  const measured = new Response(body, response)
  measured.headers.set('Content-Length', String(body.byteLength))
  return measured
}
