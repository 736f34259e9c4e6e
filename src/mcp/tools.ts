import { tooLarge, ValueError } from '../base/errors.ts'
import type { Schema } from '../base/schema.ts'
import { isoInstant, MILLISECONDS } from '../filters/temporal.ts'
import { serveList } from '../http/lists.ts'
import { READ_METHODS } from '../http/options.ts'
import { attempt, parameterIn, refuseFaults, valuesOf, wholeNumberIn } from '../http/parameters.ts'
import { formatQuery, MAX_ADDRESS, type Parameter, TURN } from '../http/query.ts'
import { baseOf, contextOf, type RequestContext, type Route } from '../http/route.ts'
import { serveSummary } from '../http/summarise.ts'
import { SUMMARY } from '../http/summary.ts'
import { events } from '../lists/event.ts'
import type { Resource } from '../lists/resource.ts'
import { eventSeriesV4 } from '../lists/series.ts'
import type { Metadata } from '../model/types.ts'
import { type DescribedQuery, describedQuery, summaryQuery } from '../openapi/parameters.ts'

/** The answer of a tool. `data` has texts that others wrote, so a client gets it apart. */
interface ToolAnswer {
  readonly facts: object
  readonly data: string | null
}

interface Tool {
  readonly description: string
  /** Clients see these parameters. Filters also take lookups. */
  readonly properties: Readonly<Record<string, Schema>>
  readonly filters?: Resource['filters']
  /** Throws the errors of the address that it asks. */
  readonly call: (c: RequestContext, given: readonly Parameter[]) => ToolAnswer | Promise<ToolAnswer>
}

/** The most characters of an answer. A model reads about four characters as one token. */
const MAX_ANSWER = 50_000
/** The most characters of a description. */
const MAX_DESCRIPTION = 300
/** The most columns of a series in a page of several. */
const MAX_COLUMNS = 20

/** The parameters for the number of items. */
const SIZES = ['page_size', 'facet_size', 'by_size']
const SIZE = { type: 'integer', minimum: 1, maximum: 100, description: 'The number of items.' }

/** The address that a tool asks. */
interface Asked extends Pick<Route, 'path' | 'serve'> {
  /** Parameters that the client does not send. */
  readonly own: Readonly<Record<string, string>>
  /** Makes the body short. Without it, the tool only counts. */
  readonly write?: (body: string, given: readonly Parameter[]) => string
}

const valueIn = (given: readonly Parameter[], name: string): string | undefined =>
  given.find((each) => each.name === name)?.value

/** Asks an address, as a part of the request for the tool. */
const ask = async (c: RequestContext, asked: Asked, given: readonly Parameter[]): Promise<ToolAnswer> => {
  const { path, serve, own, write } = asked
  const address = `${baseOf(c)}${path}${formatQuery(given)}`
  if (address.length + TURN > MAX_ADDRESS) throw tooLarge('The question is too long. Enter a simpler geometry.')
  const others = Object.entries(own).map(([name, value]) => ({ name, value }))
  const added = others.filter(({ name }) => valueIn(given, name) === undefined)
  const inner = contextOf(c, { path, methods: READ_METHODS, serve }, formatQuery([...given, ...added]))
  const answer = await serve(inner)
  const body = await answer.text()
  const { headers } = answer
  const count = Number(headers.get('X-Total-Count') ?? JSON.parse(body).count)
  const facts = { address, state: headers.get('ETag'), count }
  if (write === undefined) return { facts, data: null }
  const page = Number(valueIn(given, 'page') || 1)
  const next = headers.get('Link')?.includes('rel="next"') ? { next_page: page + 1 } : {}
  return { facts: { ...facts, ...next }, data: write(body, given) }
}

/** A series as its tool writes it. A series may have no name. */
export interface ToldSeries {
  readonly uuid: string
  readonly name?: string
  readonly start?: string
  readonly end?: string
  /** A title, a type and a unit, by the name of the filter. */
  readonly columns: Readonly<Record<string, string>>
}

/**
 * Writes series with the columns of their events. Members without a value are left out, and the end of a long description.
 * A single series has all its columns. Several have their first ones, which keeps a page of wide series short.
 */
const seriesText = (body: string): string => {
  type Described = { readonly uuid: string } & Pick<Metadata, 'fields' | 'more'>
  const { results = [], metadata = [] } = JSON.parse(body) as Record<string, readonly Described[]>
  const described = results.map((series) => {
    const { fields = [], more = false, ...about } = metadata.find(({ uuid }) => uuid === series.uuid) ?? {}
    const shown = results.length === 1 ? fields : fields.slice(0, MAX_COLUMNS)
    const columns = shown.map(({ name, title, type, unit }) => [name, [title, type, unit].filter(Boolean).join(', ')])
    const isPart = more || shown.length < fields.length
    return { ...series, ...about, columns: Object.fromEntries(columns), more: isPart }
  })
  return JSON.stringify(described, (name, value) => {
    if ([null, false, ''].includes(value)) return undefined
    const isLong = name === 'description' && value.length > MAX_DESCRIPTION
    return isLong ? `${value.slice(0, MAX_DESCRIPTION).toWellFormed()}…` : value
  })
}

const instant = (value: unknown) => (typeof value === 'number' ? isoInstant(value, MILLISECONDS) : value)

/** Writes a summary with instants in ISO 8601, without its grid. It has bins only if the request names their length. */
const summaryText = (body: string, given: readonly Parameter[]): string => {
  const hasBins = valueIn(given, 'bins') !== undefined
  return JSON.stringify(JSON.parse(body), (name, value) => {
    if (name === 'density' || (!hasBins && ['bins', 'step'].includes(name))) return undefined
    if (name === 'start' || name === 'end') return instant(value)
    if (name !== 'bins') return value
    return value.map((bin: unknown) => (Array.isArray(bin) ? [instant(bin[0]), bin[1]] : bin))
  })
}

/** Says what a filter and its lookups mean. Without a name, it lists the filters. Throws a 400 for an unknown name. */
const meaningOf = (given: readonly Parameter[]): ToolAnswer => {
  const [asked] = given.flatMap(({ value }) => value || [])
  const { filters, controls } = events
  const tell = (name: string, lookups: readonly string[] = []) => {
    const { description, example } = parameterIn(filters, name) ?? {}
    return [name, { description, example, ...(lookups.length > 0 && { lookups: lookups.join(' ') }) }]
  }
  if (asked !== undefined) refuseFaults(valuesOf([{ name: asked, value: '' }], { names: [], filters }, []))
  const names = [...filters.keys()].filter((name) => name.startsWith(`${asked}__`))
  const all = controls.flatMap(({ name, lookups }) => (filters.has(name) ? [tell(name, lookups.slice(1))] : []))
  return { facts: Object.fromEntries(asked ? [asked, ...names].map((name) => tell(name)) : all), data: null }
}

/** Returns the schemas of parameters that the description of the interface has. */
const told = (query: DescribedQuery, ...names: readonly string[]): Record<string, Schema> => {
  const found = query.filter(({ name }) => names.includes(name))
  return Object.fromEntries(
    found.map(({ name, described: { description, schema } }) => [name, { description, ...schema }]),
  )
}

/** The filters of events. For one with lookups, its kind stands for its description. */
export const FILTERS: Record<string, Schema> = Object.fromEntries(
  events.controls.flatMap(({ name, lookups }) => {
    const filter = events.filters.get(name)
    if (filter === undefined || filter.members !== undefined) return []
    const { kind, description, example } = filter
    return [[name, { description: `${lookups.length > 1 ? `${kind}, such as` : description} ${example}` }]]
  }),
)

export const NAMES =
  'All filters must match. A name may end with a lookup: texts take __icontains, __startswith and __in, numbers and times __lt, __lte, __gt, __gte and __range. attributes__NAME, with lookups, filters a column of a series. An unknown NAME matches nothing.'

/** The description of the interface lists these names only for typed clients. */
const ORDERING = {
  description: `One of ${Object.keys(events.orderings).join(', ')}, or attributes__NAME. A - in front reverses the order.`,
}

const OF_EVENTS = describedQuery(events)
const OF_SUMMARY = ['facets', 'facet_offset', 'facet_ordering', 'statistics', 'distinct', 'by', 'bins', 'timezone']

const EVENTS = { path: events.path, serve: serveList(events) }
const NUMBER: Asked = { ...EVENTS, own: { format: 'csv', fields: 'id', page_size: '1' } }
const TABLE: Asked = { ...EVENTS, own: { format: 'csv' }, write: (body) => body }
const SUMMARIES: Asked = { path: SUMMARY.path, serve: serveSummary, own: {}, write: summaryText }
const ALL_SERIES: Asked = {
  path: eventSeriesV4.path,
  serve: serveList(eventSeriesV4),
  own: { include: 'metadata', fields: 'uuid,name,description,start,end,access_modifier', page_size: '20' },
  write: seriesText,
}

export const SERIES: Tool = {
  description:
    'Lists the series of events: uuid, name, period, source, licence, and the columns of their events. Begin here. A column has the name of its filter. If more is true, there are other columns: send the uuid of this series to see 100.',
  properties: {
    name__icontains: { description: 'A part of the name.' },
    ...told(describedQuery(eventSeriesV4), 'page'),
    page_size: SIZE,
  },
  filters: eventSeriesV4.filters,
  call: (c, given) => ask(c, ALL_SERIES, given),
}

export const TOOLS: Readonly<Record<string, Tool>> = {
  series: SERIES,
  count: {
    description: `Counts the events that match, exactly. ${NAMES}`,
    properties: { ...FILTERS, ...told(OF_EVENTS, 'timezone') },
    filters: events.filters,
    call: (c, given) => ask(c, NUMBER, given),
  },
  events: {
    description: `Shows events that match, as CSV. ${NAMES}`,
    properties: { ...FILTERS, ...told(OF_EVENTS, 'page', 'fields', 'timezone'), ordering: ORDERING, page_size: SIZE },
    filters: events.filters,
    call: (c, given) => ask(c, TABLE, given),
  },
  summary: {
    description: `Counts the events that match by field, and tells their first and last start, their bounds and statistics of numbers. It has bins only if you send bins. ${NAMES}`,
    properties: {
      ...FILTERS,
      ...told(summaryQuery(), ...OF_SUMMARY),
      facet_size: SIZE,
      by_size: SIZE,
    },
    filters: events.filters,
    call: (c, given) => ask(c, SUMMARIES, given),
  },
  filter: {
    description:
      'Tells what a filter of events means, with its lookups and examples. Without a name it tells all filters.',
    properties: { name: { description: 'The name of a filter, such as timestamp_start or attributes__mag__gte.' } },
    call: (_, given) => meaningOf(given),
  },
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** Returns the text of a value: of a list its comma list, and of a geometry its JSON. Throws a ValueError for another value. */
const textOf = (value: unknown): string => {
  if (isScalar(value)) return String(value).toWellFormed()
  if (!Array.isArray(value)) return JSON.stringify(value)
  const isList = value.length > 0 && value.every((each) => isScalar(each) && !String(each).includes(','))
  if (!isList) throw new ValueError('Enter a list of texts or numbers without commas, or one text.')
  return value.map(textOf).join(',')
}

/**
 * Calls a tool with the arguments of a client, which are parameters. Without a value, one is absent. Throws a 400 for wrong
 * ones, the errors of the address, and a 413 for an answer that is too long.
 */
export const callTool = async (
  c: RequestContext,
  { properties, filters, call }: Tool,
  given: Readonly<Record<string, unknown>>,
): Promise<ToolAnswer> => {
  const sent = Object.entries(given).filter(([, value]) => value !== null)
  const named = sent.map(([name]) => ({ name, value: '' }))
  const values = valuesOf(named, { names: Object.keys(properties), filters }, [])
  const parameters = sent.map(([name, value]) => ({ name, value: attempt(values, name, () => textOf(value), '') }))
  for (const { name, value } of parameters)
    if (SIZES.includes(name)) attempt(values, name, () => wholeNumberIn(SIZE.minimum, SIZE.maximum)(value), 0)
  refuseFaults(values)
  const answer = await call(c, parameters)
  if ((answer.data?.length ?? 0) <= MAX_ANSWER) return answer
  throw tooLarge(`The answer has more than ${MAX_ANSWER} characters. Ask for fewer items, members or bins.`)
}
