import { mistake, notFound, ValueError, valueError } from '../base/errors.ts'
import { inEnglish } from '../base/messages.ts'
import { namesIn } from '../filters/lookups.ts'
import { placeOf } from '../filters/spatial.ts'
import { NOT_IN_FEED } from '../formats/downloads.ts'
import { type Format, fieldsIn, HTML_FORMAT, isFlat, isItems, STREAMED, viewIn } from '../formats/formats.ts'
import { attributeNamed, jsonFields, type ShownView, shownIn, VALUE_NUMBER, withZone } from '../formats/shown.ts'
import type { LonLat } from '../geometry/bbox.ts'
import type { Resource } from '../lists/resource.ts'
import type { View } from '../model/members.ts'
import { MAX_FIELDS } from '../model/metadata.ts'
import { BY_ID, type Order, type Question, type RowPosition } from '../question/question.ts'
import { ALL, type QueryValues, read, refuseFaults, textIn, wholeNumberIn } from './parameters.ts'
import { parseHint, requestKeyOf } from './query.ts'
import type { Query } from './read.ts'
import type { RequestContext } from './route.ts'
import { orderNamed, selectionOf } from './selection.ts'
import { suggestionFor } from './suggestion.ts'

export const DEFAULT_PAGE_SIZE = 10

/** The parameters of every list except filters. Items and roots accept them, because clients send them everywhere. */
export const LIST_PARAMETERS = ['after', 'consistent', 'format', 'hint', 'ordering', 'page', 'page_size'] as const

/** More parameters of lists. They add items of another list, add the plan, and choose members, separators and the time zone. */
export const MORE_PARAMETERS = ['include', 'explain', 'fields', 'locale', 'timezone'] as const

/** The parameters of a summary except filters. It also takes those of pages, because clients pass them on. */
export const SUMMARY_PARAMETERS = [
  'bins',
  'by',
  'by_size',
  'by_ordering',
  'timezone',
  'locale',
  'level',
  'facets',
  'facet_size',
  'facet_offset',
  'facet_ordering',
  'statistics',
  'distinct',
] as const

type ListParameter = (typeof LIST_PARAMETERS)[number] | (typeof MORE_PARAMETERS)[number]

/** Returns the parameters of a list except its filters. Only a long list takes `after`. */
export const parametersOf = (resource: Pick<Resource, 'included' | 'list'>): ListParameter[] => [
  ...LIST_PARAMETERS.filter((name) => name !== 'after' || resource.list === 'events'),
  ...MORE_PARAMETERS.filter((name) => name !== 'include' || resource.included !== undefined),
]

/** Returns the parameters of a list that have an effect in a file. The others choose or need another format. */
export const fileParametersOf = (resource: Resource): ListParameter[] =>
  parametersOf(resource).filter((name) => !['format', 'include', 'explain', 'locale'].includes(name))

/** A client asks for one slice of a list or for all of it. `shown` has the members of its items. */
export interface Ask {
  readonly question: Question
  /**
   * A `page` has all items of the slice. A `part` has fewer if they have much text. `all` stands for all items of the list.
   * With `consistent`, all of them belong to one state of the data.
   */
  readonly whole: 'page' | 'part' | typeof ALL | 'consistent'
  /** The items of another list that a page adds, with the name of their member. Null: none. */
  readonly added: { readonly name: string; readonly view: View } | null
  readonly explain: boolean
  readonly shown: ShownView
  /** Identifies the request for its hints. */
  readonly key: string
}

/** Reads the parameters of a list. Notes a mistake for each faulty one. */
export const readParameters = (resource: Resource, { engine, values: sent, format }: Query) => {
  const { included, list, maxPageSize } = resource
  const streams = isItems(format)
  const slice = streams ? format.slice : undefined
  const values = slice === undefined ? sent : withoutPages(sent, slice.limit)
  const shown = readShown(resource, values, format)
  const selection = selectionOf(engine, resource, values)
  const readOrder = (text: string) => orderNamed(resource, values, text.replace(/^-/, ''), text.startsWith('-'))
  const order = slice?.order ?? read(values, 'ordering', readOrder, BY_ID)
  const readSize = (text: string) => pageSizeOf(text, maxPageSize, streams)
  const size = slice?.limit ?? read<number | typeof ALL>(values, 'page_size', readSize, DEFAULT_PAGE_SIZE)
  if (size === ALL) read(values, 'page', onlyFirst, null)
  return {
    shown,
    selection,
    order,
    size,
    after: list === 'events' ? read(values, 'after', (text) => positionOf(text, order), null) : null,
    consistent: read(values, 'consistent', booleanOf, false),
    added: included ? read(values, 'include', (text) => addedBy(text, included, streams), null) : null,
    explain: read(values, 'explain', booleanOf, false),
  }
}

/** Reads a request for a list. Throws one 400 for all bad parameters, or else a 404 for a wrong page. */
export const readList = async (c: RequestContext, resource: Resource, query: Query): Promise<Ask> => {
  const { caller, values, parameters } = query
  const { selection, order, size, after, consistent, ...request } = readParameters(resource, query)
  const shown = inZoneAsked(request.shown, values, query.format)
  refuseFaults(values)
  const key = await requestKeyOf(resource.under ? c.req.path : resource.path, parameters, caller.level)
  const page = pageOf(textIn(values, 'page'))
  const isFirst = page === 'last' || page === 1
  const hint = isFirst ? null : await parseHint(textIn(values, 'hint'), key, page, c.env)
  // The number of a page counts from that position, so only a hint finds another page.
  if (after !== null && hint === null && page !== 1) throw invalidPage()
  const whole = size === ALL ? (consistent ? 'consistent' : ALL) : 'page'
  const limit = size === ALL ? resource.maxPageSize : size
  const offset = page === 'last' ? 0 : (page - 1) * limit
  const first = after !== null && hint === null ? { after } : { offset, hint }
  const slice = { from: page === 'last' ? ('end' as const) : first, limit }
  return { ...request, shown, question: { ...selection, order, slice }, whole, key }
}

export const invalidPage = () => notFound('Invalid page.')

const addedBy = (name: string, included: Readonly<Record<string, View>>, streams: boolean) => {
  if (streams) throw new ValueError('Only format=json and format=api accept this parameter. Leave it out.')
  const view = Object.hasOwn(included, name) ? included[name] : undefined
  if (view !== undefined) return { name, view }
  throw new ValueError(`Enter ${Object.keys(included).join(' or ')}.`)
}

/**
 * Reads what an answer shows of each item. The HTML page has events as in GeoJSON, so it reads one shape in every version.
 * It gets all members, because its map needs them. There `fields` chooses columns of the table, so it may also have names
 * of its fields.
 */
export const readShown = (resource: Resource, values: QueryValues, format: Format): ShownView => {
  const { controls, flat, list, place } = resource
  const isHtml = format === HTML_FORMAT
  const near = nearIn(values)
  const own = isHtml && list === 'events' ? flat : viewIn(format, resource)
  const all = shownIn(own, place, near)
  const known = () => {
    if (isHtml) return [...jsonFields(resource), ...controls.map(({ name }) => name)]
    const names = fieldsIn(format, all)
    return isFlat(format) && names.includes('value') ? [...names, VALUE_NUMBER.name] : names
  }
  const fields = read(values, 'fields', (text) => membersIn(text, [...new Set(known())]), null)
  return isHtml ? all : shownIn(own, place, near, fields)
}

/** Returns what a file shows, with times on the clock of the request. Other formats have times in UTC. */
export const inZoneAsked = (shown: ShownView, { clock }: QueryValues, format: Format): ShownView =>
  clock !== null && isFlat(format) ? { ...shown, view: withZone(shown.view, clock) } : shown

/** Returns the position of `near`. Items show their distance from it. Null: the request has none. */
export const nearIn = (values: QueryValues): LonLat | null =>
  values.texts.has('near') ? placeOf(textIn(values, 'near')) : null

/** Reads a comma list of members, and of attributes if items have these. Throws a ValueError for an unknown one. */
export const membersIn = (text: string, known: readonly string[]): ReadonlySet<string> => {
  const names = namesIn(text)
  const takesAttributes = known.includes('attributes')
  const isKnown = (name: string) => known.includes(name) || (takesAttributes && attributeNamed(name) !== null)
  const unknown = names.find((name) => !isKnown(name))
  const attributes = names.filter((each) => !known.includes(each))
  if (unknown === undefined && attributes.length > MAX_FIELDS) throw valueError(['tooManyAttributes', MAX_FIELDS])
  if (unknown === undefined) return new Set(names)
  const name = unknown.slice(0, MAX_NAME)
  const near = suggestionFor(name, known)
  const hint = near ? inEnglish(near) : `Enter one or more of ${known.join(', ')}, separated by commas.`
  throw new ValueError(`Items have no member "${name}" in this format. ${hint}`)
}

const MAX_NAME = 50

const pageSizeOf = (text: string, max: number, streams: boolean): number | typeof ALL => {
  if (text.trim() !== ALL) return wholeNumberIn(1, max)(text)
  if (streams) return ALL
  const formats = STREAMED.map((name) => `format=${name}`).join(', ')
  throw new ValueError(
    `Only ${formats} accept ${ALL}. Enter a whole number from 1 to ${max}, or use one of these formats.`,
  )
}

/**
 * Reads the last position of an interrupted download. It is the id of the last item, after its time if the list has an
 * order.
 */
const positionOf = (text: string, { by }: Order): RowPosition => {
  const ordered = by !== 'id'
  if (ordered && by !== 'start' && by !== 'end')
    throw new ValueError('Only an order by id, start or end takes after. Choose one of them, or leave after out.')
  const [, value, id] = /^\s*(?:(-?\d{1,16}),)?(\d{1,16})\s*$/.exec(text) ?? []
  const isSafe = [value ?? 0, id].every((number) => Number.isSafeInteger(Number(number)))
  if (id !== undefined && ordered === (value !== undefined) && isSafe)
    return { value: value === undefined ? null : Number(value), id: Number(id) }
  throw new ValueError(
    ordered
      ? 'Enter the time of the last item in milliseconds, a comma, and its id, such as 1517788800000,4711.'
      : 'Enter the id of the last item, such as 4711.',
  )
}

/** Notes a mistake for each parameter of pages, and returns the other parameters. */
const withoutPages = (values: QueryValues, limit: number): QueryValues => {
  const texts = new Map(values.texts)
  for (const name of NOT_IN_FEED) {
    const message = `A feed has the ${limit} events that changed last, whole. Leave ${name} out.`
    if (texts.get(name)) mistake(values.mistakes, name, message)
    texts.delete(name)
  }
  return { ...values, texts }
}

const booleanOf = (text: string): boolean => {
  if (text !== 'true' && text !== 'false') throw new ValueError('Enter true or false.')
  return text === 'true'
}

const onlyFirst = (text: string): null => {
  if (/^(0*1)?$/.test(text.trim())) return null
  throw new ValueError(`page_size=${ALL} has only one page. Leave page out, or enter 1.`)
}

/** Reads the number of a page. Throws a 404 for a wrong one. */
export const pageOf = (text: string): number | 'last' => {
  const given = text.trim() || '1'
  if (given === 'last') return given
  const page = /^0*\d{1,9}$/.test(given) ? Number(given) : 0
  if (page < 1) throw invalidPage()
  return page
}
