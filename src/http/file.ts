import { at } from '../base/collections.ts'
import { PRODUCT } from '../base/product.ts'
import type { Reader, Row } from '../engine/engine.ts'
import { NOT } from '../filters/filter.ts'
import type { FeedHead } from '../formats/items.ts'
import type { Resource } from '../lists/resource.ts'
import { metadataOf } from '../model/metadata.ts'
import type { Metadata } from '../model/types.ts'
import { allOf, type Condition } from '../question/condition.ts'
import type { FieldName } from '../question/fields.ts'
import { BY_ID, type Selection } from '../question/question.ts'
import type { Env } from './env.ts'
import { parameterIn } from './parameters.ts'
import { digest, formatQuery, MAX_ADDRESS, TURN } from './query.ts'
import type { Query } from './read.ts'
import { conditionsIn } from './selection.ts'

/** The parts of the name of a file: the names and values of parameters. */
type Parts = readonly (readonly [name: string, value: string])[]

/** The parameters of a request. */
interface Texts {
  readonly texts: Iterable<Parts[number]>
}

const MAX_NAME = 60
/** A longer value never fits into a name, so it is skipped. */
const MAX_VALUE = 200

/** Returns the headers of items as a file: its name. */
export const itemsHeaders = (
  extension: string,
  { path }: Pick<Resource, 'path'>,
  parts: Parts,
): Record<string, string> => ({
  'Content-Disposition': `attachment; filename="${fileName(at(path.split('/'), -2), parts, extension)}"`,
})

/**
 * Returns a file name with the list and the filters of the request, such as `events_category-hurricane.csv`. It has
 * only letters, digits, dots, hyphens and underscores, which every file system and an HTTP header accept. A value that
 * makes the name too long is left out, not cut.
 */
export const fileName = (list: string, parts: Parts, extension: string): string => {
  let file = list
  for (const [name, value] of parts) {
    const field = plain(name)
    const forms = [[field, plain(value)].filter(Boolean).join('-'), field]
    const part = forms.find((form) => form !== '' && `${file}_${form}.${extension}`.length <= MAX_NAME)
    if (part !== undefined) file = `${file}_${part}`
  }
  return `${file}.${extension}`
}

/** Removes the accents of letters, and replaces all other characters by hyphens. None stands at an end. */
const plain = (text: string): string =>
  (text.length > MAX_VALUE ? '' : text)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/__/g, '-')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-_.]+|[-_.]+$/g, '')

/** The only series whose events a request asks for. */
interface OnlySeries {
  readonly name: string
  readonly metadata: Metadata
}

/** The fields of an event that name its series, and the same fields of a series. */
const NAMING: { readonly [N in FieldName]?: FieldName } = { series: 'id', series_uuid: 'uuid', series_name: 'name' }

/** Returns a condition on the series of an event that names it, as a condition on series. Any other condition is left out. */
const namingOf = (condition: Condition): readonly Condition[] => {
  // A regular expression would take further round trips.
  if (condition.kind !== 'range' && condition.kind !== 'text') return []
  const field = typeof condition.field === 'string' ? NAMING[condition.field] : undefined
  return field === undefined ? [] : [{ ...condition, field }]
}

/** Reads the only series that the request names and the caller sees. Null: there are none, or several. */
export const onlySeriesIn = async (
  reader: Reader,
  { list }: Resource,
  selection: Selection,
): Promise<OnlySeries | null> => {
  const named = list === 'events' ? conditionsIn(selection).flatMap(namingOf) : []
  if (named.length === 0) return null
  const slice = { from: { offset: 0 }, limit: 2 }
  const question = { where: allOf(named), latest: null, order: BY_ID, slice }
  const { rows } = await reader.page('series', question, { fields: ['name', 'metadata'] })
  const [row] = rows
  if (row === undefined || rows.length > 1) return null
  return { name: String(row.name), metadata: metadataOf(row) }
}

/** Returns what the name of a file tells: the filters and the page. The name of the only series replaces what names it. */
export const fileParts = (list: Resource, values: Texts, series: OnlySeries | null): Parts => {
  const asked = askedOf(list, values)
  const names = (filter: string) => /^event_series(__id|__name)?(__[a-z]+)?$/.test(filter) && !filter.endsWith(NOT)
  return series === null ? asked : [['', series.name], ...asked.filter(([filter]) => !names(filter))]
}

/** Returns the filters of a request and its page. They become part of the name of the file. */
export const askedOf = ({ filters }: Pick<Resource, 'filters'>, { texts }: Texts): Parts =>
  [...texts].filter(([name, value]) => parameterIn(filters, name) !== undefined || (name === 'page' && value !== '1'))

/** The owner of the host had it on the first day of this year (RFC 4151). Another year changes all ids. */
const YEAR = 2026

/** A longer value of a filter is not in the title. */
const MAX_IN_TITLE = 60

/**
 * Returns the head of a feed. `now-7d` stays unchanged there, so the feed keeps its id and its address. The body of a posted
 * query is in the addresses.
 */
export const feedHead = async (
  { TITLE }: Env,
  list: Resource,
  { asked, base, address }: Query,
  series: OnlySeries | null,
  rows: readonly Row[],
): Promise<FeedHead> => {
  const { hostname, pathname } = new URL(`${base}/events/`)
  const tag = `tag:${hostname},${YEAR}:`
  const question = asked.filter(({ name }) => name !== 'format')
  const query = formatQuery(question)
  const self = `${address}${formatQuery([...question, { name: 'format', value: 'atom' }])}`
  const parts = fileParts(list, { texts: question.map(({ name, value }) => [name, value]) }, series)
  const filters = parts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, value.length > MAX_IN_TITLE && name ? '' : value].filter(Boolean).join('='))
  const author = TITLE || PRODUCT
  return {
    id: `${tag}${new URL(address).pathname}?${await digest([query])}`,
    itemIds: tag + pathname,
    title: [author, ...filters].join(', '),
    author,
    links: self.length + TURN > MAX_ADDRESS ? null : { self, page: `${address}${query}` },
    titles: new Map(list.controls.map(({ name, label: [title] }) => [name, title])),
    rows,
  }
}
