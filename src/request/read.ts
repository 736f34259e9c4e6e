import { type Caller, mayBeShared } from '../caller.ts'
import { type Format, isFlat } from '../formats/formats.ts'
import type { Links } from '../resource.ts'
import { BOOKMARK, queryOf, type RequestContext, surfaceOf } from './context.ts'
import { baseOf, linksOf } from './links.ts'
import { type Offer, readFormat } from './negotiate.ts'
import { requestsAll } from './page.ts'
import { type Known, read, type Values, valuesOf } from './parameters.ts'
import { formatQuery, type Parameter, partsOf } from './query.ts'
import { cacheControl, secondsOf } from './validators.ts'
import { answerVersion } from './version.ts'

/** The heading of the HTML page, and facts about the address for its controls. */
export interface PageHead {
  readonly title: string
  readonly about?: () => object
}

/** How an address reads its requests. */
export interface Reading extends PageHead {
  readonly known: Known
  readonly offer: Offer
  /** Absent: those of the address. */
  readonly parameters?: readonly Parameter[]
}

/** A request to any address. */
export interface Asked {
  readonly caller: Caller
  readonly parameters: readonly Parameter[]
  readonly values: Values
  readonly format: Format
  /** The start of all addresses, without a slash at its end. */
  readonly base: string
  /** The absolute address of the request, without the query. */
  readonly address: string
  readonly links: Links
  /** Identifies the answer, together with the state of the data and the level of the caller. */
  readonly identity: readonly (string | Uint8Array)[]
  /** The header Cache-Control of the answer. */
  readonly cacheControl: string
  readonly page: PageHead
}

/** Reads a request. Throws a 406 if Accept excludes all formats. Other mistakes are in `values`. */
export const readAsked = (
  c: RequestContext,
  caller: Caller,
  { known, offer, parameters = queryOf(c), ...page }: Reading,
): Asked => {
  c.set('asked', { caller, parameters: parameters.map(({ name }) => name) })
  const { takesPreferences } = surfaceOf(c)
  const header = (name: string) => c.req.header(name) ?? null
  const isPost = c.req.method === 'POST'
  // A DELETE is never lenient. An ignored parameter might be the filter that protects an item.
  const lenient = takesPreferences && c.req.method !== 'DELETE' && LENIENT.test(header('Prefer') ?? '')
  if (lenient) c.header('Preference-Applied', 'handling=lenient')
  const values = valuesOf(parameters, known, lenient)
  const format = readFormat(values, header('Accept'), offer)
  const url = new URL(c.req.url)
  const base = baseOf(url, c.env.BASE_URL)
  const path = c.get('route')?.path.endsWith('/') ? url.pathname : url.pathname.replace(/\/+$/, '')
  const address = `${base}${path}`
  // A posted query may be long, so its parameters stay in bytes.
  const sent = isPost
    ? ['POST', address, formatQuery(queryOf(c)), ...partsOf(parameters)]
    : [address, formatQuery(parameters)]
  const hasBookmark = takesPreferences && header(BOOKMARK) !== null
  // Some shared caches ignore the host, and none has room for a whole result.
  const shared = mayBeShared(caller, c.env) && !requestsAll(values)
  const carried = isFlat(format) ? null : read(values, 'format', (name) => name, null)
  return {
    ...{ caller, parameters, values, format, base, address, page },
    links: linksOf(base, carried),
    identity: identityOf(c, sent, format, lenient),
    cacheControl: cacheControl(caller.key !== null || isPost || lenient || hasBookmark, secondsOf(c.env), shared),
  }
}

const LENIENT = /(^|,)\s*handling\s*=\s*"?lenient"?\s*(;|,|$)/i

/** Returns what identifies an answer. `sent` has the address and the query. */
export const identityOf = (
  { env }: RequestContext,
  sent: Asked['identity'],
  { contentType }: Format,
  lenient = false,
): Asked['identity'] => [...sent, contentType, String(lenient), answerVersion(env) ?? '']
