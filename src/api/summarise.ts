import { at } from '../collections.ts'
import type { Database } from '../engine/run/database.ts'
import { UNITS, type Unit } from '../engine/summary/calendar.ts'
import type { FacetCounts } from '../engine/summary/facets.ts'
import { NO_NUMBERS, type SummaryStatistics } from '../engine/summary/statistics.ts'
import { fetchSummary, type Summary } from '../engine/summary/summary.ts'
import { mistake, ValueError } from '../errors.ts'
import { DOCUMENT_FORMATS } from '../formats/formats.ts'
import { DOCUMENT_OFFER } from '../request/offer.ts'
import { describeQueries } from '../request/options.ts'
import { conditionsOf, LIST_PARAMETERS, parametersOf, SUMMARY_PARAMETERS } from '../request/page.ts'
import { oneOf, read, refuseFaults, wholeNumber } from '../request/parameters.ts'
import { formatQuery } from '../request/query.ts'
import { type Query, readQuery, refuseState } from '../request/read.ts'
import { answerDocument, respond } from '../request/respond.ts'
import { callerAt, type RequestContext } from '../request/route.ts'
import { type Zone, zoneOf } from '../zone.ts'
import { events } from './events.ts'
import { CROSSED, FACETS, LIMITS, NUMBERS, SUMMARY } from './summary.ts'

export const serveSummary = async (c: RequestContext): Promise<Response> => {
  const { filters } = events
  const { name, description } = SUMMARY
  const about = () => ({
    ...describeQueries({ name, description, filters }, DOCUMENT_FORMATS),
    parameters: [...LIST_PARAMETERS, ...SUMMARY_PARAMETERS],
  })
  const query = readQuery(c, await callerAt(c), {
    names: [...parametersOf(events), ...SUMMARY_PARAMETERS],
    filters,
    lists: ['facets', 'fields', 'statistics'],
    offer: DOCUMENT_OFFER,
    takesForm: true,
    title: name,
    about,
  })
  if (c.req.method === 'OPTIONS') return answerDocument(c, query, about())
  refuseState(query)
  const request = readSummary(query)
  const compute = async (db: Database) => {
    const summary = await fetchSummary(db, events, request)
    return { headers: {}, body: writeSummary(query, request, summary) }
  }
  return respond(c, query, compute, { exists: true, cost: 'high', mayBeOld: true })
}

/** Plans a summary. Throws a 400 that names every bad parameter. It ignores the parameters for pages. */
const readSummary = ({ values }: Query) => {
  const names = {
    facets: read(values, 'facets', namesOf(FACETS), []),
    numbers: read(values, 'statistics', namesOf(NUMBERS), []),
    by: read(values, 'by', (text) => oneOf(keysOf(FACETS))(text.trim()), null),
  }
  const size = read(values, 'facet_size', between(LIMITS.facet_size), null)
  const offset = read(values, 'facet_offset', wholeNumber(0, MAX_OFFSET), null)
  const isPaged = size !== null || offset !== null
  const slice = { size: size ?? LIMITS.facet_size.default, offset: offset ?? 0 }
  const request = {
    conditions: conditionsOf(events, values),
    bins: read(values, 'bins', binsOf, LIMITS.bins.default),
    zone: read(values, 'timezone', zoneNamed, null),
    level: read(values, 'level', between(LIMITS.level), LIMITS.level.default),
    facets: names.facets.map((name) => ({ ...FACETS[name], ...slice })),
    by: names.by === null ? null : { ...FACETS[names.by], size: CROSSED, offset: 0 },
    numbers: names.numbers.map((name) => NUMBERS[name]),
    names,
    isPaged,
  }
  if (request.zone !== null && typeof request.bins === 'number')
    mistake(values.mistakes, 'timezone', `It is for bins of a unit. Enter bins as well: ${UNITS.join(', ')}.`)
  if (isPaged && names.facets.length === 0) {
    const parameter = size === null ? 'facet_offset' : 'facet_size'
    mistake(values.mistakes, parameter, `Add the name of a facet, such as facets=${at(keysOf(FACETS), 0)}.`)
  }
  refuseFaults(values)
  const intervals = new Map([...events.filters].filter(([, { kind }]) => kind === 'interval'))
  return { ...request, period: conditionsOf({ filters: intervals, list: 'events' }, values) }
}

const MAX_OFFSET = 999_999_999

/** Returns a reader of a number within limits. */
const between = ({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }) =>
  wholeNumber(minimum, maximum)

const binsOf = (text: string): number | Unit => {
  const { minimum, maximum } = LIMITS.bins
  const unit = UNITS.find((name) => name === text.trim())
  if (unit !== undefined) return unit
  if (/^\s*\d+\s*$/.test(text)) return between(LIMITS.bins)(text)
  throw new ValueError(`Enter a whole number from ${minimum} to ${maximum}, or one of ${UNITS.join(', ')}.`)
}

const zoneNamed = (name: string): Zone => {
  const zone = zoneOf(name.trim())
  if (zone !== null) return zone
  throw new ValueError('Enter the IANA name of a time zone, such as Europe/Amsterdam.')
}

const keysOf = <N extends string>(known: Readonly<Record<N, unknown>>) => Object.keys(known) as N[] // keys widens them

/** Returns a reader of a comma list of names. */
const namesOf =
  <N extends string>(known: Readonly<Record<N, unknown>>) =>
  (text: string): N[] => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))]
    const found = keysOf(known).filter((name) => names.includes(name))
    if (found.length === names.length) return names as N[] // all of them are known
    throw new ValueError(`Enter one or more of ${keysOf(known).join(', ')}, separated by commas.`)
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
    // Beside writes, the cells may be those of an earlier moment.
    without_geometry: Math.max(
      0,
      cells.reduce((rest, cell) => rest - cell[4], count),
    ),
    ...(shown.length > 0 && { facets: Object.fromEntries(shown) }),
    ...(names.by !== null && byEntry && { by: { [names.by]: byEntry } }),
    ...byNumber(({ whole, bins }) => ({ ...whole, bins: bins.map(([start, each]) => ({ start, ...each })) })),
  }
}
