import type { SQLWrapper } from 'drizzle-orm'
import { at } from '../collections.ts'
import { UNITS, type Unit } from '../engine/summary/calendar.ts'
import type { Facet, FacetCounts } from '../engine/summary/facets.ts'
import { NO_NUMBERS, type SummaryStatistics } from '../engine/summary/statistics.ts'
import { fetchSummary, type Summary } from '../engine/summary/summary.ts'
import { mistake, ValueError } from '../errors.ts'
import type { Schema } from '../filters/lookups.ts'
import { DOCUMENT_FORMATS } from '../formats/formats.ts'
import type { Described } from '../model/schema.ts'
import type { Resource } from '../resource.ts'
import { type Zone, zoneOf } from '../zone.ts'
import { DOCUMENT_OFFER } from './offer.ts'
import { describeQueries } from './options.ts'
import { conditionsOf, LIST_PARAMETERS, parametersOf, SUMMARY_PARAMETERS } from './page.ts'
import { read, refuseFaults, wholeNumber } from './parameters.ts'
import { formatQuery } from './query.ts'
import { type Query, readQuery, refuseState } from './read.ts'
import { answerDocument, respond } from './respond.ts'
import { callerAt, type RequestContext } from './route.ts'

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
  readonly numbers: Readonly<Record<string, SQLWrapper>>
  /** The limits of the number of bins, and of the level of cells: 2^level of them lie side by side. */
  readonly bins: Limits
  readonly level: Limits
  readonly facetSize: Limits
  /** The most entries whose bins are listed one by one. */
  readonly crossed: number
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

export const serveSummary = (summarised: Summarised) => async (c: RequestContext) => {
  const { of, name, description } = summarised
  const names = [...parametersOf(of), ...SUMMARY_PARAMETERS]
  const about = () => ({
    ...describeQueries({ name, description, filters: of.filters }, DOCUMENT_FORMATS),
    parameters: [...LIST_PARAMETERS, ...SUMMARY_PARAMETERS],
  })
  const query = readQuery(c, await callerAt(c), {
    names,
    filters: of.filters,
    lists: ['facets', 'statistics'],
    offer: DOCUMENT_OFFER,
    takesForm: true,
    title: name,
    about,
  })
  if (c.req.method === 'OPTIONS') return answerDocument(c, query, about())
  refuseState(query)
  const request = readSummary(summarised, query)
  return respond(
    c,
    query,
    async (db) => {
      const summary = await fetchSummary(db, of, request, query.caller.level)
      return { headers: {}, body: writeSummary(query, request, summary) }
    },
    { exists: true, cost: 'high', mayBeOld: true },
  )
}

/** Plans a summary. Throws a 400 that names every bad parameter. It ignores the parameters for pages. */
const readSummary = (summarised: Summarised, { values }: Query) => {
  const { of, facets, numbers, bins, level, facetSize, crossed } = summarised
  const names = {
    facets: read(values, 'facets', namesOf(facets), []),
    numbers: read(values, 'statistics', namesOf(numbers), []),
    by: read(values, 'by', nameOf(facets), null),
  }
  const size = read(values, 'facet_size', wholeNumber(facetSize.minimum, facetSize.maximum), null)
  const offset = read(values, 'facet_offset', wholeNumber(0, MAX_OFFSET), null)
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
    isPaged,
  }
  if (request.zone !== null && typeof request.bins === 'number')
    mistake(values.mistakes, 'timezone', `It is for bins of a unit. Enter bins as well: ${UNITS.join(', ')}.`)
  if (isPaged && names.facets.length === 0)
    mistake(
      values.mistakes,
      size === null ? 'facet_offset' : 'facet_size',
      'Add the name of a facet, such as facets=category.',
    )
  refuseFaults(values)
  const intervals = new Map([...of.filters].filter(([, { kind }]) => kind === 'interval'))
  return { ...request, period: conditionsOf({ filters: intervals }, values) }
}

const MAX_OFFSET = 999_999_999

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

const nameOf = (known: object) => (text: string) => {
  const name = text.trim()
  if (Object.hasOwn(known, name)) return name
  throw new ValueError(`Enter one of ${Object.keys(known).join(', ')}.`)
}

const namesOf = (known: object) => (text: string) => {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  if (names.every((name) => Object.hasOwn(known, name))) return names
  throw new ValueError(`Enter one or more of ${Object.keys(known).join(', ')}, separated by commas.`)
}

/** Returns the address of the entries of a facet after those of this answer. Null at the end. */
const nextOf = ({ address, linked }: Query, name: string, offset: number, { entries, more }: FacetCounts) => {
  if (more === 0) return null
  const others = linked.filter((each) => each.name !== 'facets' && each.name !== 'facet_offset')
  const following = String(offset + entries.length)
  return `${address}${formatQuery([...others, { name: 'facets', value: name }, { name: 'facet_offset', value: following }])}`
}

/** Writes a summary, with the facets and columns of numbers that the request names. */
const writeSummary = (
  query: Query,
  { names, isPaged, facets: requested }: ReturnType<typeof readSummary>,
  { count, least, greatest, step, bins, level, cells, facets, crossed, statistics }: Summary,
): object => {
  const byNumber = (write: (each: SummaryStatistics) => object) =>
    names.numbers.length > 0 && {
      statistics: Object.fromEntries(statistics.map((each, i) => [names.numbers[i], write(each)])),
    }
  /** Writes the entries of a facet. The statistics of `by` come after those of the facets. */
  const entriesOf = ({ entries, ids }: FacetCounts, i: number) =>
    entries.map((entry, j) => ({ ...entry, ...byNumber((each) => each.facets[i]?.get(at(ids, j)) ?? NO_NUMBERS) }))
  const shown = names.facets.map((name, i) => {
    const facet = at(facets, i)
    const next = isPaged && { next: nextOf(query, name, at(requested, i).offset, facet) }
    return [name, { entries: entriesOf(facet, i), more: facet.more, ...next }]
  })
  const byEntry = crossed && {
    entries: entriesOf(crossed, facets.length).map((entry, i) => ({ ...entry, bins: at(crossed.bins, i) })),
    more: crossed.more,
    rest: { count: crossed.rest.reduce((sum, [, rows]) => sum + rows, 0), bins: crossed.rest },
  }
  return {
    count,
    time: { start: least, end: greatest, step, bins },
    density: { level, cells },
    without_geometry: cells.reduce((rest, cell) => rest - cell[4], count),
    ...(shown.length > 0 && { facets: Object.fromEntries(shown) }),
    ...(names.by !== null && byEntry && { by: { [names.by]: byEntry } }),
    ...byNumber(({ whole, bins }) => ({ ...whole, bins: bins.map(([start, each]) => ({ start, ...each })) })),
  }
}
