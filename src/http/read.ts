import { version } from '../../package.json'
import { type Codes, detail, mistake } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { FileFormat } from '../formats/downloads.ts'
import { type Format, isFlat } from '../formats/formats.ts'
import { PAGE_FILES } from '../formats/pageFiles.ts'
import type { Links } from '../model/kinds.ts'
import { type Caller, mayBeShared } from './caller.ts'
import { CODE } from './code.ts'
import type { Env } from './env.ts'
import { type Offer, readFormat } from './offer.ts'
import { ALL, checkDear, type Known, meant, type QueryValues, read, textIn, valuesOf } from './parameters.ts'
import { formatQuery, keyParts, type Parameter, POSTED, parseQuery } from './query.ts'
import {
  BOOKMARK,
  baseOf,
  FORM,
  isOfType,
  isWrite,
  queryOf,
  type RequestContext,
  sentBody,
  surfaceOf,
} from './route.ts'
import { cacheControl, secondsOf } from './validators.ts'

/** The heading of the HTML page, and facts about the address for its controls. */
interface PageHead {
  readonly title: string
  readonly about?: () => object
  /** More elements in the head of the page. */
  readonly head?: string | undefined
  readonly faults?: Codes | undefined
}

/** A request as values, before its list is known. */
export interface Query {
  readonly caller: Caller
  readonly engine: Engine
  /** The parameters of the address and of a posted form, with instants in place of times relative to now. */
  readonly parameters: readonly Parameter[]
  /** The same as the client sent them, so `now-7d` stays. */
  readonly asked: readonly Parameter[]
  /** The parameters that the addresses of other pages carry. */
  readonly linked: readonly Parameter[]
  /** The body names a page or an offset, so each link names its own. */
  readonly pageInBody: boolean
  /** Each hint in a link starts with this text. It is POSTED if the link asks the same only with the body. */
  readonly hintStart: typeof POSTED | ''
  readonly isRelative: boolean
  readonly values: QueryValues
  readonly format: Format
  /** The start of all addresses, without a slash at its end. */
  readonly base: string
  /** The absolute address of the request, without the query. */
  readonly address: string
  readonly links: Links
  /** Identifies the answer, together with the state of the data and the level of the caller. */
  readonly identity: readonly (string | Uint8Array)[]
  readonly cacheControl: string
  readonly page: PageHead
}

/** The parameters that belong to one page, so the addresses of others have their own. */
export const OF_ONE_PAGE: readonly string[] = ['page', 'offset', 'hint', 'explain']

/** Reads a request. Throws a 406 if Accept excludes all formats. Other mistakes are in `values`. */
export const readQuery = (c: RequestContext, caller: Caller, known: Known, offer: Offer, page: PageHead): Query => {
  const { words, lists, sentAs, takesBookmarks } = surfaceOf(c)
  const isPost = c.req.method === 'POST'
  const takesForm = takesQueries(c)
  const inUrl = meant(known, queryOf(c))
  const inBody = takesForm && isPost ? unreplaced(meant(known, formOf(c)), inUrl) : []
  const asked = [...inUrl, ...inBody]
  const { isRelative, rest, ...given } = atTime(known, inUrl, inBody, Date.now())
  const [linked, parameters] = [sentAs(given.linked), sentAs([...given.linked, ...rest])]
  c.var.trace.parameters = parameters.map(({ name }) => name)
  c.var.admission.onRead?.(checkDear(parameters))
  const file = c.var.route?.file
  const named = valuesOf(parameters, known, lists)
  const values = file === undefined ? named : inFile(named, file)
  // The address alone would ask for other items, such as all of them.
  if (takesForm && !isPost && textIn(values, 'hint').startsWith(POSTED))
    mistake(values.mistakes, 'hint', 'This address continues a posted query. Post the same body to it.')
  const format = readFormat(values, known, words.format, c.req.header('Accept') ?? null, offer)
  const base = baseOf(c)
  const address = base + pathOf(c)
  const pageInBody = inBody.some(({ name }) => name === 'page' || name === 'offset')
  const needsBody = rest.some(({ name }) => !OF_ONE_PAGE.includes(name))
  const sent = isPost
    ? ['POST', address, formatQuery(linked), ...keyParts(parameters), pageInBody ? 'page' : '']
    : [address, formatQuery(parameters)]
  const hasBookmark = takesBookmarks && c.req.header(BOOKMARK) !== undefined
  // Some shared caches ignore the host, and none has room for a whole result.
  const shared = mayBeShared(caller, c.env) && textIn(values, 'page_size').trim() !== ALL
  const seconds = Math.min(secondsOf(c.env), isRelative ? RELATIVE_SECONDS : Number.POSITIVE_INFINITY)
  const own = caller.key !== null || isPost || hasBookmark
  return {
    caller,
    engine: c.env.ENGINE,
    parameters,
    asked,
    linked,
    pageInBody,
    hintStart: needsBody ? POSTED : '',
    isRelative,
    values,
    format,
    base,
    address,
    links: linksOf(base, values, format),
    // A feed shows relative times as they are.
    identity: identityOf(c, isRelative ? [...sent, formatQuery(asked)] : sent, format),
    cacheControl: cacheControl(own, seconds, shared),
    page,
  }
}

/** Returns the path of a request. A request may add slashes to an address without one at its end. */
const pathOf = (c: RequestContext): string => {
  const { pathname } = new URL(c.req.url)
  return c.var.route?.path.endsWith('/') ? pathname : pathname.replace(/(?<!\/)\/+$/, '')
}

/** Links carry the format that the parameter names, but not that of a table. */
const linksOf = (base: string, values: QueryValues, format: Format): Links => {
  const carried = isFlat(format) ? null : read(values, 'format', (name) => name, null)
  const suffix = carried === null ? '' : `?format=${encodeURIComponent(carried)}`
  return { to: (path) => base + path + suffix }
}

/** Tests if an address takes posted queries, and the request is none of its writes. */
const takesQueries = (c: RequestContext): boolean => {
  const { write, methods = [] } = c.var.route ?? {}
  return methods.includes('POST') && (write === undefined || !isWrite(c))
}

/**
 * Replaces the times relative to `now` in an address and in a posted body. Links carry the instants of both. In a link they
 * replace the times of the body, so that a client can post one body for several pages.
 */
const atTime = ({ filters }: Known, inUrl: readonly Parameter[], inBody: readonly Parameter[], now: number) => {
  const isTime = (name: string) => name === 'datetime' || TIMES.includes(filters?.get(name)?.kind ?? '')
  const resolved = ({ name, value }: Parameter): Parameter => ({
    name,
    value: isTime(name) ? resolveTimes(value, now) : value,
  })
  const isRelative = (given: Parameter) => resolved(given).value !== given.value
  const relative = new Set(inBody.filter(isRelative).map(({ name }) => name))
  const isMoved = ({ name }: Parameter) => relative.has(name) && !inUrl.some((other) => other.name === name)
  return {
    linked: [...inUrl, ...inBody.filter(isMoved)].map(resolved),
    rest: inBody.filter(({ name }) => !relative.has(name)),
    isRelative: inUrl.some(isRelative) || inBody.some(isMoved),
  }
}

/** The hours in the units of a distance from now. */
const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 }

/** A plus in an address arrives as a space. */
const RELATIVE = /^\s*now(?:([-+ ])(\d{1,5})([hdw]))?\s*$/

/**
 * Replaces each time relative to now, such as now-7d, by its instant. `now` is in milliseconds since 1970. Instants have
 * whole seconds, rounded down, so that equal requests within a second share an answer.
 */
export const resolveTimes = (text: string, now: number): string => {
  if (text.length > MAX_TIMES) return text
  // A comma, a slash or a line break separates instants.
  return text
    .split(/([,/\n])/)
    .map((part) => {
      const [found, sign, amount = '0', unit = 'h'] = RELATIVE.exec(part) ?? []
      if (found === undefined) return part
      const distance = Number(amount) * (HOURS[unit] ?? Number.NaN) * 3_600_000 * (sign === '-' ? -1 : 1)
      return new Date(Math.floor(now / 1000) * 1000 + distance).toISOString().replace('.000Z', 'Z')
    })
    .join('')
}

/** No list of times in an address has more characters. A posted form could have millions of separators. */
const MAX_TIMES = 16_384

/** The kinds of filters that take instants. Under /ogc, `datetime` is no filter. */
const TIMES = ['instant', 'interval']

/** Adds the format that the end of the address names. */
const inFile = (values: QueryValues, file: FileFormat): QueryValues => {
  if (values.texts.has('format'))
    mistake(
      values.mistakes,
      'format',
      `The address ends in .${file}, which is its format. Leave format out, or leave .${file} out.`,
    )
  return { ...values, texts: new Map([...values.texts, ['format', file]]) }
}

/** A cache may store an answer for at most so many seconds if the request has times relative to now. */
export const RELATIVE_SECONDS = 60

/** Returns what identifies an answer. `sent` has the address and the query. */
export const identityOf = (
  { env }: RequestContext,
  sent: Query['identity'],
  { contentType }: Format,
): Query['identity'] => [...sent, contentType, answerVersion(env) ?? '']

/** Names the deployed version. Outside Cloudflare it is the version of the package. */
export const versionOf = ({ CF_VERSION_METADATA }: Env): string => CF_VERSION_METADATA?.id ?? version

/**
 * Names the code, the files of the page and the variables that decide answers, for ETags and cache keys. A new key does
 * not change it. Tests lack the built code, and use the version of the Worker. Null without both.
 */
export const answerVersion = (env: Env): string | null => {
  const code = CODE ?? env.CF_VERSION_METADATA?.id
  const { BASE_URL, CACHE_SECONDS, DESCRIPTION, FRAME_ANCESTORS, MAP_STYLE, SHOW_COST, TITLE } = env
  const variables = [BASE_URL, CACHE_SECONDS, DESCRIPTION, FRAME_ANCESTORS, MAP_STYLE, SHOW_COST, TITLE]
  return code === undefined ? null : JSON.stringify([code, PAGE_FILES, ...variables.map((value) => value ?? '')])
}

/** A parameter of the address replaces these in a posted body. */
const REPLACED = {
  page: ['page', 'hint'],
  offset: ['offset', 'hint'],
  format: ['format', 'locale'],
  f: ['f', 'locale'],
  facet_offset: ['facet_offset', 'facets'],
}

const formOf = (c: RequestContext): Parameter[] => {
  refuseOtherTypes(c.req.header('Content-Type') ?? null, [FORM])
  return parseQuery(new Uint8Array(sentBody(c)))
}

/** Leaves out the parameters of a body that the address replaces. So a client can post one body for several pages. */
const unreplaced = (inBody: readonly Parameter[], inUrl: readonly Parameter[]): Parameter[] => {
  const isInUrl = (name: string) => inUrl.some((each) => each.name === name)
  const replaced = Object.entries(REPLACED).flatMap(([name, names]) => (isInUrl(name) ? names : []))
  return inBody.filter(({ name }) => !replaced.includes(name))
}

export const refuseOtherTypes = (contentType: string | null, taken: readonly string[]): void => {
  if (!isOfType(contentType, taken)) throw detail(415, `Set Content-Type to ${taken.join(' or ')}.`)
}
