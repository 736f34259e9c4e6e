import { at } from '../base/collections.ts'
import { INSTANT, INTEGER, NUMBER, orNull, type Schema } from '../base/schema.ts'
import type { Row } from '../engine/engine.ts'
import { type Bins, type CrossedEntry, NO_NUMBERS, type NumberStatistics, type Summary } from '../engine/summaries.ts'
import { isoInstant } from '../filters/temporal.ts'
import { type ItemsFormat, listText } from '../formats/items.ts'
import { type ShownView, withTitles } from '../formats/shown.ts'
import { events } from '../lists/event.ts'
import type { ItemMember } from '../model/members.ts'
import type { Metadata } from '../model/types.ts'
import { inZoneAsked } from './page.ts'
import type { Query } from './read.ts'
import { type FacetMember, type Named, STATISTIC_NAMES, type SummaryRequest } from './summaryRequest.ts'

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
export const writeTable = (
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
export const facetOfRows = ({ facets, by }: Names): Named<FacetMember> | undefined => by ?? facets[0]

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
const valueColumns = ({ name, found: { members } }: Named<FacetMember>): readonly Column[] =>
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

const valueIn = (facet: Named<FacetMember>, value: Row): Row => {
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
