import type { Control } from '../model/controls.ts'
import { type Column, classesOf, columnsOf, columnTitle, numberIn, type Values, valueIn } from './columns.ts'
import { type FeatureItem, valuesOf } from './flatEvents.ts'

/** The maximum number of rows in a table. The page has all rows as JSON. */
const MAX_ROWS = 1000

/** The heading, the fields and the address of a page. Only addresses that start with `base` become links. */
interface Surroundings {
  readonly heading: string
  readonly url: string
  readonly fields: readonly Control[]
  readonly base: string
}

/** Writes an answer as HTML for readers without scripts. A list and an item also have their JSON in a script element. */
export const plainOf = (body: object, shown: Surroundings): string => {
  const { heading, url, fields, base } = shown
  const data = `<script type="application/json" id="answer">${escapeScript(body)}</script>`
  const page = pageOf(body, url)
  if (page !== null) return `${data}\n${listOf(page, shown)}`
  const title = `<h1>${heading}</h1>`
  if (fields.length > 0 && !('detail' in body)) return `${data}\n${title}\n${factsOf(body, fields, base)}`
  return `${title}\n<pre id="answer">${linked(JSON.stringify(body, null, 2), base)}</pre>`
}

/** Returns JSON without `<`. An HTML parser then finds no start or end of a script in it. */
export const escapeScript = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c')

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

/** The items of /ogc, as far as a page shows them. */
interface Features {
  readonly numberMatched: number
  readonly features: readonly { readonly id: number; readonly properties: object }[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

/** Returns the page of a list in an answer. Features of /ogc have no address of their own. Null for another answer. */
const pageOf = (body: object, url: string): Page | null => {
  if ('results' in body) return body as Page
  if (!('features' in body)) return null
  const { numberMatched, features, links } = body as Features
  const linkOf = (rel: string) => links.find((link) => link.rel === rel)?.href ?? null
  const addressOf = (id: number) => `${url.replace(/\?.*/s, '')}/${id}`
  const results = features.map((feature) => ({
    ...feature,
    properties: { ...feature.properties, url: addressOf(feature.id) },
  }))
  return { count: numberMatched, next: linkOf('next'), previous: linkOf('prev'), results }
}

/** Returns a page of a list as a table, with links to the pages beside it. The scripts draw a table in the same place. */
const listOf = ({ count, next, previous, results }: Page, { heading, fields, url, base }: Surroundings): string => {
  const rows = results.slice(0, MAX_ROWS)
  const omitted = results.length - rows.length
  const neighbours = Object.entries({ 'Previous page': previous, 'Next page': next })
  const links = neighbours.flatMap(([text, address]) => (address === null ? [] : [linkTo(address, text)]))
  const more =
    omitted > 0 ? ` The last ${omitted.toLocaleString('en')} of this page are only in <code>format=json</code>.` : ''
  return `<div class="row headline"><h1 class="count">${heading}</h1></div>
<p class="filters">${count.toLocaleString('en')} in all.${more} ${links.join(' ')}</p>
<div class="columns"><div class="rows"><section class="table">
${rows.length === 0 ? '' : tableOf(rows, { fields, url, base })}
</section></div><div class="pictures"></div><aside></aside></div>`
}

/** Returns rows as the table of the page, with times in UTC. The first cell of a row links to its item. */
const tableOf = (items: readonly object[], { fields, url, base }: Omit<Surroundings, 'heading'>): string => {
  const rows = items.map((item) => ('properties' in item ? valuesOf(item as FeatureItem) : (item as Values)))
  const { searchParams } = new URL(url)
  const chosen = searchParams.get('fields')?.split(',') ?? null
  const columns = columnsOf({ fields, rows, described: [], chosen })
  const classes = classesOf(columns, searchParams.get('ordering') ?? '')
  const cellIn = (row: Values, column: Column): string => escapeHtml(textOfColumn(row, column))
  const nameIn = (row: Values, column: Column): string => {
    const name = textOfColumn(row, column) || `Event ${row.id}`
    const address = textOf(row.url)
    return address.startsWith(base) ? linkTo(address, name) : escapeHtml(name)
  }
  const rowOf = (tag: 'th' | 'td', cell: (column: Column, i: number) => string): string => {
    const cells = columns.map((column, i) => `<${tag} class="${classes[i]}">${cell(column, i)}</${tag}>`)
    return `<tr>${cells.join('')}</tr>`
  }
  const headingOf = (column: Column) => escapeHtml(columnTitle(column, 0) + (column.kind === 'instant' ? ' (UTC)' : ''))
  return [
    `<table><thead>${rowOf('th', headingOf)}</thead>`,
    '<tbody>',
    ...rows.map((row) => rowOf('td', (column, i) => (i === 0 ? nameIn : cellIn)(row, column))),
    '</tbody></table>',
  ].join('\n')
}

/** Returns the text of a cell. The numbers of a column have equally many digits behind the point. */
const textOfColumn = (row: Values, column: Column): string => {
  const { name, kind, decimals } = column
  const number = numberIn(row, column)
  if (kind === 'duration') return number === null ? '' : `${number / 1000} s`
  if (number !== null)
    return number === Number(number.toFixed(decimals ?? 0)) ? number.toFixed(decimals ?? 0) : String(number)
  const value = row[`${name}_name`] ?? valueIn(row, name)
  return kind === 'object' ? Object.values(value ?? {}).join(' ') : textIn(value, kind)
}

/** Returns all that an item has. A field without a title has its name. */
const factsOf = (item: object, fields: readonly Control[], base: string): string => {
  const facts = Object.entries(fieldsOf(item)).flatMap(([name, value]) => {
    const { label: [label] = [name], kind = '' } = fields.find((field) => field.name === name) ?? {}
    const text = textIn(value, kind)
    const shown = text.startsWith(base) ? linkTo(text, text) : escapeHtml(text)
    return text === '' ? [] : [`<div><dt>${escapeHtml(label)}</dt><dd>${shown}</dd></div>`]
  })
  return `<dl class="facts">\n${facts.join('\n')}\n</dl>`
}

/** Returns the fields of an item. The fields of a feature are its id, its properties and its place. */
const fieldsOf = (item: object): ItemFields => {
  const { url, properties, geometry, ...fields }: Record<string, unknown> = { ...item }
  if (typeof properties !== 'object' || properties === null) return { url, ...fields }
  const { the_geom: _, url: own, ...shown }: Record<string, unknown> = { ...properties }
  return { url: own, id: fields.id, ...shown, place: (geometry as { coordinates?: unknown } | null)?.coordinates }
}

/** Writes a value for people. An instant has no fraction of a second. */
const textIn = (value: unknown, kind: string): string => {
  if (value === null || value === undefined) return ''
  if (kind === 'instant')
    return timeOf(value)
      .replace('T', ' ')
      .replace(/(\.\d+)?Z$/, '')
  if (typeof value !== 'object') return String(value)
  const parts = Array.isArray(value) ? value : Object.entries(value).map(([name, part]) => `${name}: ${part}`)
  return parts.join(', ')
}

const linkTo = (address: string, text: string): string => `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

type ItemFields = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns a time as ISO 8601. A number is in milliseconds since 1970. */
const timeOf = (time: unknown): string => {
  if (typeof time !== 'number') return textOf(time)
  // A Date has at most 8.64e15 milliseconds, see ECMAScript.
  return Math.abs(time) > 8.64e15 ? String(time) : new Date(time).toISOString()
}

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

const headOfEvent = (fields: ItemFields, title: string): Head => {
  const { value, category } = fields
  const description = [category, value, periodIn(fields).join(' to '), placeIn(fields)].filter(isText).join('. ')
  return { title: titleOfEvent(fields, title), description: shortened(description) }
}

/** Returns the title of an event: its value and its day. The category comes before a number, as on the page. */
export const titleOfEvent = (fields: ItemFields, otherwise: string): string => {
  const [value, category] = [textOf(fields.value), textOf(fields.category)]
  const named = /^[<>]?[-+\d.,]*$/.test(value) ? [category, value].filter(Boolean).join(', ') : value
  const [day] = periodIn(fields).map((time) => time.replace(/T.*/, ''))
  return [named || otherwise, day].filter(Boolean).join(', ')
}

/** Returns the start and the end of an event. An event that lasts no time has one instant. */
const periodIn = ({ timestamp_start, start = timestamp_start, timestamp_end, end = timestamp_end }: ItemFields) =>
  [...new Set([start, end].map(timeOf))].filter(isText)

const placeIn = ({ place }: ItemFields): string => {
  const [longitude, latitude] = Array.isArray(place) ? place : []
  return typeof longitude === 'number' ? `Longitude ${longitude}, latitude ${latitude}` : ''
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Cuts a text at the end of a word. */
const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST).replace(/\s\S*$/, '')}…`
}
