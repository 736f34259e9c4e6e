import type { SQLWrapper } from 'drizzle-orm'
import { at } from '../collections.ts'
import type { Database } from '../engine/run/database.ts'
import { UNITS, type Unit } from '../engine/summary/calendar.ts'
import type { Facet, FacetCounts, FacetSlice } from '../engine/summary/facets.ts'
import { NO_NUMBERS, type SummaryStatistics } from '../engine/summary/statistics.ts'
import { type Crossed, fetchSummary, type Summary, type SummaryRequest } from '../engine/summary/summary.ts'
import { mistake, ValueError } from '../errors.ts'
import type { FilterSet } from '../filters/filter.ts'
import type { Schema } from '../filters/lookups.ts'
import { DOCUMENT_FORMATS } from '../formats/formats.ts'
import type { Described } from '../model/schema.ts'
import type { Resource } from '../resource.ts'
import { type Zone, zoneOf } from '../zone.ts'
import { DOCUMENT_OFFER } from './offer.ts'
import { describeQueries } from './options.ts'
import { conditionsOf, LIST_PARAMETERS, parametersOf, SUMMARY_PARAMETERS } from './page.ts'
import { knownOf, read, refuseFaults, type Values, wholeNumber } from './parameters.ts'
import { formatQuery } from './query.ts'
import { type Query, readQuery, refuseState } from './read.ts'
import { answerDocument, respond } from './respond.ts'
import { callerAt, type RequestContext } from './route.ts'
import { tagsOnly } from './validators.ts'

/**
 * A published summary of a long list. It has the filters of the list, and counts only the events that the caller sees.
 */
export interface Summarised {
  /** The path from the root, with a slash at both ends. */
  readonly path: string
  readonly name: string
  readonly description: string
  readonly of: Resource
  /** The dictionaries whose entries a client can count by, with the schemas of these entries. */
  readonly facets: Readonly<Record<string, Facet>>
  /** The columns whose numbers a client can summarize. */
  readonly numbers: Readonly<Record<string, SQLWrapper>>
  /** The limits of the number of bins, and of the level of cells: 2^level of them lie side by side. */
  readonly bins: Limits
  readonly level: Limits
  /** The limits of the number of entries in a facet. */
  readonly facetSize: Limits
  /** The most entries whose bins are listed one by one. */
  readonly crossed: number
  /** Describes its parameters except filters. */
  readonly parameters: Readonly<Record<(typeof SUMMARY_PARAMETERS)[number], Described>>
  /** The schema of a summary, and each schema that it refers to. */
  readonly schemas: Readonly<Record<string, Schema>>
}

/** The limits of a number, and its value if the client gives none. */
interface Limits {
  readonly minimum: number
  readonly maximum: number
  readonly default: number
}

/** Serves the address of a summary, with the methods of its list. */
export const serveSummary = (summarised: Summarised) => async (c: RequestContext) => {
  const { of, name } = summarised
  const caller = await callerAt(c)
  const known = knownOf([...parametersOf(of), ...SUMMARY_PARAMETERS], of.filters, ['facets', 'statistics'])
  const about = () => describeSummary(summarised)
  const asked = readQuery(c, caller, { known, offer: DOCUMENT_OFFER, takesForm: true, title: name, about })
  if (c.req.method === 'OPTIONS') return answerDocument(c, asked, about())
  refuseState(asked)
  const { names, slice, ...query } = readSummaryRequest(summarised, asked.values)
  const next = slice && nextOf(asked, slice)
  const fetch = async (db: Database) => ({
    headers: {},
    body: serializeSummary(await fetchSummary(db, of, query, caller.level), names, next),
  })
  return respond(c, asked, fetch, { early: tagsOnly, cost: 'high', mayBeOld: true })
}

/** Plans a summary. Throws a 400 that names every bad parameter. It ignores the parameters for pages. */
const readSummaryRequest = (
  { of, facets, numbers, bins, level, facetSize, crossed }: Summarised,
  values: Values,
): SummaryRequest & { readonly names: Names; readonly slice: FacetSlice | null } => {
  const names = {
    facets: read(values, 'facets', namesOf(Object.keys(facets)), []),
    numbers: read(values, 'statistics', namesOf(Object.keys(numbers)), []),
    by: read(values, 'by', nameOf(Object.keys(facets)), null),
  }
  const size = read(values, SIZE, wholeNumber(facetSize.minimum, facetSize.maximum), null)
  const offset = read(values, OFFSET, wholeNumber(0, MAX_OFFSET), null)
  const isPaged = size !== null || offset !== null
  const slice = { size: size ?? facetSize.default, offset: offset ?? 0 }
  const facet = (name: string) => facets[name] as Facet // `namesOf` and `nameOf` have checked the names
  const request = {
    conditions: conditionsOf(of, values),
    bins: read(values, 'bins', binsOf(bins), bins.default),
    zone: read(values, 'timezone', zoneNamed, null),
    level: read(values, 'level', wholeNumber(level.minimum, level.maximum), level.default),
    facets: names.facets.map((name) => ({ ...facet(name), ...slice })),
    by: names.by === null ? null : { ...facet(names.by), size: crossed, offset: 0 },
    numbers: names.numbers.map((name) => numbers[name] as SQLWrapper), // as above
    names,
    slice: isPaged ? slice : null,
  }
  if (request.zone !== null && typeof request.bins === 'number')
    mistake(values.mistakes, 'timezone', `It is for bins of a unit. Enter bins as well: ${UNITS.join(', ')}.`)
  if (isPaged && names.facets.length === 0)
    mistake(values.mistakes, size === null ? OFFSET : SIZE, 'Add the name of a facet, such as facets=category.')
  refuseFaults(values)
  return { ...request, period: conditionsOf({ filters: intervalsOf(of) }, values) }
}

/** Returns the filters that select a period. */
const intervalsOf = ({ filters }: Pick<Resource, 'filters'>): FilterSet =>
  new Map([...filters].filter(([, { kind }]) => kind === 'interval'))

const binsOf =
  ({ minimum, maximum }: Limits) =>
  (text: string): number | Unit => {
    const unit = UNITS.find((name) => name === text.trim())
    if (unit !== undefined) return unit
    if (/^\s*\d+\s*$/.test(text)) return wholeNumber(minimum, maximum)(text)
    throw new ValueError(`Enter a whole number from ${minimum} to ${maximum}, or one of ${UNITS.join(', ')}.`)
  }

const zoneNamed = (name: string): Zone => {
  const zone = zoneOf(name.trim())
  if (zone !== null) return zone
  throw new ValueError('Enter the IANA name of a time zone, such as Europe/Amsterdam.')
}

const nameOf =
  (known: readonly string[]) =>
  (text: string): string => {
    const name = text.trim()
    if (known.includes(name)) return name
    throw new ValueError(`Enter one of ${known.join(', ')}.`)
  }

/** Reads the names in a comma list, without duplicates. */
const namesOf =
  (known: readonly string[]) =>
  (text: string): readonly string[] => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))]
    if (names.every((name) => known.includes(name))) return names
    throw new ValueError(`Enter one or more of ${known.join(', ')}, separated by commas.`)
  }

const SIZE = 'facet_size' as const
const OFFSET = 'facet_offset' as const
/** No table has so many entries. */
const MAX_OFFSET = 999_999_999

type NextOf = (name: string, facet: FacetCounts) => string | null

/** Returns a function for the address of the next entries of a facet. It is null at the end. */
const nextOf =
  ({ address, linked }: Query, { offset }: FacetSlice): NextOf =>
  (name, { entries, more }) => {
    const others = linked.filter((each) => each.name !== 'facets' && each.name !== OFFSET)
    const following = [
      { name: 'facets', value: name },
      { name: OFFSET, value: String(offset + entries.length) },
    ]
    return more === 0 ? null : `${address}${formatQuery([...others, ...following])}`
  }

/** The names of the requested facets and columns of numbers. */
interface Names {
  readonly facets: readonly string[]
  readonly by: string | null
  readonly numbers: readonly string[]
}

const serializeSummary = (summary: Summary, names: Names, next: NextOf | null): object => {
  const { count, least, greatest, step, bins, level, cells, facets, crossed, statistics } = summary
  /** Writes the statistics of each column of numbers that the request names. */
  const byName = (write: (each: SummaryStatistics) => object) =>
    names.numbers.length > 0 && {
      statistics: Object.fromEntries(statistics.map((each, i) => [names.numbers[i], write(each)])),
    }
  /** Writes the entries of a facet. The statistics of \`by\` come after those of the facets. */
  const entriesOf = ({ entries, ids }: FacetCounts, i: number) =>
    entries.map((entry, j) => ({ ...entry, ...byName((each) => each.facets[i]?.get(at(ids, j)) ?? NO_NUMBERS) }))
  const shown = (name: string, i: number) => {
    const facet = at(facets, i)
    return [name, { entries: entriesOf(facet, i), more: facet.more, ...(next && { next: next(name, facet) }) }]
  }
  return {
    count,
    time: { start: least, end: greatest, step, bins },
    density: { level, cells },
    without_geometry: cells.reduce((rest, cell) => rest - cell[4], count),
    ...(names.facets.length > 0 && { facets: Object.fromEntries(names.facets.map(shown)) }),
    ...(names.by !== null &&
      crossed !== null && { by: { [names.by]: binsByEntry(crossed, entriesOf(crossed, facets.length)) } }),
    ...byName(({ whole, bins }) => ({ ...whole, bins: bins.map(([start, each]) => ({ start, ...each })) })),
  }
}

const binsByEntry = ({ bins, more, rest }: Crossed, entries: readonly object[]): object => ({
  entries: entries.map((entry, i) => ({ ...entry, bins: at(bins, i) })),
  more,
  rest: { count: rest.reduce((sum, [, rows]) => sum + rows, 0), bins: rest },
})

/** Describes a summary for OPTIONS. */
const describeSummary = ({ name, description, of }: Summarised): object => ({
  ...describeQueries({ name, description, filters: of.filters }, DOCUMENT_FORMATS),
  parameters: [...LIST_PARAMETERS, ...SUMMARY_PARAMETERS],
})
