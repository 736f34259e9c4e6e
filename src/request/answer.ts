import { ACCESS_LEVELS } from '../access.ts'
import type { Caller } from '../caller.ts'
import { DOWNLOADS, mediaType } from '../downloads.ts'
import { fetchItem } from '../engine/read.ts'
import { type Database, openDatabase } from '../engine/run/database.ts'
import { notFound } from '../errors.ts'
import { type DocumentFormat, isItems, JSON_FORMAT } from '../formats/formats.ts'
import type { Resource } from '../resource.ts'
import { MVT } from '../tiles/mvt.ts'
import { type Answer, type CacheRules, throughCache } from './cache.ts'
import { refuseFaults } from './parameters.ts'
import { digest } from './query.ts'
import type { Asked, PageHead } from './read.ts'
import { BOOKMARK, type RequestContext, setHeaders } from './route.ts'
import {
  entityTag,
  httpDate,
  isKnown,
  isKnownOrRefused,
  none,
  type Preconditions,
  preconditionsOf,
  stateOf,
} from './validators.ts'

/** How an answer is read. */
interface AnswerSource {
  readonly fetch: (db: Database) => Promise<Answer>
  /**
   * Selects the preconditions to check before the read. Absent: none, because the caller may not see the item, or it
   * may not exist.
   */
  readonly early?: (sent: Preconditions) => Preconditions
  /** Every read takes a few milliseconds, see `Options` in src/engine/run/database.ts. */
  readonly cheap?: boolean
  /** Null: the edge cache is not used. */
  readonly cache?: CacheRules | null
  /** The answer has its plan, so no cache may store it. */
  readonly explain?: boolean
}

/** Answers a request: a 400 for faulty parameters, a 304, a 412, or what `fetch` reads. */
export const answer = async (
  c: RequestContext,
  asked: Asked,
  { fetch, early = none, cheap = false, cache = null, explain = false }: AnswerSource,
): Promise<Response> => {
  refuseFaults(asked.values)
  const { caller, identity, cacheControl } = asked
  const read = cache === null ? fetch : throughCache(c, asked, cache, fetch)
  const found = await withDatabase(c, caller, { cheap, explain }, async (db) => {
    const key = c.req.method === 'POST' || explain ? null : await digest([...identity, String(caller.level)])
    const sent = preconditionsOf(c.req.raw.headers)
    // Preconditions count only for a success (RFC 9110, 13.2.1), so a 304 reveals nothing that the caller may not see.
    // A check before the read costs one row. If-Match comes first, and needs the answer.
    const first = sent.ifMatch === null ? early(sent) : none()
    if (key !== null && (first.ifNoneMatch ?? first.ifModifiedSince) !== null) await db.read()
    const isEarly = key !== null && isKnown(stateOf(db), entityTag(stateOf(db), key), first)
    const found = isEarly ? null : await read(db)
    // An answer without rows needs the state for its entity tag.
    if (key !== null && db.state() === null) await db.read()
    const state = stateOf(db)
    const tag = key === null ? null : entityTag(state, key)
    const known = tag !== null && isKnownOrRefused(state, tag, sent)
    const modified = httpDate(state, Date.now())
    setHeaders(c, { ...(tag && { ETag: tag }), ...(modified && { 'Last-Modified': modified }) })
    c.header('Cache-Control', explain ? 'no-store' : cacheControl)
    return known ? null : found
  })
  if (found === null) return c.body(null, 304)
  const { headers, body, title, sent } = found
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
  const prefix = new URL(base).pathname.replace(/\/$/, '')
  const shown = { ...page, method, url, status, headers: c.res.headers, prefix, mapStyle: c.env.MAP_STYLE }
  return c.body(render(body, shown), status as 200)
}

/** Returns true if a caller may see the cost of a request. The cost can reveal something about hidden rows. */
export const seesCost = ({ env }: RequestContext, level: number): boolean =>
  env.SHOW_COST === 'true' || level >= ACCESS_LEVELS.Hidden

/** Opens a database for one request, and reports the cost and the bookmark at the end. Planning ends here. */
export const withDatabase = async <T>(
  c: RequestContext,
  { level }: Caller,
  options: { readonly cheap?: boolean; readonly primary?: boolean; readonly explain?: boolean },
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
    const open = seesCost(c, level)
    const cacheUse = c.get('cacheUse') ?? 'none'
    c.set('timing', { cost: db.cost, cacheUse, planned, paged: performance.now(), open })
  }
}

/**
 * Returns the list at an address. It may belong to an item of another list: throws a 404 if the caller does not see
 * that item.
 */
export const listUnder = async (
  c: RequestContext,
  resource: Resource,
  db: Database,
  level: number,
): Promise<Resource> => {
  const { under } = resource
  if (under === undefined) return resource
  const { parent, of } = under
  const row = await fetchItem(db, parent, parent.find(c.req.param(parent.key.name) ?? ''), level)
  if (row === null) throw notFound()
  return of(row)
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
