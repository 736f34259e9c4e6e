import { type Caller, mayBeShared } from '../caller.ts'
import { ValueError } from '../errors.ts'
import { jsonOf } from '../formats/formats.ts'
import { htmlOf } from '../formats/html.ts'
import type { ItemWriter } from '../formats/items.ts'
import { streamed } from '../formats/stream.ts'
import { noMistakes } from '../mistakes.ts'
import type { Database } from '../query/db/d1.ts'
import type { Row } from '../query/table.ts'
import { type Content, throughCache } from '../request/cache.ts'
import { cacheableOf, type RequestContext, setHeaders } from '../request/context.ts'
import { answerConditionally } from '../request/endpoint.ts'
import { baseOf, prefixOf } from '../request/links.ts'
import { readFormat } from '../request/negotiate.ts'
import { type Known, read, refuseFaults, type Values, valuesOf } from '../request/parameters.ts'
import { formatQuery, type Parameter } from '../request/query.ts'
import { cacheControl, none, type Preconditions, secondsOf } from '../request/validators.ts'
import { answerVersion } from '../request/version.ts'
import { MVT } from '../tiles/mvt.ts'

/** The path of the landing page. The paths of OGC API - Features begin with it. */
export const ROOT = '/ogc'

export const JSON_TYPE = 'application/json'
export const GEOJSON = 'application/geo+json'
export const HTML = 'text/html'
export const SCHEMA = 'application/schema+json'
export const OPENAPI = 'application/vnd.oai.openapi+json;version=3.0'

/** A request to an address of OGC API - Features. */
export interface Asked {
  readonly caller: Caller
  readonly values: Values
  readonly parameters: readonly Parameter[]
  /** The base of all addresses, and the address of the landing page. Neither ends in a slash. */
  readonly base: string
  readonly root: string
  /** The address of the request. The query and a slash at its end are removed. */
  readonly address: string
  /** The media type of the answer. */
  readonly type: string
  /** Returns the texts that identify the answer at an address without a query. The entity tag contains their digest. */
  readonly of: (address: string) => readonly string[]
  /** Answers with a document, or with its JSON as a text. */
  readonly answer: (body: object | string, title: string) => Response
  /** Reads the data of the answer. Null: the client already has the answer, so send a 304. */
  readonly read: <T>(fetch: (db: Database) => Promise<T>) => Promise<T | null>
  /** Makes a body that is sent while its rows are read. */
  readonly stream: (writing: ItemWriter, batches: AsyncGenerator<readonly Row[], void>) => ReadableStream<Uint8Array>
  /**
   * Answers with the content that `fetch` reads. If `expensive`, the cache may answer. `early` selects the
   * preconditions to check before the read. By default there are none, because the resource may be hidden. For `cheap`
   * see src/query/db/d1.ts.
   */
  readonly serve: (
    expensive: boolean,
    fetch: (db: Database) => Promise<Content>,
    early?: Early,
    cheap?: boolean,
  ) => Promise<Response>
}

type Early = (sent: Preconditions) => Preconditions

/** The parameter of every address for the form of the answer. */
export const F = { name: 'f', values: ['json', 'geojson', 'html'] } as const

/**
 * Reads a request. `types`: the media types of the answer other than HTML, the default first. Throws a 406 for another
 * type in Accept. `answer` and `read` throw a 400 for faulty parameters.
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
  const of = (path: string, query = '') => [path, query, type, answerVersion(c.env) ?? '']
  const identity = of(address, formatQuery(sent))
  const cachePolicy = cacheControl(caller.key !== null, secondsOf(c.env), mayBeShared(caller, c.env))
  const request = { caller, identity, cacheControl: cachePolicy }
  const readNow = <T>(fetch: (db: Database) => Promise<T>, early: Early, cheap: boolean): Promise<T | null> => {
    refuseFaults(values)
    const fetchAndTag = async (db: Database) => {
      const result = await fetch(db)
      // An answer without rows needs the state for its entity tag.
      if (db.state() === null) await db.read()
      return result
    }
    return answerConditionally(c, request, early, fetchAndTag, cheap)
  }
  const stream: Asked['stream'] = (writing, batches) => {
    const { body, sent } = streamed([writing, batches])
    // Nothing reads the stream of a HEAD request to its end.
    if (c.req.method !== 'HEAD') c.set('sent', sent)
    return body
  }
  const serve: Asked['serve'] = async (expensive, fetch, early = none, cheap = false) => {
    const content = await readNow(throughCache(cheap ? null : cacheableOf(c, request), expensive, fetch), early, cheap)
    if (content === null) return c.body(null, 304)
    setHeaders(c, content.headers)
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

/** Joins repeated datetimes by a separator. GDAL repeats the parameter for two conditions, and both apply. */
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
/** A character that no instant contains. */
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
  const contentType = readFormat({ bytes: new Map(), mistakes: noMistakes() }, accept, offered).contentType
  // GeoJSON is JSON. A client that accepts JSON gets it with the type of GeoJSON.
  return contentType === JSON_TYPE && isFeatures ? GEOJSON : contentType
}
