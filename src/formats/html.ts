import type { Codes } from '../errors.ts'
import { PAGE_FILES } from './pageFiles.ts'

/** The maximum number of rows in a table. The page has all rows as JSON. */
const MAX_ROWS = 1000

/** The data of an HTML page beside the body. */
export interface RenderContext {
  readonly title: string
  readonly method: string
  readonly url: string
  readonly status: number
  /** Returns facts about the address: the answer of OPTIONS, and the data for the controls of a list. */
  readonly about?: () => object
  /** The codes of the faults in the answer, by parameter. */
  readonly faults?: Codes | undefined
  readonly headers: Headers
  /** The start of all addresses, without a slash at its end. */
  readonly base: string
  /** The variable MAP_STYLE. */
  readonly mapStyle: string | undefined
}

const SHOWN = ['Allow', 'Vary', 'ETag', 'Last-Modified', 'Cache-Control', 'Link', 'Retry-After']

/**
 * Returns an answer as an HTML page. It is readable without scripts, and has all data that its scripts start with. A
 * list has its JSON in a script element, and a table for readers without scripts. Any other answer has it as text with
 * links, which the scripts read back.
 */
export const htmlOf = (answer: object, context: RenderContext): string => {
  const { title, url, status, faults, headers, base } = context
  const prefix = new URL(base).pathname.replace(/\/$/, '')
  const about = context.about?.() ?? {}
  const head = headOf(answer, { title, description: 'description' in about ? String(about.description) : '' })
  // HEAD must have the length of the page for GET.
  const method = context.method === 'HEAD' ? 'GET' : context.method
  const mapStyle = addressesIn(context.mapStyle)[0]?.href
  const shown = SHOWN.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []))
  const assets = escapeHtml(`${prefix}/assets`)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(head.title)}</title>${head.description && `<meta name="description" content="${escapeHtml(head.description)}">`}
<link rel="icon" href="${assets}/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets}/${PAGE_FILES.styles}">
<script type="module" src="${assets}/${PAGE_FILES.script}"></script>
<script type="application/json" id="context">${escapeScript({ title, method, url, status, about, faults, headers: shown, prefix, mapStyle })}</script>
<main id="page" class="plain">
<h1>${escapeHtml(title)}</h1>
<p><b>${escapeHtml(method)}</b> <code>${escapeHtml(url)}</code> <b>${status}</b></p>
${shownOf(answer, `${base}/`)}
</main>
</html>
`
}

/** Shows an answer. Only addresses that start with `base` become links: the service wrote them, or they lead nowhere else. */
const shownOf = (body: object, base: string): string =>
  isPage(body)
    ? `<script type="application/json" id="answer">${escapeScript(body)}</script>\n<noscript>\n${tableOf(body, base)}\n</noscript>`
    : `<pre id="answer">${linked(JSON.stringify(body, null, 2), base)}</pre>`

/** Returns JSON without `<`. An HTML parser then finds no start or end of a script in it. */
const escapeScript = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c')

/** Returns JSON as HTML, in which each string that is an address of the service is a link. */
const linked = (text: string, base: string): string =>
  escapeHtml(text).replace(/&quot;(https?:\/\/(?:(?!&quot;)[^\s\\])+)&quot;/g, (quoted, address: string) =>
    address.startsWith(escapeHtml(base)) ? `&quot;<a href="${address}">${address}</a>&quot;` : quoted,
  )

/** A page of a list. */
interface Page {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly object[]
}

const isPage = (body: unknown): body is Page =>
  typeof body === 'object' && body !== null && 'results' in body && Array.isArray(body.results)

/** Returns a page of a list as an HTML table for readers without scripts, with links to the previous and next page. */
const tableOf = ({ count, next, previous, results }: Page, base: string): string => {
  const rows = results.slice(0, MAX_ROWS).map(fieldsOf)
  const names = Object.keys(rows[0] ?? {})
  const omitted = results.length - rows.length
  const neighbours = Object.entries({ 'Previous page': previous, 'Next page': next })
  const links = neighbours.flatMap(([text, address]) => (address === null ? [] : [linkTo(address, text)]))
  return [
    `<p>${count.toLocaleString('en')} in all${omitted > 0 ? `. The last ${omitted.toLocaleString('en')} of this page are only in <code>format=json</code>` : ''}. ${links.join(' ')}</p>`,
    '<table>',
    `<tr>${names.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')}</tr>`,
    ...rows.map((row) => `<tr>${names.map((name) => `<td>${cellOf(name, row[name], base)}</td>`).join('')}</tr>`),
    '</table>',
  ].join('\n')
}

/** Returns the fields of an item. The fields of a feature are its id, its properties and its place. */
const fieldsOf = (item: object): Fields => {
  const { url, properties, geometry, ...fields }: Record<string, unknown> = { ...item }
  if (typeof properties !== 'object' || properties === null) return { url, ...fields }
  const { the_geom: _, url: own, ...shown }: Record<string, unknown> = { ...properties }
  return { url: own, id: fields.id, ...shown, place: (geometry as { coordinates?: unknown } | null)?.coordinates }
}

const cellOf = (name: string, value: unknown, base: string): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string' && value.startsWith(base)) return linkTo(value, new URL(value).pathname)
  if (typeof value === 'number' && /timestamp/.test(name)) return instantOf(value)
  return escapeHtml(typeof value === 'object' ? Object.values(value).join(', ') : String(value))
}

const linkTo = (address: string, text: string): string => `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

type Fields = Readonly<Record<string, unknown>>

/** The title of a page and its description. Search engines and browsers show them. */
interface Head {
  readonly title: string
  readonly description: string
}

/** Search engines show about so many characters of a description. */
const LONGEST = 200

/**
 * Describes an answer in words. An event has its value and time, a series its name, a list its number of items, and an
 * error its message. Any other answer has the `title` and the `description` of the address.
 */
export const headOf = (body: object, { title, description }: Head): Head => {
  const fields = fieldsOf(body)
  const { detail, name, value } = fields
  if (isText(detail)) return { title, description: shortened(detail) }
  if (isText(name)) return { title: name, description: shortened(textOf(fields.description) || description) }
  if (typeof value === 'string') return headOfEvent(fields, title)
  const number = 'count' in body && typeof body.count === 'number' ? `${body.count.toLocaleString('en')} in all. ` : ''
  return { title, description: shortened(number + (textOf(fields.description) || description)) }
}

const headOfEvent = (fields: Fields, title: string): Head => {
  const { value, category, timestamp_start, start = timestamp_start, timestamp_end, end = timestamp_end } = fields
  const period = [...new Set([start, end].map(timeOf))].filter(isText)
  const [day] = period.map((time) => time.replace(/T.*/, ''))
  return {
    title: [textOf(value) || textOf(category) || title, day].filter(Boolean).join(', '),
    description: shortened([category, value, period.join(' to '), placeIn(fields)].filter(isText).join('. ')),
  }
}

const placeIn = ({ place }: Fields): string => {
  const [longitude, latitude] = Array.isArray(place) ? place : []
  return typeof longitude === 'number' ? `Longitude ${longitude}, latitude ${latitude}` : ''
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns a time as ISO 8601. A number is in milliseconds since 1970. */
const timeOf = (time: unknown): string => (typeof time === 'number' ? instantOf(time) : textOf(time))

/** Writes milliseconds since 1970. A Date has at most 8.64e15 of them, see ECMAScript. */
const instantOf = (milliseconds: number): string =>
  Math.abs(milliseconds) > 8.64e15 ? String(milliseconds) : new Date(milliseconds).toISOString()

/** Cuts a text at the end of a word. */
const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST).replace(/\s\S*$/, '')}…`
}

/**
 * Returns the Content-Security-Policy of the page. It allows the page's own scripts and styles, and the images and
 * workers that MapLibre creates. `mapStyle` is the variable MAP_STYLE. The map may connect to its hosts. `framers` are
 * the sites that may show the page in a frame.
 */
export const pagePolicy = (mapStyle?: string, framers: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "worker-src 'self' blob:",
    ["connect-src 'self'", ...originsIn(mapStyle)].join(' '),
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${framers.length === 0 ? "'none'" : framers.join(' ')}`,
  ].join('; ')

/** Returns the addresses in a text, which spaces separate. Other words are ignored. */
const addressesIn = (text = ''): URL[] =>
  text.split(/\s+/).flatMap((word) => (/^https?:/.test(word) && URL.canParse(word) ? [new URL(word)] : []))

/** The form of an origin in a policy. Other characters, such as `;`, could add a rule. `*.` stands for subdomains. */
const ORIGIN = /^https?:\/\/(\*\.)?[\w-]+(\.[\w-]+)*(:\d+)?$/

/** Returns the origins of the addresses in a text, without duplicates. */
export const originsIn = (text?: string): string[] => [
  ...new Set(addressesIn(text).flatMap(({ origin }) => (ORIGIN.test(origin) ? [origin] : []))),
]
