import { escapeHtml, isPage, tableOf } from './table.ts'

/** What a page for people shows beside the body. */
export interface RenderContext {
  readonly title: string
  readonly method: string
  readonly url: string
  readonly status: number
  /** What is known of the address: what OPTIONS tells, and of a list what its controls need. */
  readonly about?: () => object
  readonly headers?: Headers
  /** The path in front of every path, without a slash at its end. */
  readonly prefix?: string
  /** The variable MAP_STYLE. */
  readonly mapStyle?: string | undefined
}

/**
 * What the page may load: its own scripts and styles and, of what scripts make, images and workers (MapLibre). `mapStyle`: the
 * variable MAP_STYLE, whose hosts the map may ask.
 */
export const pagePolicy = (mapStyle?: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "worker-src 'self' blob:",
    ["connect-src 'self'", ...new Set(addressesIn(mapStyle).map(({ origin }) => origin))].join(' '),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The addresses in a text, apart by blanks; what is none is left out. */
const addressesIn = (text = ''): URL[] =>
  text.split(/\s+/).flatMap((each) => (/^https?:/.test(each) && URL.canParse(each) ? [new URL(each)] : []))

const SHOWN = ['Allow', 'Vary', 'ETag', 'Last-Modified', 'Cache-Control', 'Link']

/**
 * A page of an answer: readable as it is, and all that its scripts begin with. The JSON stands in it once: of a list beside a
 * table for who has no scripts, else as text with its addresses as links, which the scripts read back. A text is the JSON of
 * the answer.
 */
export const htmlOf = (body: object | string, context: RenderContext): string => {
  const { title, url, status, about = () => ({}), headers = new Headers(), prefix = '' } = context
  // HEAD has the length of the page that GET shows.
  const method = context.method === 'HEAD' ? 'GET' : context.method
  const mapStyle = addressesIn(context.mapStyle)[0]?.href
  const shown = SHOWN.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []))
  const assets = escapeHtml(`${prefix}/assets`)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets}/page.css">
<script type="module" src="${assets}/page.js"></script>
<script type="application/json" id="context">${escapeScript({ title, method, url, status, about: about(), headers: shown, prefix, mapStyle })}</script>
<main id="page" class="plain">
<h1>${escapeHtml(title)}</h1>
<p><b>${escapeHtml(method)}</b> <code>${escapeHtml(url)}</code> <b>${status}</b></p>
${shownOf(typeof body === 'string' ? JSON.parse(body) : body)}
</main>
</html>
`
}

const shownOf = (body: object): string =>
  isPage(body)
    ? `<script type="application/json" id="answer">${escapeScript(body)}</script>\n<noscript>\n${tableOf(body)}\n</noscript>`
    : `<pre id="answer">${linked(JSON.stringify(body, null, 2))}</pre>`

/** JSON that no parser of HTML takes for the end of a script, or the start of another. */
const escapeScript = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c')

/** JSON as HTML, in which every string that is an address is a link. */
const linked = (text: string): string =>
  escapeHtml(text).replace(/&quot;(https?:\/\/(?:(?!&quot;)[^\s\\])+)&quot;/g, '&quot;<a href="$1">$1</a>&quot;')
