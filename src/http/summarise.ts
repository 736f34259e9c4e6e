import { at } from '../base/collections.ts'
import { INSTANT, INTEGER, NUMBER, orNull, type Schema } from '../base/schema.ts'
import type { Reader, Row } from '../engine/engine.ts'
import {
  type BinnedStatistics,
  type Bins,
  type CrossedCounts,
  type CrossedEntry,
  type EntryCount,
  type FacetCounts,
  type GroupStatistics,
  NO_NUMBERS,
  type NumberStatistics,
  type Summary,
} from '../engine/summaries.ts'
import { isoInstant } from '../filters/temporal.ts'
import { ITEMS_FORMATS, isItems } from '../formats/formats.ts'
import { type ItemsFormat, listText } from '../formats/items.ts'
import { type ShownView, withTitles } from '../formats/shown.ts'
import { events } from '../lists/event.ts'
import type { ItemMember } from '../model/members.ts'
import type { Metadata } from '../model/types.ts'
import type { Answer } from './cache.ts'
import { pageHeaders } from './content.ts'
import { fileParts, itemsHeaders, onlySeriesIn } from './file.ts'
import { formatsOf, SUMMARY_OFFER } from './offer.ts'
import { describeQueries } from './options.ts'
import { inZoneAsked, LIST_PARAMETERS, parametersOf, SUMMARY_PARAMETERS } from './page.ts'
import { formatQuery } from './query.ts'
import { type Query, readQuery } from './read.ts'
import { answerDocument, respond } from './respond.ts'
import { callerAt, type RequestContext } from './route.ts'
import { SUMMARY } from './summary.ts'
import { type FacetMember, type Found, readSummary, STATISTIC_NAMES, type SummaryRequest } from './summaryRequest.ts'

export const serveSummary = async (c: RequestContext): Promise<Response> => {
  const { filters } = events
  const { name, description } = SUMMARY
  const { file } = c.var.route ?? {}
  const isTaken = (parameter: string) => file === undefined || !['format', 'locale'].includes(parameter)
  const about = () => ({
    ...describeQueries(
      { name, description, filters },
      file === undefined ? formatsOf(SUMMARY_OFFER) : [ITEMS_FORMATS[file]],
    ),
    ...(file !== undefined && { parses: [] }),
    parameters: [...LIST_PARAMETERS, ...SUMMARY_PARAMETERS].filter(isTaken),
  })
  const known = { names: [...parametersOf(events), ...SUMMARY_PARAMETERS], filters }
  const query = readQuery(c, await callerAt(c), known, SUMMARY_OFFER, { title: name, about })
  if (c.req.method === 'OPTIONS') return answerDocument(c, query, about())
  const request = readSummary(query)
  const compute = async (reader: Reader) => {
    const summary = await reader.summary(request.selection, request)
    const { format } = query
    if (isItems(format)) return tableOf(reader, { ...query, format }, request, summary)
    return { headers: {}, body: writeSummary(query, request, summary) }
  }
  return respond(c, query, compute, { exists: true, cost: 'high', mayBeOld: true })
}

/** Answers with a table. The headers have the number of all rows, and the address of further entries. */
const tableOf = async (
  reader: Reader,
  query: Query & { readonly format: ItemsFormat },
  request: SummaryRequest,
  summary: Summary,
): Promise<Answer> => {
  const { format, values } = query
  const series = await onlySeriesIn(reader, events, request.selection)
  const [facet, counts] = [facetOfRows(request.names), summary.facets[0]]
  const parts = facet === undefined ? [] : [['', facet.name] as const]
  const name = itemsHeaders(format.extension, SUMMARY, [...parts, ...fileParts(events, values, series)])
  const { body, rows } = writeTable(query, request, summary, series?.metadata ?? null)
  const headersOf = (count: number, next: string | null) => ({
    ...pageHeaders({ count, next, previous: null }),
    ...name,
  })
  if (facet === undefined || counts === undefined) return { headers: headersOf(rows, null), body }
  const { offset } = at(request.facets, 0)
  const headers = headersOf(offset + rows + counts.more, nextOf(query, facet.name, offset, counts))
  // Beyond the last entry, their number is not known.
  if (rows === 0 && offset > 0) return { headers: name, body }
  return { headers, body }
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
  { names, isPaged, facets: requested }: SummaryRequest,
  { count, least, greatest, step, bins, bounds, level, cells, facets, by, statistics, distinct }: Summary,
): object => {
  /** Returns the statistics and the different values of a group. */
  const numbersOf = (group: Pick<EntryCount, 'statistics' | 'distinct'>) => ({
    ...(names.numbers.length > 0 && {
      statistics: Object.fromEntries(group.statistics.map((each, i) => [at(names.numbers, i).name, withBins(each)])),
    }),
    ...(names.distinct.length > 0 && {
      distinct: Object.fromEntries(group.distinct.map((values, i) => [at(names.distinct, i).name, values])),
    }),
  })
  const entryOf = ({ members }: FacetMember, { value, count, ...numbers }: EntryCount) => ({
    ...Object.fromEntries(Object.entries(members).map(([member, { part }]) => [member, value[part]])),
    count,
    ...numbersOf(numbers),
  })
  const shown = names.facets.map(({ name, found }, i) => {
    const facet = at(facets, i)
    const next = isPaged && { next: nextOf(query, name, at(requested, i).offset, facet) }
    const entries = facet.entries.map((entry) => entryOf(found, entry))
    return [name, { entries, more: facet.more, ...withoutIn(found, facet), ...next }]
  })
  const crossedBy = ({ name, found }: Found<FacetMember>, { entries, more, rest }: CrossedCounts) => ({
    [name]: {
      entries: entries.map((entry) => ({ ...entryOf(found, entry), bins: entry.bins })),
      more,
      rest: { count: rest.count, bins: rest.bins, ...numbersOf(rest) },
    },
  })
  // While others write, the cells may have the counts of an earlier moment.
  const unplaced = cells.reduce((rest, cell) => rest - cell[4], count)
  return {
    count,
    time: { start: least, end: greatest, step, bins },
    spatial_bounds: bounds && { west: bounds[0], south: bounds[1], east: bounds[2], north: bounds[3] },
    density: { level, cells },
    without_geometry: Math.max(0, unplaced),
    ...(shown.length > 0 && { facets: Object.fromEntries(shown) }),
    ...(names.by !== null && by && { by: crossedBy(names.by, by) }),
    ...numbersOf({ statistics, distinct }),
  }
}

/**
 * Returns the number of events without a value, or false if the answer leaves it out. The answer always has the number for
 * an attribute. A category or a start is missing only in a view of PostgreSQL.
 */
const withoutIn = ({ field }: FacetMember, { without }: FacetCounts) =>
  ((typeof field === 'object' && 'attribute' in field) || (without > 0 && field !== 'object_type')) && { without }

/** Writes the statistics of a group, which may have bins. */
const withBins = (group: GroupStatistics | BinnedStatistics): object => {
  if (!('bins' in group)) return group
  return { ...group, bins: group.bins.map(([start, each]) => ({ start, ...each })) }
}

/** A column. A column of numbers or values has its field, and the name of its statistic, in `of`. */
interface Column {
  readonly name: string
  readonly schema: Schema
  readonly of?: readonly [field: string, statistic: string]
}

type Names = SummaryRequest['names']

/**
 * Writes a summary as a table. It has a row for each entry of the only facet, or for each entry of `by` and each bin, or
 * for each bin. `metadata` describes the series of all events. Null: they may have several.
 */
const writeTable = (
  { format, values, links }: Query & { readonly format: ItemsFormat },
  { names }: SummaryRequest,
  summary: Summary,
  metadata: Metadata | null,
): { readonly body: string; readonly rows: number } => {
  const members = membersOf(columnsOf(names), metadata)
  const shown: ShownView = { view: { ...events.flat, members }, place: events.place, fields: null }
  const rows = rowsOf(names, summary)
  return { body: listText(format.list(inZoneAsked(shown, values, format), links, null), rows), rows: rows.length }
}

/** Returns the facet whose entries are the rows. Undefined: the rows are bins. */
const facetOfRows = ({ facets, by }: Names): Found<FacetMember> | undefined => by ?? facets[0]

const columnsOf = (names: Names): readonly Column[] => {
  const facet = facetOfRows(names)
  const values = facet === undefined ? [] : valueColumns(facet)
  const start = { name: 'start', schema: INSTANT }
  const statistics = names.numbers.flatMap(({ name }) =>
    STATISTIC_NAMES.map(
      (statistic): Column => ({
        name: `${name}__${statistic}`,
        schema: orNull(NUMBER),
        of: [name, statistic],
      }),
    ),
  )
  const distinct = names.distinct.map(
    ({ name }): Column => ({ name: `${name}__distinct`, schema: INTEGER, of: [name, 'distinct'] }),
  )
  const isBinned = names.facets.length === 0
  return [...values, ...(isBinned ? [start] : []), { name: 'count', schema: INTEGER }, ...statistics, ...distinct]
}

/** Returns the columns of the value of an entry. A value with one member has the name of its facet. */
const valueColumns = ({ name, found: { members } }: Found<FacetMember>): readonly Column[] =>
  Object.entries(members).map(([member, { schema }]) => ({
    name: member === 'value' ? name : `${name}__${member}`,
    schema,
  }))

/** Returns the members of a row. Their titles follow from the titles of their fields. */
const membersOf = (columns: readonly Column[], metadata: Metadata | null): readonly ItemMember[] => {
  const plain = (name: string, schema: Schema): ItemMember => ({ name, schema, write: (row: Row) => row[name] ?? null })
  const titled = (member: ItemMember): string | undefined =>
    metadata === null ? undefined : at(withTitles({ ...events.flat, members: [member] }, metadata).members, 0).title
  return columns.map(({ name, schema, of = [name, null] }) => {
    const [field, statistic] = of
    const title = titled(plain(field, schema))
    const member = plain(name, schema)
    if (title === undefined) return member
    return { ...member, title: statistic === null ? title : `${title}: ${statistic}` }
  })
}

const rowsOf = (names: Names, { bins, statistics, facets, by }: Summary): readonly Row[] => {
  const facet = facetOfRows(names)
  if (facet === undefined) return binsOf(names, {}, { bins, statistics })
  if (by !== null) {
    const entries = by.entries.flatMap((entry) => binsOf(names, valueIn(facet, entry.value), entry))
    return [...entries, ...binsOf(names, {}, by.rest)]
  }
  return at(facets, 0).entries.map(({ value, count, statistics, distinct }) => {
    const counted = names.distinct.map(({ name }, i) => [`${name}__distinct`, distinct[i]])
    return {
      ...valueIn(facet, value),
      count,
      ...numbersOf(names, statistics),
      ...Object.fromEntries(counted),
    }
  })
}

const valueIn = (facet: Found<FacetMember>, value: Row): Row => {
  const parts = Object.values(facet.found.members).map(({ part }) => value[part])
  return Object.fromEntries(valueColumns(facet).map(({ name }, i) => [name, parts[i]]))
}

/** Returns a row for each bin of a group. */
const binsOf = (
  names: Names,
  value: Row,
  { bins, statistics }: { readonly bins: Bins } & Pick<CrossedEntry, 'statistics'>,
): readonly Row[] => {
  const known = statistics.map(({ bins }) => new Map(bins))
  return bins.map(([start, count]) => {
    const numbers = known.map((each) => each.get(start) ?? NO_NUMBERS)
    return { ...value, start: isoInstant(start, 1000n), count, ...numbersOf(names, numbers) }
  })
}

const numbersOf = ({ numbers }: Names, statistics: readonly NumberStatistics[]): Row =>
  Object.fromEntries(
    numbers.flatMap(({ name }, i) =>
      STATISTIC_NAMES.map((statistic) => [`${name}__${statistic}`, at(statistics, i)[statistic]]),
    ),
  )
