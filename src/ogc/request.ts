import { type Caller, mayBeShared } from '../caller.ts'
import { ValueError } from '../errors.ts'
import { jsonOf, readFormat } from '../formats/formats.ts'
import { htmlOf } from '../formats/html.ts'
import type { Writing } from '../formats/items.ts'
import { streamed } from '../formats/stream.ts'
import { type Content, throughCache } from '../http/kept.ts'
import { baseOf, prefixOf } from '../http/links.ts'
import { type Known, read, refuseFaults, type Values, valuesOf } from '../http/parameters.ts'
import { formatQuery, type Parameter } from '../http/query.ts'
import { cacheControl, none, type Preconditions, secondsOf } from '../http/validators.ts'
import { answerVersion } from '../http/version.ts'
import { keepableOf, type RequestContext, say } from '../list/context.ts'
import { readUnlessKnown } from '../list/endpoint.ts'
import { noMistakes } from '../mistakes.ts'
import type { Database } from '../query/db/d1.ts'
import type { Row } from '../query/table.ts'
import { MVT } from '../tiles/mvt.ts'

/** Where everything here begins, below the base of all addresses. */
export const ROOT = '/ogc'

export const JSON_TYPE = 'application/json'
export const GEOJSON = 'application/geo+json'
export const HTML = 'text/html'
export const SCHEMA = 'application/schema+json'
export const OPENAPI = 'application/vnd.oai.openapi+json;version=3.0'

/** A request at an address here. */
export interface Asked {
  readonly caller: Caller
  readonly values: Values
  readonly parameters: readonly Parameter[]
  /** The base of all addresses, and of those here; none has a slash at its end. */
  readonly base: string
  readonly root: string
  /** Its own address, without a slash at its end and without the query. */
  readonly address: string
  /** The media type of the answer. */
  readonly type: string
  /** What sets the answer at an address, without a query, apart from others in the same form. */
  readonly of: (address: string) => readonly string[]
  /** Writes a document, or its JSON. */
  readonly answer: (body: object | string, title: string) => Response
  /** What is read for it, or null where the client has the answer already. */
  readonly read: <T>(fetch: (db: Database) => Promise<T>) => Promise<T | null>
  /** A body that is sent as it is read. */
  readonly stream: (writing: Writing, batches: AsyncGenerator<readonly Row[], void>) => ReadableStream<Uint8Array>
  /**
   * Answers with the content that `fetch` reads. `dear`: the cache may answer, too. `early`: the preconditions that are
   * checked before the read; by default none, as the resource may not exist for this caller. `cheap`: see src/query/db/d1.ts.
   */
  readonly serve: (
    dear: boolean,
    fetch: (db: Database) => Promise<Content>,
    early?: Early,
    cheap?: boolean,
  ) => Promise<Response>
}

type Early = (sent: Preconditions) => Preconditions

/** The parameter of all addresses: how the answer is written. */
export const F = { name: 'f', values: ['json', 'geojson', 'html'] } as const

/**
 * Reads a request. `types`: what the answer can be written as beside HTML, the first where Accept leaves it open. Throws a
 * 400 for the faults of its parameters once it is asked for `answer` or `read`, and a 406.
 */
export const readAsked = (
  c: RequestContext,
  caller: Caller,
  sent: readonly Parameter[],
  known: Known,
  types: readonly string[],
): Asked => {
  const parameters = onceEach(sent)
  const values = valuesOf(parameters, { ...known, names: [F.name, ...known.names] }, false)
  const type = typeOf(values, c.req.header('Accept') ?? null, types)
  const url = new URL(c.req.url)
  const base = baseOf(url, c.env.BASE_URL)
  const address = `${base}${url.pathname.replace(/\/+$/, '')}`
  const render = type === HTML ? htmlOf : jsonOf
  const answer = (body: object | string, title: string) => {
    c.header('Content-Type', type === HTML ? `${HTML}; charset=utf-8` : type)
    const context = {
      title,
      method: c.req.method,
      url: c.req.url,
      status: 200,
      headers: c.res.headers,
      prefix: prefixOf(base),
      mapStyle: c.env.MAP_STYLE,
    }
    return c.body(render(body, context))
  }
  const of = (at: string, query = '') => [at, query, type, answerVersion(c.env) ?? '']
  const identity = of(address, formatQuery(sent))
  const kept = cacheControl(caller.key !== null, secondsOf(c.env), mayBeShared(caller, c.env))
  const request = { caller, identity, cacheControl: kept }
  const readNow = <T>(fetch: (db: Database) => Promise<T>, early: Early, cheap: boolean): Promise<T | null> => {
    refuseFaults(values)
    const fetchAndTag = async (db: Database) => {
      const found = await fetch(db)
      // What is told of no row is tagged by the state, too.
      if (db.state() === null) await db.read()
      return found
    }
    return readUnlessKnown(c, request, early, fetchAndTag, cheap)
  }
  const stream: Asked['stream'] = (writing, batches) => {
    const { body, sent } = streamed(writing, batches)
    // The stream of an answer to HEAD is never read to its end.
    if (c.req.method !== 'HEAD') c.set('sent', sent)
    return body
  }
  const serve: Asked['serve'] = async (dear, fetch, early = none, cheap = false) => {
    const content = await readNow(throughCache(cheap ? null : keepableOf(c, request), dear, fetch), early, cheap)
    if (content === null) return c.body(null, 304)
    say(c, content.headers)
    const { body, title = '' } = content
    if (!(body instanceof Uint8Array || body instanceof ReadableStream)) return answer(body, title)
    c.header('Content-Type', type)
    return c.body(body)
  }
  return {
    ...{ caller, values, parameters, base, root: `${base}${ROOT}`, address, type, of },
    ...{ answer, stream, read: (fetch) => readNow(fetch, none, true), serve },
  }
}

/** A datetime may be given several times, as GDAL does for two conditions: all of them hold. They stay apart by a blank. */
const onceEach = (parameters: readonly Parameter[]): Parameter[] => {
  const times = parameters.filter(({ name }) => name === DATETIME)
  if (times.length < 2) return [...parameters]
  const joined = times.map(({ bytes }) => new TextDecoder().decode(bytes)).join(SEPARATOR)
  return [
    ...parameters.filter(({ name }) => name !== DATETIME),
    { name: DATETIME, bytes: new TextEncoder().encode(joined) },
  ]
}

export const DATETIME = 'datetime'
/** Stands in no instant. */
export const SEPARATOR = '\n'

const typeOf = (values: Values, accept: string | null, types: readonly string[]): string => {
  const [isFeatures, isTile] = [types.includes(GEOJSON), types.includes(MVT)]
  const names = isTile ? ['mvt'] : F.values.filter((name) => name !== 'geojson' || isFeatures)
  const [first = JSON_TYPE] = types
  const named = read(
    values,
    F.name,
    (text) => {
      if (!names.some((name) => name === text)) throw new ValueError(`Enter one of ${names.join(', ')}.`)
      return text === 'html' ? HTML : first
    },
    null,
  )
  if (named !== null) return named
  const others = isTile ? [] : [...(types.includes(JSON_TYPE) ? [] : [JSON_TYPE]), HTML]
  const offered = [...types, ...others].map((contentType) => ({ contentType, render: () => '' }))
  const chosen = readFormat({ bytes: new Map(), mistakes: noMistakes() }, accept, offered).contentType
  // GeoJSON is JSON: who asks for that gets it under its own name.
  return chosen === JSON_TYPE && isFeatures ? GEOJSON : chosen
}
