import { inChunks, ORIGIN, send } from '../service.ts'
import { checkOf } from './items.ts'
import { type Asked, LISTS, SUMMARY } from './requests.ts'
import { created, description, envelope, ITEMS, refusal, root, type Shape, summary } from './shapes.ts'

/** An answer with its complete text. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly milliseconds: number
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
const LIMIT = 5000 // milliseconds
/** The statuses that a client may get. A fault of the service has another status. */
const STATUSES = [200, 201, 204, 301, 304, 308, 400, 401, 403, 404, 405, 406, 409, 412, 413, 414, 415, 422]

/** Sends a request and reads its whole answer. */
export const ask = async ({ method, path, headers, body, chunk }: Asked, vars: Variables): Promise<Answer> => {
  const started = Date.now()
  const sent = body === null || chunk === null ? body : inChunks(chunksOf(body, chunk))
  const response = await send(path, { method, headers, body: sent, redirect: 'manual', vars })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, milliseconds: Date.now() - started }
}

const chunksOf = (body: string | Uint8Array, size: number): Uint8Array[] => {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size))
}

/** Returns the faults of an answer. These checks apply to any request. */
export const faultsOf = (asked: Asked, answer: Answer): string[] => {
  const { status, headers, text, milliseconds } = answer
  const preflight = asked.method === 'OPTIONS' && asked.headers['Access-Control-Request-Method'] !== undefined
  return [
    ...expected('status', STATUSES.includes(status), `${status} ${text.slice(0, 300)}`),
    ...expected('201 to writing only', status !== 201 || asked.method === 'POST', asked.method),
    ...expected('time', milliseconds < LIMIT, `${milliseconds} ms`),
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
  const check = status === 200 ? checkOf(type) : undefined
  if (check !== undefined) return asked.method === 'HEAD' ? [] : check(text, itemShape(asked))
  const html = type === HTML_TYPE
  const asksHtml = asked.headers.Accept !== undefined
  const typeFaults = expected('Content-Type', type === JSON_TYPE || (html && status < 300 && asksHtml), type)
  if (asked.method === 'HEAD') return [...typeFaults, ...expected('no body', text === '', text)]
  const markup = html ? expected('markup', !/<(script|img)/i.test(text.replace(OWN_SCRIPTS, '')), text) : []
  const body = parsed(html ? textOfPage(text) : text)
  if (body === undefined) return [...typeFaults, `no JSON: ${text.slice(0, 300)}`]
  const checked =
    status === 200 || status === 201
      ? (html && /\/events\/(?!summary)/.test(pathOf(asked.path)) ? anything : shapeOf(asked, status))(body, 'body')
      : [...refusal(body, 'body'), ...namedFaults(asked, status, body)]
  return [...typeFaults, ...markup, ...checked]
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

/** The shape of probes, and of events in HTML. Those are as in GeoJSON, see test/formats/formats.test.ts. */
const anything: Shape = () => []

/** Returns the shape of a successful answer, by method and address. */
const shapeOf = ({ method, path, headers }: Asked, status: number): Shape => {
  if (method === 'OPTIONS') return description
  const pathname = pathOf(path)
  if (pathname === SUMMARY.path) return summary
  const item = ITEMS[pathname]
  const isWritten = status === 201 || (method === 'POST' && headers['Content-Type']?.includes('json'))
  if (isWritten && item !== undefined) return created(item)
  if (item !== undefined) return envelope(item)
  const [, list = ''] = /^(\/api\/v[34]\/\w+\/)[^/]+\/$/.exec(pathname) ?? []
  if (/^\/(healthz|readyz)$/.test(pathname)) return anything
  return ITEMS[list] ?? root
}

/** Returns the shape of an item. The address belongs to the list or to one item. */
const itemShape = ({ path }: Asked): Shape => {
  const [, list = ''] = /^(\/api\/v[34]\/\w+\/)/.exec(pathOf(path)) ?? []
  return ITEMS[list] ?? (() => [`items at ${path}`])
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
