import type { Codes } from '../base/errors.ts'
import type { Control } from '../model/controls.ts'
import { FEED, mediaType, NOT_IN_FEED } from './downloads.ts'
import { PAGE_FILES } from './pageFiles.ts'
import { escapeHtml, escapeScript, headOf, plainOf } from './plain.ts'

/** The answer of OPTIONS at an address, and the fields of its list or item. */
interface AddressFacts {
  readonly description?: string
  /** The media types of the address. */
  readonly renders?: readonly string[]
  readonly fields?: readonly Control[]
}

/** The data of an HTML page beside the body. */
export interface RenderContext {
  readonly title: string
  readonly method: string
  readonly url: string
  readonly status: number
  readonly about?: () => AddressFacts
  /** More elements in its head. */
  readonly head?: string | undefined
  /** The codes of the faults in the answer, by parameter. */
  readonly faults?: Codes | undefined
  readonly headers: Headers
  /** The start of all addresses, without a slash at its end. */
  readonly base: string
  /** The variable MAP_STYLE. */
  readonly mapStyle: string | undefined
}

/** The base maps that MAP_STYLE can name in one word. Such a map loads everything from the host of its style. */
const BASE_MAPS = new Map([
  ['openfreemap', 'https://tiles.openfreemap.org/styles/positron'],
  ['pdok', 'https://api.pdok.nl/kadaster/brt-achtergrondkaart/ogc/v1/styles/standaard__webmercatorquad?f=mapbox'],
])

const mapAddresses = (mapStyle = ''): string => BASE_MAPS.get(mapStyle.trim()) ?? mapStyle

const SHOWN = ['Allow', 'Vary', 'ETag', 'Last-Modified', 'Cache-Control', 'Link', 'Retry-After']

/**
 * Returns an answer as an HTML page. It is readable without scripts, and has all data that its scripts start with. The
 * rows of a list and the facts of an item are HTML, and their JSON stands in a script element. Any other answer is shown
 * as JSON with links, which the scripts read back.
 */
export const htmlOf = (answer: object, context: RenderContext): string => {
  const { title, url, status, faults, headers, base } = context
  const prefix = new URL(base).pathname.replace(/\/$/, '')
  const about = context.about?.() ?? {}
  const head = headOf(answer, { title, description: about.description ?? '' })
  // HEAD must have the length of the page for GET.
  const method = context.method === 'HEAD' ? 'GET' : context.method
  const mapStyle = addressesIn(mapAddresses(context.mapStyle))[0]?.href
  const shown = SHOWN.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []))
  const assets = escapeHtml(`${prefix}/assets`)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(head.title)}</title>${head.description && `<meta name="description" content="${escapeHtml(head.description)}">`}
<link rel="icon" href="${assets}/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets}/${PAGE_FILES.styles}">${feedLink(about, context)}${context.head ?? ''}
<script type="module" src="${assets}/${PAGE_FILES.script}"></script>
<script type="application/json" id="context">${escapeScript({ title, method, url, status, about, faults, headers: shown, prefix, mapStyle })}</script>
<main id="page" class="plain">
${plainOf(answer, { heading: escapeHtml(title), url, fields: about.fields ?? [], base: `${base}/` })}
<p class="request"><b>${escapeHtml(method)}</b> <code>${escapeHtml(url)}</code> <b>${status}</b></p>
</main>
</html>
`
}

/** Returns the link to the feed of a list, by which readers of feeds find it. Empty: the list has none. */
const feedLink = ({ renders = [] }: AddressFacts, { method, status, url }: RenderContext): string => {
  const type = mediaType(FEED.contentType)
  if (status !== 200 || method === 'POST' || !renders.includes(type)) return ''
  const pairs = new URL(url).search.slice(1).split('&')
  const left = ['', 'format', ...NOT_IN_FEED]
  const kept = pairs.filter((pair) => !left.includes(pair.replace(/=.*/s, '')))
  return `\n<link rel="alternate" type="${type}" href="?${escapeHtml([...kept, 'format=atom'].join('&'))}">`
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
    ["connect-src 'self'", ...originsIn(mapAddresses(mapStyle))].join(' '),
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
