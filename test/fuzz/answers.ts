import { DOMParser } from '@xmldom/xmldom'
import { parse } from 'csv-parse/browser/esm/sync'
import { isLonger } from '../pace.ts'
import { inChunks, ORIGIN, send } from '../service.ts'
import { type Asked, LISTS, SUMMARY } from './requests.ts'

/** An answer with its complete text. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** It took longer than 1,000 small requests. */
  readonly isSlow: boolean
}

/** The variables of the Worker. The limits of bodies are small, so that some requests exceed them. */
export type Variables = {
  readonly API_KEYS: string
  readonly BODY_LIMIT: string
  readonly WRITE_LIMIT: string
}

const JSON_TYPE = 'application/json'
const HTML_TYPE = 'text/html; charset=utf-8'
const LIST_ALLOW = 'GET, POST, HEAD, OPTIONS'
const READ_ALLOW = 'GET, HEAD, OPTIONS'
const ITEM_ALLOW = 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'
/** The statuses that a client may get. A fault of the service has another status. */
const STATUSES = [200, 201, 204, 301, 304, 308, 400, 401, 403, 404, 405, 406, 409, 412, 413, 414, 415, 422]

/** Sends a request and reads its whole answer. */
export const ask = async ({ method, path, headers, body, chunk }: Asked, vars: Variables): Promise<Answer> => {
  const started = Date.now()
  const sent = body === null || chunk === null ? body : inChunks(chunksOf(body, chunk))
  const response = await send(path, { method, headers, body: sent, redirect: 'manual', vars })
  const text = await response.text()
  const isSlow = await isLonger(Date.now() - started, 1000)
  return { status: response.status, headers: response.headers, text, isSlow }
}

const chunksOf = (body: string | Uint8Array, size: number): Uint8Array[] => {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size))
}

/** Returns the faults of an answer. These checks apply to any request. */
export const faultsOf = (asked: Asked, answer: Answer): string[] => {
  const { status, headers, text, isSlow } = answer
  const preflight = asked.method === 'OPTIONS' && asked.headers['Access-Control-Request-Method'] !== undefined
  return [
    ...expected('status', STATUSES.includes(status), `${status} ${text.slice(0, 300)}`),
    ...expected('201 to writing only', status !== 201 || asked.method === 'POST', asked.method),
    ...expected('time', !isSlow, 'slow'),
    ...expected('Vary', /(^|, ?)Accept(,|$)/.test(headers.get('Vary') ?? ''), headers.get('Vary')),
    ...expected('CORS', headers.get('Access-Control-Allow-Origin') === '*', headers.get('Access-Control-Allow-Origin')),
    ...expected('request id', headers.get('X-Request-Id') !== null, null),
    ...expected('WWW-Authenticate', status !== 401 || headers.get('WWW-Authenticate') !== null, null),
    ...expected('preflight', !preflight || status === 204, status),
    ...allowFaults(asked, answer),
    ...bodyFaults(asked, answer),
  ]
}

const expected = (what: string, holds: boolean, found: unknown): string[] => (holds ? [] : [`${what}: ${found}`])

/** Checks `Allow`. The header must be right for each known address, if the service has checked the method. */
const allowFaults = ({ path }: Asked, { status, headers }: Answer): string[] => {
  const allow = headers.get('Allow')
  if (![200, 201, 304, 400, 405, 406, 415].includes(status)) return []
  const pathname = pathOf(path)
  if (/^\/(healthz|readyz)$/.test(pathname)) return []
  const isItem = LISTS.some(({ path, writable }) => writable?.items !== undefined && pathname.startsWith(path))
  const isList = [...LISTS, SUMMARY].some((list) => list.path === pathname)
  const right = isList ? LIST_ALLOW : isItem ? ITEM_ALLOW : READ_ALLOW
  return expected('Allow', allow === right, allow)
}

const bodyFaults = (asked: Asked, { status, headers, text }: Answer): string[] => {
  const type = headers.get('Content-Type')
  if ([204, 301, 304, 308].includes(status)) return expected('no body', text === '', text)
  const read = READERS[type ?? '']
  if (status === 200 && read !== undefined) return expected('a readable body', isRead(read, text), text.slice(0, 300))
  const html = type === HTML_TYPE
  const asksHtml = asked.headers.Accept !== undefined
  const typeFaults = expected('Content-Type', type === JSON_TYPE || (html && asksHtml), type)
  if (asked.method === 'HEAD') return [...typeFaults, ...expected('no body', text === '', text)]
  const markup = html ? expected('markup', !/<(script|img)/i.test(text.replace(OWN_SCRIPTS, '')), text) : []
  const body = parsed(html ? textOfPage(text) : text)
  if (body === undefined) return [...typeFaults, `no JSON: ${text.slice(0, 300)}`]
  const checked =
    status < 300 ? pageMembers(asked, body) : [...refusalFaults(body), ...namedFaults(asked, status, body)]
  return [...typeFaults, ...markup, ...checked]
}

/** The readers of answers that are no JSON. They throw for a faulty one. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'application/geo+json': JSON.parse,
  'application/x-ndjson': (text) => text.split('\n').map((line) => line !== '' && JSON.parse(line)),
  'application/atom+xml; charset=utf-8': (text) => new DOMParser().parseFromString(text, 'text/xml'),
  'text/csv; charset=utf-8; header=present': (text) => parse(text, { record_delimiter: '\r\n', columns: true }),
}

const isRead = (read: (text: string) => unknown, text: string): boolean => {
  try {
    return text === '' || read(text) !== undefined
  } catch {
    return false
  }
}

/** Checks the members of a page (2.1 of the specification). test/openapi compares whole answers with their schemas. */
const pageMembers = ({ method, path }: Asked, body: unknown): string[] => {
  if (method !== 'GET' || !LISTS.some((list) => list.path === pathOf(path))) return []
  const members = Object.keys(body as object).join()
  return expected('the members of a page', members === 'count,next,previous,results', members)
}

/** The scripts of the page. They are a module and the JSON of the context or the answer. */
const OWN_SCRIPTS =
  /<script type="module" src="\/assets\/page.js"><\/script>|<script type="application\/json" id="(?:context|answer)">[^<]*<\/script>/g

/** Returns the JSON that an HTML page shows. */
const textOfPage = (page: string): string => {
  const [, listed] = /<script type="application\/json" id="answer">([^<]*)</.exec(page) ?? []
  if (listed !== undefined) return listed
  const [, shown = ''] = /<pre id="answer">(.*)<\/pre>/s.exec(page) ?? []
  return shown
    .replace(/<a href="[^"]*">|<\/a>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

/** Parses JSON. Returns undefined for other text. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Checks that a 400 names only parameters of the request, or fields of its body. */
const namedFaults = (asked: Asked, status: number, body: unknown): string[] => {
  if (status !== 400 || asked.headers['Content-Type']?.includes('json')) return []
  const bytes = typeof asked.body === 'string' ? new TextEncoder().encode(asked.body) : (asked.body ?? new Uint8Array())
  const form = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes)
  const sent = [addressOf(asked.path).search.slice(1), form].flatMap((text) => [
    ...new URLSearchParams(`&${text}`).keys(),
  ])
  // A long name is cut. A request with too many parameters gets one sentence for all.
  const isSent = (name: string) =>
    name === 'detail' || sent.includes(name) || sent.some((each) => each.startsWith(name.replace(/\.\.\.$/, '')))
  const others = Object.keys(body as object).filter((name) => !isSent(name))
  return expected('parameters that were sent', others.length === 0, others)
}

const LEAKS = /\b(undefined|NaN|SELECT|WHERE|SQLITE\w*|D1_\w+|\w+Error)\b|\[object|\.[jt]s:\d|\bat \w+ \(/

/** Tells if a value is a message for a client. Outside of its quotes, it has no internal names such as SQL words. */
const isMessage = (value: unknown): boolean => {
  if (typeof value !== 'string') return false
  const own = value.replace(/"(?:[^"\\]|\\.)*"|'.*'/gs, '""')
  return /^\S.*\s\S/s.test(own) && !LEAKS.test(own)
}

/** Checks the body of a refusal. It has a `detail`, or messages under the names of parameters. */
export const refusalFaults = (body: unknown): string[] => {
  const entries = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : []
  const isTold = ([name, told]: [string, unknown]) =>
    Array.isArray(told) ? told.length > 0 && told.every(isMessage) : name === 'detail' && isMessage(told)
  return expected('a refusal', entries.length > 0 && entries.every(isTold), JSON.stringify(body))
}

const addressOf = (path: string): URL => new URL(path.startsWith('http') ? path : `${ORIGIN}${path}`)

/** Returns the path of an address. It is decoded if its encoding is valid. */
const pathOf = (path: string): string => {
  const { pathname } = addressOf(path)
  try {
    return decodeURI(pathname)
  } catch {
    return pathname
  }
}
