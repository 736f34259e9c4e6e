import { at } from '../base/collections.ts'
import { mistake, ValueError } from '../base/errors.ts'
import type { Reader } from '../engine/engine.ts'
import {
  type EntryOrder,
  type Facet,
  type FacetCounts,
  type FacetEntry,
  type Summary,
  UNITS,
  type Unit,
} from '../engine/summaries.ts'
import { namesIn } from '../filters/lookups.ts'
import { attributeIn } from '../filters/text.ts'
import { DOCUMENT_FORMATS } from '../formats/formats.ts'
import { events } from '../lists/event.ts'
import type { Field } from '../question/condition.ts'
import type { Selection } from '../question/question.ts'
import { ceiling, MILLISECOND } from '../question/range.ts'
import { DOCUMENT_OFFER } from './offer.ts'
import { describeQueries } from './options.ts'
import { LIST_PARAMETERS, pageOf, parametersOf, readParameters, SUMMARY_PARAMETERS } from './page.ts'
import { read, refuseFaults, textIn, wholeNumberIn } from './parameters.ts'
import { formatQuery } from './query.ts'
import { type Query, readQuery } from './read.ts'
import { answerDocument, respond } from './respond.ts'
import { callerAt, type RequestContext } from './route.ts'
import { conditionsIn, selectionOf } from './selection.ts'
import {
  ANY,
  CROSSED,
  type FacetMember,
  LIMITS,
  MAX_NAMES,
  MAX_PAIRED,
  NAMED_FACETS,
  STATISTIC_NAMES,
  SUMMARY,
} from './summary.ts'

export const serveSummary = async (c: RequestContext): Promise<Response> => {
  const { filters } = events
  const { name, description } = SUMMARY
  const about = () => ({
    ...describeQueries({ name, description, filters }, DOCUMENT_FORMATS),
    parameters: [...LIST_PARAMETERS, ...SUMMARY_PARAMETERS],
  })
  const known = { names: [...parametersOf(events), ...SUMMARY_PARAMETERS], filters }
  const query = readQuery(c, await callerAt(c), known, DOCUMENT_OFFER, { title: name, about })
  if (c.req.method === 'OPTIONS') return answerDocument(c, query, about())
  const request = readSummary(query)
  const compute = async (reader: Reader) => {
    const summary = await reader.summary(request.selection, request)
    return { headers: {}, body: writeSummary(query, request, summary) }
  }
  return respond(c, query, compute, { exists: true, cost: 'high', mayBeOld: true })
}

/** Returns what a name counts by: a facet, or an attribute. Null: no such thing. */
const facetNamed = (name: string): FacetMember | null => {
  const attribute = attributeIn(name)
  if (attribute !== null) return { field: { attribute }, members: { value: { part: 'attributes', schema: ANY } } }
  return Object.hasOwn(NAMED_FACETS, name) ? (NAMED_FACETS[name] ?? null) : null
}

/** Returns the field whose numbers a name means. Null: no such field. */
const numbersNamed = (name: string): Field | null => {
  const attribute = attributeIn(name)
  return attribute === null ? (name === 'value' ? 'value_number' : null) : { attribute }
}

/** The names of facets and of numbers, for messages. */
const FACET_NAMES = [...Object.keys(NAMED_FACETS), 'attributes__NAME']
const NUMBER_NAMES = ['value', 'attributes__NAME']

/** A name in a request, and the thing that it names. */
interface Named<T> {
  readonly name: string
  readonly found: T
}

/** Returns a reader of a name. */
const oneOf =
  <T>(find: (name: string) => T | null, known: readonly string[]) =>
  (text: string): Named<T> => {
    const name = text.trim()
    const found = find(name)
    if (found !== null) return { name, found }
    throw new ValueError(`Enter one of ${known.join(', ')}.`)
  }

/** Returns a reader of a comma list of names. */
const namesOf =
  <T>(find: (name: string) => T | null, known: readonly string[]) =>
  (text: string): Named<T>[] =>
    namesIn(text, MAX_NAMES).map((name) => {
      const found = find(name)
      if (found !== null) return { name, found }
      throw new ValueError(`Enter one or more of ${known.join(', ')}, separated by commas.`)
    })

/** The usual order of entries. */
const MOST_ROWS: EntryOrder = { by: 'count', descending: true }

/** Returns a reader of the order of entries. The request asks for the statistics of these numbers. */
const entryOrderOf =
  (numbers: readonly Named<unknown>[]) =>
  (text: string): EntryOrder => {
    const [, sign, name = ''] = /^\s*(-?)(.*?)\s*$/s.exec(text) ?? []
    const descending = sign === '-'
    if (name === 'count' || name === 'text') return { by: name, descending }
    const statistic = STATISTIC_NAMES.find((each) => name.endsWith(`__${each}`))
    const field = name.slice(0, -`__${statistic}`.length)
    const number = numbers.findIndex((each) => each.name === field)
    if (statistic !== undefined && number >= 0) return { by: { number, statistic }, descending }
    if (statistic !== undefined && numbersNamed(field) !== null)
      throw new ValueError(`Enter ${field} in statistics as well.`)
    throw new ValueError(
      `Enter count, text, or a number with a statistic, such as value__sum: ${STATISTIC_NAMES.join(', ')}. A - in front reverses the order.`,
    )
  }

/**
 * Reads a request for a summary. Throws a 400 that names every bad parameter, as a list does. Those for pages have no
 * effect.
 */
const readSummary = (query: Query) => {
  const { values, engine } = query
  const names = {
    facets: read(values, 'facets', namesOf(facetNamed, FACET_NAMES), []),
    numbers: read(values, 'statistics', namesOf(numbersNamed, NUMBER_NAMES), []),
    by: read(values, 'by', oneOf(facetNamed, FACET_NAMES), null),
  }
  const size = read(values, 'facet_size', between(LIMITS.facet_size), null)
  const offset = read(values, 'facet_offset', wholeNumberIn(0, MAX_OFFSET), null)
  const order = read(values, 'facet_ordering', entryOrderOf(names.numbers), null)
  const isPaged = size !== null || offset !== null
  const slice = { size: size ?? LIMITS.facet_size.default, offset: offset ?? 0, order: order ?? MOST_ROWS }
  const { selection } = readParameters(events, query)
  const isAll = conditionsIn(selection).length === 0 && selection.latest === null
  const level = read(values, 'level', between(LIMITS.level), LIMITS.level.default)
  const request = {
    selection,
    bins: read(values, 'bins', binsOf, LIMITS.bins.default),
    zone: values.clock,
    // All events have stored counts, which have no finer cells.
    level: isAll ? Math.min(level, LIMITS.level.default) : level,
    facets: names.facets.map(({ found }) => facetOf(found, slice)),
    by: names.by && facetOf(names.by.found, { size: CROSSED, offset: 0, order: MOST_ROWS }),
    numbers: names.numbers.map(({ found }) => found),
    names,
    isPaged,
  }
  if (names.facets.length * names.numbers.length > MAX_PAIRED)
    mistake(
      values.mistakes,
      'statistics',
      `The facets times the statistics are more than ${MAX_PAIRED}. Enter fewer names in facets or in statistics.`,
    )
  if ((isPaged || order !== null) && names.facets.length === 0) {
    const parameter = size !== null ? 'facet_size' : offset !== null ? 'facet_offset' : 'facet_ordering'
    mistake(values.mistakes, parameter, `Add the name of a facet, such as facets=${at(FACET_NAMES, 0)}.`)
  }
  refuseFaults(values)
  pageOf(textIn(values, 'page'))
  const intervals = new Map([...events.filters].filter(([, { kind }]) => kind === 'interval'))
  return { ...request, from: startOf(selectionOf(engine, { filters: intervals, list: 'events' }, values)) }
}

/** Returns the first instant of the periods of a selection, in milliseconds since 1970. The bins begin with it. */
const startOf = (periods: Selection): number | null => {
  const ends = conditionsIn(periods).flatMap((each) =>
    each.kind === 'range' && each.field === 'end' ? (each.extents[0]?.[0] ?? []) : [],
  )
  return ends.length === 0 ? null : Math.max(...ends.map((ticks) => Number(ceiling(ticks, MILLISECOND))))
}

const facetOf = ({ field, members }: FacetMember, slice: Pick<Facet, 'size' | 'offset' | 'order'>): Facet => ({
  field,
  reads: Object.values(members).map(({ part }) => part),
  ...slice,
})

const MAX_OFFSET = 999_999_999

/** Returns a reader of a number within limits. */
const between = ({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }) =>
  wholeNumberIn(minimum, maximum)

const binsOf = (text: string): number | Unit => {
  const { minimum, maximum } = LIMITS.bins
  const unit = UNITS.find((name) => name === text.trim())
  if (unit !== undefined) return unit
  if (/^\s*\d+\s*$/.test(text)) return between(LIMITS.bins)(text)
  throw new ValueError(`Enter a whole number from ${minimum} to ${maximum}, or one of ${UNITS.join(', ')}.`)
}

/** Returns the address of the entries of a facet after those of this answer. Null at the end. */
const nextOf = (
  { address, linked, hintStart }: Query,
  name: string,
  offset: number,
  { entries, more }: FacetCounts,
) => {
  if (more === 0) return null
  const own = { facets: name, facet_offset: String(offset + entries.length), hint: hintStart }
  const others = linked.filter((each) => !Object.hasOwn(own, each.name))
  const added = Object.entries(own).map(([name, value]) => ({ name, value }))
  return `${address}${formatQuery([...others, ...added.filter(({ value }) => value !== '')])}`
}

type SummaryRequest = ReturnType<typeof readSummary>

/** Writes a summary, with the facets and columns of numbers that the request names. */
const writeSummary = (
  query: Query,
  { names, isPaged, facets: requested }: SummaryRequest,
  { count, least, greatest, step, bins, bounds, level, cells, facets, by, statistics }: Summary,
): object => {
  const byNumber = <S>(all: readonly S[], write: (each: S) => object) =>
    names.numbers.length > 0 && {
      statistics: Object.fromEntries(all.map((each, i) => [at(names.numbers, i).name, write(each)])),
    }
  const entryOf = ({ members }: FacetMember, { value, count, statistics }: FacetEntry) => ({
    ...Object.fromEntries(Object.entries(members).map(([member, { part }]) => [member, value[part]])),
    count,
    ...byNumber(statistics, (each) => each),
  })
  /** An attribute always has a count of the events without a value. A category or a start may only be missing in a view. */
  const withoutIn = ({ field }: FacetMember, { without }: FacetCounts) =>
    ((typeof field === 'object' && 'attribute' in field) || (without > 0 && field !== 'object_type')) && { without }
  const shown = names.facets.map(({ name, found }, i) => {
    const facet = at(facets, i)
    const next = isPaged && { next: nextOf(query, name, at(requested, i).offset, facet) }
    const entries = facet.entries.map((entry) => entryOf(found, entry))
    return [name, { entries, more: facet.more, ...withoutIn(found, facet), ...next }]
  })
  const crossedBy = ({ name, found }: Named<FacetMember>, { entries, more, rest }: NonNullable<Summary['by']>) => ({
    [name]: { entries: entries.map((entry) => ({ ...entryOf(found, entry), bins: entry.bins })), more, rest },
  })
  return {
    count,
    time: { start: least, end: greatest, step, bins },
    spatial_bounds: bounds && { west: bounds[0], south: bounds[1], east: bounds[2], north: bounds[3] },
    density: { level, cells },
    // Beside writes, the cells may be those of an earlier moment.
    without_geometry: Math.max(
      0,
      cells.reduce((rest, cell) => rest - cell[4], count),
    ),
    ...(shown.length > 0 && { facets: Object.fromEntries(shown) }),
    ...(names.by !== null && by && { by: crossedBy(names.by, by) }),
    ...byNumber(statistics, ({ bins, ...whole }) => ({
      ...whole,
      bins: bins.map(([start, each]) => ({ start, ...each })),
    })),
  }
}
