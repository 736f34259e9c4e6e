import { at } from '../base/collections.ts'
import { mistake, ValueError } from '../base/errors.ts'
import { INTEGER, type Schema, STRING, UUID } from '../base/schema.ts'
import { TIME_PARTS } from '../base/zone.ts'
import {
  type EntryOrder,
  type Facet,
  NO_NUMBERS,
  type NumberStatistics,
  UNITS,
  type Unit,
} from '../engine/summaries.ts'
import { namesIn } from '../filters/lookups.ts'
import { attributeIn } from '../filters/text.ts'
import { isFlat } from '../formats/formats.ts'
import { events } from '../lists/event.ts'
import { color } from '../model/kinds.ts'
import type { FieldRef } from '../question/condition.ts'
import type { FieldName } from '../question/fields.ts'
import type { Selection } from '../question/question.ts'
import { ceiling, MILLISECOND } from '../question/range.ts'
import { pageOf, readParameters } from './page.ts'
import { type QueryValues, read, refuseFaults, textIn, wholeNumberIn } from './parameters.ts'
import type { Query } from './read.ts'
import { conditionsIn, selectionOf } from './selection.ts'

/** A client can count events by a field. `members` names the parts of a value, and their schemas. */
export interface FacetMember {
  readonly field: Facet['field']
  readonly members: Readonly<Record<string, { readonly part: FieldName; readonly schema: Schema }>>
}

const textFacet = (field: FieldName): FacetMember => ({ field, members: { value: { part: field, schema: STRING } } })

export const NAMED_FACETS: Readonly<Record<string, FacetMember>> = {
  category: textFacet('category'),
  event_series: {
    field: 'series',
    members: {
      id: { part: 'series', schema: INTEGER },
      uuid: { part: 'series_uuid', schema: UUID },
      name: { part: 'series_name', schema: STRING },
      color: { part: 'series_color', schema: color.schema },
    },
  },
  object_type__model: textFacet('object_type'),
  ...Object.fromEntries(
    TIME_PARTS.map((part): [string, FacetMember] => [
      `timestamp_start__${part}`,
      { field: { start: part }, members: { value: { part: 'start', schema: INTEGER } } },
    ]),
  ),
}

/** An attribute may have any value of JSON. */
export const ANY: Schema = {}

/**
 * The most facets of a summary, the most numbers and distinct names together, and the most pairs of both. Each pair costs
 * as much for each row.
 */
export const [MAX_NAMES, MAX_PAIRED] = [20, 50]

/** The names of the statistics of numbers. */
export const STATISTIC_NAMES = Object.keys(NO_NUMBERS) as readonly (keyof NumberStatistics)[] // it has no others

// Each of these parameters has limits and a default.
export const LIMITS = {
  bins: { minimum: 1, maximum: 512, default: 256 },
  /** The default is the finest level with stored counts. */
  level: { minimum: 0, maximum: 12, default: 8 },
  facet_size: { minimum: 1, maximum: 1000, default: 100 },
  by_size: { minimum: 1, maximum: 100, default: 20 },
}

/** Returns what a name counts by: a facet, or an attribute. Null: no such thing. */
const facetNamed = (name: string): FacetMember | null => {
  const attribute = attributeIn(name)
  if (attribute !== null) return { field: { attribute }, members: { value: { part: 'attributes', schema: ANY } } }
  return Object.hasOwn(NAMED_FACETS, name) ? (NAMED_FACETS[name] ?? null) : null
}

/** Returns the field whose numbers a name means. Null: no such field. */
const numbersNamed = (name: string): FieldRef | null => {
  const attribute = attributeIn(name)
  return attribute === null ? (name === 'value' ? 'value_number' : null) : { attribute }
}

/** Returns the field whose different values a name means. Null: no such field. */
const fieldNamed = (name: string): FieldRef | null => {
  const field = facetNamed(name)?.field ?? null
  return typeof field === 'object' && field !== null && 'start' in field ? null : field
}

/** The names of facets, of numbers and of fields with different values, for messages. */
const FACET_NAMES = [...Object.keys(NAMED_FACETS), 'attributes__NAME']
const NUMBER_NAMES = ['value', 'attributes__NAME']
const FIELD_NAMES = FACET_NAMES.filter((name) => !name.startsWith('timestamp_start__'))

/** A request names a thing. */
export interface Found<T> {
  readonly name: string
  readonly found: T
}

/** Returns a reader of a name. */
const oneOf =
  <T>(find: (name: string) => T | null, known: readonly string[]) =>
  (text: string): Found<T> => {
    const name = text.trim()
    const found = find(name)
    if (found !== null) return { name, found }
    throw new ValueError(`Enter one of ${known.join(', ')}.`)
  }

/** Returns a reader of a comma list of names. */
const namesOf =
  <T>(find: (name: string) => T | null, known: readonly string[]) =>
  (text: string): Found<T>[] =>
    namesIn(text, MAX_NAMES).map((name) => {
      const found = find(name)
      if (found !== null) return { name, found }
      throw new ValueError(`Enter one or more of ${known.join(', ')}, separated by commas.`)
    })

/** The usual order of entries. */
const MOST_ROWS: EntryOrder = { by: 'count', descending: true }

/** Returns a reader of the order of entries. The request asks for the statistics of these numbers. */
const entryOrderOf =
  (numbers: readonly Found<unknown>[]) =>
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
export const readSummary = (query: Query) => {
  const { values, engine } = query
  const names = {
    facets: read(values, 'facets', namesOf(facetNamed, FACET_NAMES), []),
    numbers: read(values, 'statistics', namesOf(numbersNamed, NUMBER_NAMES), []),
    distinct: read(values, 'distinct', namesOf(fieldNamed, FIELD_NAMES), []),
    by: read(values, 'by', oneOf(facetNamed, FACET_NAMES), null),
  }
  const { numbers, distinct, by } = names
  const size = read(values, 'facet_size', between(LIMITS.facet_size), null)
  const offset = read(values, 'facet_offset', wholeNumberIn(0, MAX_OFFSET), null)
  const order = read(values, 'facet_ordering', entryOrderOf(numbers), null)
  const bySize = read(values, 'by_size', between(LIMITS.by_size), null)
  const byOrder = read(values, 'by_ordering', entryOrderOf(numbers), null)
  const slice = { size: size ?? LIMITS.facet_size.default, offset: offset ?? 0, order: order ?? MOST_ROWS }
  const bySlice = { size: bySize ?? LIMITS.by_size.default, offset: 0, order: byOrder ?? MOST_ROWS }
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
    by: by && facetOf(by.found, bySlice),
    numbers: numbers.map(({ found }) => found),
    distinct: distinct.map(({ found }) => found),
    names,
    isPaged: size !== null || offset !== null,
  }
  checkPairs(values, names.facets.length, numbers.length, distinct.length)
  if (names.facets.length === 0)
    checkFacet(values, 'facets', { facet_size: size, facet_offset: offset, facet_ordering: order })
  if (by === null) checkFacet(values, 'by', { by_size: bySize, by_ordering: byOrder })
  if (isFlat(query.format)) checkTable(values, names)
  refuseFaults(values)
  pageOf(textIn(values, 'page'))
  const intervals = new Map([...events.filters].filter(([, { kind }]) => kind === 'interval'))
  return { ...request, from: startOf(selectionOf(engine, { filters: intervals, list: 'events' }, values)) }
}

type Names = Readonly<Record<'facets' | 'distinct', readonly object[]>> & { readonly by: object | null }

/** Notes a mistake for what a table has no column for. Its rows are the entries of one facet, or bins. */
const checkTable = ({ mistakes }: QueryValues, { facets, by, distinct }: Names): void => {
  if (facets.length > (by === null ? 1 : 0))
    mistake(mistakes, 'facets', 'A table has the entries of one facet. Enter one name in facets, or only by.')
  if (distinct.length > 0 && facets.length === 0)
    mistake(
      mistakes,
      'distinct',
      'A table of bins does not count different values. Enter one name in facets, or leave distinct out.',
    )
}

export type SummaryRequest = ReturnType<typeof readSummary>

/** Notes a mistake if a request has too many pairs of a facet and a number or a distinct name. */
const checkPairs = ({ mistakes }: QueryValues, facets: number, numbers: number, distinct: number): void => {
  const parameter = distinct === 0 ? 'statistics' : 'distinct'
  const paired = distinct === 0 ? 'statistics' : 'names in statistics and distinct'
  const fewer = `Enter fewer names in facets${distinct === 0 ? ' or in statistics' : ', in statistics or in distinct'}.`
  if (numbers + distinct > MAX_NAMES)
    mistake(mistakes, parameter, `Enter at most ${MAX_NAMES} names in statistics and distinct together.`)
  if (facets * (numbers + distinct) > MAX_PAIRED)
    mistake(mistakes, parameter, `The facets times the ${paired} are more than ${MAX_PAIRED}. ${fewer}`)
}

/** Notes a mistake for a parameter that is about the entries of a facet, if the request names none. */
const checkFacet = ({ mistakes }: QueryValues, name: string, given: Readonly<Record<string, unknown>>): void => {
  const parameter = Object.keys(given).find((each) => given[each] !== null)
  if (parameter !== undefined)
    mistake(mistakes, parameter, `Add the name of a facet, such as ${name}=${at(FACET_NAMES, 0)}.`)
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
