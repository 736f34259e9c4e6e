import { ACCESS_LEVELS } from '../access.ts'
import type { Caller } from '../caller.ts'
import { type Database, openDatabase } from '../engine/run/database.ts'
import { type DocumentFormat, isItems, JSON_FORMAT } from '../formats/formats.ts'
import { type Cacheable, type Content, throughCache } from './cache.ts'
import { BOOKMARK, type RequestContext, setHeaders } from './context.ts'
import { prefixOf } from './links.ts'
import { refuseFaults } from './parameters.ts'
import { digest } from './query.ts'
import type { Asked, PageHead } from './read.ts'
import {
  entityTag,
  isKnown,
  isKnownOrRefused,
  lastModified,
  none,
  type Preconditions,
  preconditionsOf,
  stateOf,
  wantsNoCache,
} from './validators.ts'
import { answerVersion } from './version.ts'

/** How the content of an answer is read. */
export interface ContentSource {
  readonly fetch: (db: Database) => Promise<Content>
  /**
   * Selects the preconditions to check before the read. Absent: none, because the caller may not see the item, or it
   * may not exist.
   */
  readonly early?: (sent: Preconditions) => Preconditions
  /** Every read takes a few milliseconds, see `Options` in src/engine/run/database.ts. */
  readonly cheap?: boolean
  /** The cache of the data centre may answer. `more` also identifies the answer. For `expensive` see `throughCache`. */
  readonly cache?: { readonly expensive: boolean; readonly more?: readonly string[] } | null
}

/** Answers a request: a 400 for faulty parameters, a 304, a 412, or the content. */
export const answer = async (c: RequestContext, asked: Asked, source: ContentSource): Promise<Response> => {
  refuseFaults(asked.values)
  const { fetch, early = none, cheap = false, cache = null } = source
  const cacheable = cache && cacheableOf(c, asked, cache.more)
  const cached = throughCache(cacheable, cache?.expensive === true, fetch)
  const content = await answerConditionally(c, asked, early, cached, cheap)
  return content === null ? c.body(null, 304) : answerContent(c, asked, content)
}

/** Writes the content of an answer, in the format of the request. */
const answerContent = (c: RequestContext, asked: Asked, { headers, body, title, sent }: Content): Response => {
  setHeaders(c, headers)
  const isWritten =
    body instanceof ReadableStream || body instanceof Uint8Array || (typeof body === 'string' && isItems(asked.format))
  if (!isWritten) return answerDocument(c, asked, body, title)
  c.header('Content-Type', asked.format.contentType)
  // Nothing reads the stream of a HEAD request to its end.
  if (sent !== undefined && c.req.method !== 'HEAD') c.set('sent', sent)
  return c.body(body)
}

/** Answers with a document, or with its JSON as a text. Writes JSON if the format is only for lists and items. */
export const answerDocument = (
  c: RequestContext,
  { format, page, base }: Pick<Asked, 'format' | 'page' | 'base'>,
  body: object | string,
  title = page.title,
  status: 200 | 201 = 200,
): Response => writeDocument(c, isItems(format) ? JSON_FORMAT : format, base, body, { ...page, title }, status)

/** Writes a document in a format. */
export const writeDocument = (
  c: RequestContext,
  { contentType, render }: DocumentFormat,
  base: string,
  body: object | string,
  page: PageHead,
  status: number,
): Response => {
  c.header('Content-Type', contentType)
  const { method, url } = c.req
  const shown = { ...page, method, url, status, headers: c.res.headers, prefix: prefixOf(base) }
  return c.body(render(body, { ...shown, mapStyle: c.env.MAP_STYLE }), status as 200)
}

/**
 * Returns how the edge cache stores the answer to a request. It is null if the client wants no cached answer, or if the
 * version of the code is unknown.
 */
const cacheableOf = (
  c: RequestContext,
  { caller: { level }, identity }: Asked,
  more: readonly string[] = [],
): Cacheable | null => {
  if (answerVersion(c.env) === null || wantsNoCache(c.req.raw.headers)) return null
  return {
    origin: new URL(c.req.url).origin,
    level,
    identity: [...identity, ...more],
    later: (promise) => c.executionCtx.waitUntil(promise),
    report: (cacheUse) => c.set('cacheUse', cacheUse),
  }
}

/**
 * Reads an answer with `fetch`, and sets its validators and Cache-Control. Null: the client already has the answer.
 * Throws a 412 if If-Match names another.
 */
const answerConditionally = async (
  c: RequestContext,
  { caller, identity, cacheControl }: Asked,
  early: (sent: Preconditions) => Preconditions,
  fetch: (db: Database) => Promise<Content>,
  cheap: boolean,
): Promise<Content | null> =>
  withDatabase(c, caller, { cheap }, async (db) => {
    const key = c.req.method === 'POST' ? null : await digest([...identity, String(caller.level)])
    const sent = preconditionsOf(c.req.raw.headers)
    // Preconditions count only for a success (RFC 9110, 13.2.1), so a 304 reveals nothing that the caller may not see.
    // A check before the read costs one row. If-Match comes first, and needs the answer.
    const first = sent.ifMatch === null ? early(sent) : none()
    if (key !== null && (first.ifNoneMatch ?? first.ifModifiedSince) !== null) await db.read()
    const isEarly = key !== null && isKnown(stateOf(db), entityTag(stateOf(db), key), first)
    const content = isEarly ? null : await fetch(db)
    // An answer without rows needs the state for its entity tag.
    if (key !== null && db.state() === null) await db.read()
    const state = stateOf(db)
    const tag = key === null ? null : entityTag(state, key)
    const known = tag !== null && isKnownOrRefused(state, tag, sent)
    if (tag !== null) c.header('ETag', tag)
    const modified = lastModified(state, Date.now())
    if (modified !== null) c.header('Last-Modified', modified)
    c.header('Cache-Control', cacheControl)
    return known ? null : content
  })

/** Opens a database for one request, and reports the cost and the bookmark at the end. Planning ends here. */
export const withDatabase = async <T>(
  c: RequestContext,
  { level }: Caller,
  options: { readonly cheap?: boolean; readonly primary?: boolean },
  use: (db: Database) => Promise<T>,
): Promise<T> => {
  const planned = performance.now()
  const reading = options.primary ? {} : { bookmark: c.req.header(BOOKMARK) ?? null, onRead: c.get('onRead') }
  const db = openDatabase(c.env.DB, { ...options, ...reading })
  try {
    return await use(db)
  } finally {
    const bookmark = db.bookmark()
    if (bookmark !== null) c.header(BOOKMARK, bookmark)
    const open = c.env.SHOW_COST === 'true' || level >= ACCESS_LEVELS.Hidden
    const cacheUse = c.get('cacheUse') ?? 'none'
    c.set('timing', { cost: db.cost, cacheUse, planned, paged: performance.now(), open })
  }
}
