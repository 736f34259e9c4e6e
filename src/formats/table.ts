/** The maximum number of rows in a table. The page has all rows as JSON. */
const MAX_ROWS = 1000

/** A page of a list. */
interface Page {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly object[]
}

export const isPage = (body: unknown): body is Page =>
  typeof body === 'object' && body !== null && 'results' in body && Array.isArray(body.results)

/** Returns a page of a list as an HTML table for readers without scripts, with links to the previous and next page. */
export const tableOf = ({ count, next, previous, results }: Page): string => {
  const rows = results.slice(0, MAX_ROWS).map(fieldsOf)
  const names = Object.keys(rows[0] ?? {})
  const omitted = results.length - rows.length
  const neighbours = [
    ['Previous page', previous],
    ['Next page', next],
  ] as const
  const links = neighbours.flatMap(([text, address]) => (address === null ? [] : [linkTo(address, text)]))
  return [
    `<p>${count.toLocaleString('en')} in all${omitted > 0 ? `. The last ${omitted.toLocaleString('en')} of this page are only in <code>format=json</code>` : ''}. ${links.join(' ')}</p>`,
    '<table>',
    `<tr>${names.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')}</tr>`,
    ...rows.map((row) => `<tr>${names.map((name) => `<td>${cellOf(name, row[name])}</td>`).join('')}</tr>`),
    '</table>',
  ].join('\n')
}

/** Returns the fields of an item. The fields of a feature are its id, its properties and its place. */
const fieldsOf = (item: object): Readonly<Record<string, unknown>> => {
  const { url, ...fields } = { ...item } as Record<string, unknown>
  if (!('properties' in item)) return { url, ...fields }
  const { the_geom: _, url: featureUrl, ...properties } = item.properties as Record<string, unknown>
  const place = 'geometry' in item ? (item.geometry as { coordinates?: unknown } | null)?.coordinates : null
  return { url: featureUrl, id: fields.id, ...properties, place }
}

const cellOf = (name: string, value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string' && /^https?:\/\/[^\s\\"]+$/.test(value)) return linkTo(value, new URL(value).pathname)
  if (typeof value === 'number' && /timestamp/.test(name)) return escapeHtml(instantOf(value))
  return escapeHtml(typeof value === 'object' ? Object.values(value).join(', ') : String(value))
}

const instantOf = (milliseconds: number): string => {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? String(milliseconds) : date.toISOString()
}

const linkTo = (address: string, text: string): string => `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`

/** Escapes a text for HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
