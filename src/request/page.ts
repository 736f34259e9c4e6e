import {
  invalidPage,
  type Order,
  parseCursor,
  type RowPosition,
  type Seal,
  type SentCursor,
} from '../engine/conditions/page.ts'
import { END, isEvents, START } from '../engine/events.ts'
import type { AllRequest } from '../engine/read.ts'
import { ValueError } from '../errors.ts'
import type { Condition } from '../filters/filter.ts'
import { type Format, fieldsIn, HTML_FORMAT, STREAMED } from '../formats/formats.ts'
import { inEnglish } from '../messages.ts'
import type { Resource } from '../resource.ts'
import { orderFrom } from './order.ts'
import { attempt, parameterIn, read, refuseFaults, textIn, type Values, wholeNumber } from './parameters.ts'
import { EXPLAIN } from './query.ts'
import { suggestionFor } from './suggestion.ts'

export const DEFAULT_PAGE_SIZE = 10

/** The parameters of every list except filters. Items and roots accept them, because clients send them everywhere. */
export const LIST_PARAMETERS = ['after', 'consistent', 'format', 'hint', 'ordering', 'page', 'page_size'] as const

/** The parameters of a summary except filters. A summary ignores those of pages, because clients pass them on. */
export const SUMMARY_PARAMETERS = [
  'bins',
  'by',
  'timezone',
  'level',
  'facets',
  'facet_size',
  'facet_offset',
  'statistics',
] as const

/** The parameter that adds items of another list to a page. */
export const INCLUDE = 'include' as const

/** The parameter that chooses members of items. */
export const FIELDS = 'fields' as const

/** The parameter that chooses the separators of a spreadsheet. */
export const LOCALE = 'locale' as const

export type ListParameter =
  | (typeof LIST_PARAMETERS)[number]
  | typeof INCLUDE
  | typeof EXPLAIN
  | typeof FIELDS
  | typeof LOCALE

/** Returns the parameters of a list except its filters. Only a long list takes `after`. */
export const parametersOf = (resource: Pick<Resource, 'included' | 'table'>): ListParameter[] => [
  ...LIST_PARAMETERS.filter((name) => name !== 'after' || isEvents(resource)),
  ...(resource.included === undefined ? [] : [INCLUDE]),
  EXPLAIN,
  FIELDS,
  LOCALE,
]

/** Returns the parameters of a list that have an effect in a file. The others choose or need another format. */
export const fileParametersOf = (resource: Resource): ListParameter[] =>
  parametersOf(resource).filter((name) => !['format', INCLUDE, EXPLAIN, LOCALE].includes(name))

/** A planned read of one page or of the whole result. */
export interface ListRequest extends AllRequest {
  readonly all: boolean
  /** The name of the items to add to a page. Null: none. */
  readonly include: string | null
  readonly explain: boolean
}

/** The value of page_size for everything that matches. */
export const ALL = 'all'

/** Returns true if the client requests everything that matches, in any format. */
export const requestsAll = (values: Values): boolean => textIn(values, 'page_size').trim() === ALL

/**
 * Plans a request. `streams`: the format can be sent in parts. Throws one 400 for all bad parameters, or else a 404 for
 * a wrong page. The `key` identifies the request for cursors.
 */
export const readListRequest = async (
  resource: Resource,
  values: Values,
  key: string,
  streams: boolean,
  seal: Seal,
): Promise<ListRequest> => {
  const conditions = conditionsOf(resource, values)
  const order = read(values, 'ordering', (text) => orderFrom(resource, values, text), {
    column: null,
    descending: false,
  })
  const size = read(values, 'page_size', pageSizeOf(resource.maxPageSize, streams), DEFAULT_PAGE_SIZE)
  const all = size === ALL
  if (all) read(values, 'page', onlyFirst, null)
  const after = isEvents(resource) ? read(values, 'after', positionOf(order), null) : null
  const consistent = read(values, 'consistent', booleanOf, false)
  const include = resource.included ? read(values, INCLUDE, includeOf(resource.included, streams), null) : null
  const explain = read(values, EXPLAIN, booleanOf, false)
  refuseFaults(values)
  const page = pageOf(textIn(values, 'page'))
  const isFirst = page === 'last' || page === 1
  const hint = isFirst ? null : await parseCursor(textIn(values, 'hint'), key, page, seal)
  // The number of a page counts from that position, so only a hint finds another page.
  if (after !== null && hint === null && page !== 1) throw invalidPage()
  const cursor = hint ?? (after === null ? null : cursorAt(after))
  const pageSize = all ? resource.maxPageSize : size
  return { conditions, order, page, pageSize, cursor, all, after, consistent, include, explain }
}

export const narrowed = <R extends Pick<ListRequest, 'conditions'>>({ fixed = [] }: Resource, request: R): R => ({
  ...request,
  conditions: [...fixed, ...request.conditions],
})

/** Returns the conditions of all filters in a request. Notes a mistake for each faulty value. */
export const conditionsOf = ({ filters }: Pick<Resource, 'filters'>, values: Values): Condition[] => {
  const conditions: Condition[] = []
  for (const [name, value] of values.texts) {
    const filter = parameterIn(filters, name)
    if (filter === undefined || (value === '' && !filter.takesEmpty)) continue
    const other = filter.beside === undefined ? undefined : values.texts.get(filter.beside)
    conditions.push(...[attempt(values, name, () => filter.lookup(value, other), [])].flat())
  }
  return conditions
}

const includeOf =
  (included: object, streams: boolean) =>
  (text: string): string => {
    if (streams) throw new ValueError('Only format=json and format=api accept this parameter. Leave it out.')
    if (Object.hasOwn(included, text)) return text
    throw new ValueError(`Enter ${Object.keys(included).join(' or ')}.`)
  }

/** Reads the members that the client chooses. Null: all. The HTML page shows all, because its table and map need them. */
export const readFields = (resource: Resource, values: Values, format: Format): ReadonlySet<string> | null => {
  const fields = read(
    values,
    FIELDS,
    membersFrom(() => fieldsIn(format, resource)),
    null,
  )
  return format === HTML_FORMAT ? null : fields
}

/** Returns a reader of a comma list of members. It throws a ValueError for an unknown one. */
export const membersFrom =
  (knownIn: () => readonly string[]) =>
  (text: string): ReadonlySet<string> => {
    const known = knownIn()
    const names = text.split(',').map((name) => name.trim())
    const unknown = names.find((name) => !known.includes(name))
    if (unknown === undefined) return new Set(names)
    const name = unknown.slice(0, MAX_NAME)
    const near = suggestionFor(name, known)
    const hint = near ? inEnglish(near) : `Enter one or more of ${known.join(', ')}, separated by commas.`
    throw new ValueError(`Items have no member "${name}" in this format. ${hint}`)
  }

/** A message repeats at most so many characters of a name. */
const MAX_NAME = 50

const pageSizeOf = (max: number, streams: boolean) => (text: string) => {
  if (text.trim() !== ALL) return wholeNumber(1, max)(text)
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
const positionOf =
  ({ column, near }: Order) =>
  (text: string): RowPosition => {
    const ordered = column !== null
    if (near !== undefined || (ordered && column !== START && column !== END))
      throw new ValueError('Only an order by id, start or end takes after. Choose one of them, or leave after out.')
    const [, value, id] = /^\s*(?:(-?\d{1,16}),)?(\d{1,16})\s*$/.exec(text) ?? []
    const isSafe = [value ?? 0, id].every((number) => Number.isSafeInteger(Number(number)))
    if (id === undefined || ordered !== (value !== undefined) || !isSafe)
      throw new ValueError(
        ordered
          ? 'Enter the time of the last item in milliseconds, a comma, and its id, such as 1517788800000,4711.'
          : 'Enter the id of the last item, such as 4711.',
      )
    return { value: value === undefined ? null : Number(value), id: Number(id) }
  }

const booleanOf = (text: string): boolean => {
  if (text !== 'true' && text !== 'false') throw new ValueError('Enter true or false.')
  return text === 'true'
}

/** Returns the cursor of the page that begins after a position. The matches are counted again. */
const cursorAt = (from: RowPosition): SentCursor => ({ backward: false, from, state: null, count: 0, rowsPerMatch: 0 })

const onlyFirst = (text: string): null => {
  if (/^(0*1)?$/.test(text.trim())) return null
  throw new ValueError(`page_size=${ALL} has only one page. Leave page out, or enter 1.`)
}

const pageOf = (text: string): number | 'last' => {
  const given = text.trim() || '1'
  if (given === 'last') return given
  const page = /^0*\d{1,9}$/.test(given) ? Number(given) : 0
  if (page < 1) throw invalidPage()
  return page
}
