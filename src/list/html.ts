/** What a page for people shows beside the body. */
export interface RenderContext {
  readonly title: string
  readonly method: string
  readonly url: string
  readonly status: number
}

/** A readable page of an answer: the request line, the status and the JSON with its addresses as links. */
export const htmlOf = (body: unknown, { title, method, url, status }: RenderContext): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color-scheme: light dark }
  pre { overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
</style>
<h1>${escapeHtml(title)}</h1>
<p><b>${escapeHtml(method)}</b> <code>${escapeHtml(url)}</code> <b>${status}</b></p>
<pre>${linked(JSON.stringify(body, null, 2))}</pre>
</html>
`

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** JSON as HTML, in which every string that is an address is a link. */
const linked = (text: string): string =>
  escapeHtml(text).replace(/&quot;(https?:\/\/(?:(?!&quot;)[^\s\\])+)&quot;/g, '&quot;<a href="$1">$1</a>&quot;')
