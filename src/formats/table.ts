/** How many rows a table shows: the page has them all as JSON, too. */
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

/** A page of a list as a table, for who reads without scripts, with links to the pages beside it. */
export const tableOf = ({ count, next, previous, results }: Page): string => {
  const rows = results.slice(0, MAX_ROWS).map(fieldsOf)
  const names = Object.keys(rows[0] ?? {})
  const left = results.length - rows.length
  const turns = [
    ['Previous page', previous],
    ['Next page', next],
  ] as const
  const links = turns.flatMap(([text, address]) => (address === null ? [] : [linkTo(address, text)]))
  return [
    `<p>${count.toLocaleString('en')} in all${left > 0 ? `, the last ${left.toLocaleString('en')} of this page only in <code>format=json</code>` : ''}. ${links.join(' ')}</p>`,
    '<table>',
    `<tr>${names.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')}</tr>`,
    ...rows.map((row) => `<tr>${names.map((name) => `<td>${cellOf(name, row[name])}</td>`).join('')}</tr>`),
    '</table>',
  ].join('\n')
}

/** The fields of an item: of a feature its id, its properties and its place, once. */
const fieldsOf = (item: object): Readonly<Record<string, unknown>> => {
  const { url, ...fields } = { ...item } as Record<string, unknown>
  if (!('properties' in item)) return { url, ...fields }
  const { the_geom: _, url: own, ...properties } = item.properties as Record<string, unknown>
  const place = 'geometry' in item ? (item.geometry as { coordinates?: unknown } | null)?.coordinates : null
  return { url: own, id: fields.id, ...properties, place }
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

/** Text as HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
