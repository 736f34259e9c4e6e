import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../../schema/tables.ts'
import { at, chunksOf } from '../../../base/collections.ts'
import type { Zone } from '../../../base/zone.ts'
import type { FieldName } from '../../../question/fields.ts'
import type { Row } from '../../engine.ts'
import { MAX_PAIRS } from '../../limits.ts'
import type { FoundEntries } from '../../shared/summary/assemble.ts'
import type { SummaryStatistics } from '../../shared/summary/statistics.ts'
import { numbered, type Ranked, rankedBy, sliceOf, timePart } from '../../shared/summary/values.ts'
import type { Facet } from '../../summaries.ts'
import { attributeJson } from '../attributes.ts'
import type { RowReader } from '../database.ts'
import type { CountedDictionary } from '../dictionaries.ts'
import { storedField } from '../fields.ts'
import type { Search } from '../search.ts'
import { integerOf, namedColumns, rangesTable } from '../sql.ts'
import type { Columns } from '../tables.ts'

/** A column of numbers of a row. `parse` returns the number that stands for a value of JSON. Null: it is a number. */
export interface NumericColumn {
  readonly column: SQL
  readonly parse: ((value: unknown) => number) | null
}

/** A facet as D1 counts it: rows are counted by the key that `keyOf` gives to a number of the column. -1: no value. */
export interface CountedFacet extends NumericColumn, Pick<Facet, 'size' | 'offset' | 'order'> {
  readonly keyOf: (number: number) => number
  /** The dictionary with the entries of the keys. Null: `entryOf` returns them. */
  readonly dictionary: CountedDictionary | null
  /** The fields of an entry in the dictionary. */
  readonly columns: Columns
  readonly entryOf: (key: number) => Row
}

/** A facet whose keys are the ids of a dictionary. */
export type StoredFacet = CountedFacet & { readonly dictionary: CountedDictionary }

export const isStored = (facet: CountedFacet): facet is StoredFacet => facet.dictionary !== null

/** Returns how a facet is counted. Parts of a time are on the clock of the zone. Null: UTC. */
export const facetOf = ({ field, reads, size, offset, order }: Facet, zone: Zone | null): CountedFacet => {
  const own = { size, offset, order, parse: null, keyOf: (number: number) => number, dictionary: null, columns: {} }
  if (typeof field === 'string') return { ...own, ...ofDictionary(field, reads) }
  if ('attribute' in field) return { ...own, column: attributeJson(field.attribute), ...numbered(field.attribute) }
  const [partOf, { parse, entryOf }] = [timePart(field.start, zone), numbered('start')]
  return {
    ...own,
    column: sql`${events.start}`,
    keyOf: (start) => parse(partOf(start)),
    entryOf: (key) => ({ start: entryOf(key).attributes }),
  }
}

const ofDictionary = (field: FieldName, reads: readonly FieldName[]) => {
  const { dictionary } = storedField('events', field)
  if (dictionary?.counts === undefined) throw new RangeError(`Events are not counted by ${field}.`)
  const { counts, key } = dictionary
  return {
    column: sql`coalesce(${key}, -1)`,
    dictionary: { ...dictionary, counts },
    columns: Object.fromEntries(reads.map((name) => [name, storedField('events', name).column])),
    entryOf: (id: number) => ({ id }),
  }
}

/** Reads the entries of a facet by the stored counts of all visible rows. */
export const storedEntriesQuery = ({ level }: Pick<Search, 'level'>, facet: StoredFacet): SQL<EntryCountRow> => {
  const { id, table, counts } = facet.dictionary
  const { by, descending } = facet.order
  const rank = by === 'text' ? sql`0` : descending ? counts(level) : sql`-${counts(level)}`
  return entriesIn(
    facet,
    sql`SELECT ${id} AS id, ${counts(level)} AS count, ${rank} AS rank, count(*) OVER () AS entries, ${nameOf(facet)} AS name
      FROM ${table} WHERE ${counts(level)} > 0`,
  )
}

/**
 * Orders entries with equal counts. Everybody sees it. The order of ids would tell which entry came first, also if it came
 * with a hidden row.
 */
const nameOf = ({ dictionary: { uuid, text } }: StoredFacet): SQLWrapper => uuid ?? text

/** The members of an entry with its number of rows, and the number of all entries. */
interface EntryCountRow extends Row {
  readonly entryId: number
  readonly count: number
  readonly entries: number
}

/** Reads a slice of the entries. `counted` has an id, a count, a rank, the number of entries and a name. */
const entriesIn = (facet: StoredFacet, counted: SQL, offset = facet.offset): SQL<EntryCountRow> => {
  const { id, table } = facet.dictionary
  const { by, descending } = facet.order
  const direction = by === 'text' && descending ? sql`DESC` : sql`ASC`
  const slice = sql`SELECT id, count, entries, row_number() OVER (ORDER BY rank DESC, name ${direction}) AS place
    FROM (${counted}) ORDER BY place LIMIT ${integerOf(facet.size)} OFFSET ${integerOf(offset)}`
  return sql`SELECT ${namedColumns(facet.columns)}, ranked.id AS "entryId", ranked.count AS count, ranked.entries AS entries
    FROM (${slice}) AS ranked CROSS JOIN ${table} ON ${id} = ranked.id ORDER BY ranked.place`
}

/** Converts the answer of `entriesIn`. */
export const foundEntries = ({ offset }: CountedFacet, rows: readonly EntryCountRow[]): FoundEntries => {
  const [first] = rows
  return {
    entries: rows.map(({ entryId: id, count, entries: _, ...value }) => ({ id, value, count })),
    more: first === undefined ? 0 : first.entries - offset - rows.length,
    without: 0,
  }
}

/** Turns tuples of numbers into rows of a table `span`. */
const tuplesTable = (tuples: readonly (readonly number[])[]): SQL => {
  const parts = tuples.length === 0 ? [tuples] : chunksOf(tuples, MAX_PAIRS)
  return sql`(${sql.join(
    parts.map((part) => sql`SELECT value FROM ${rangesTable(part)}`),
    sql` UNION ALL `,
  )}) AS span`
}

/** Returns the entries that may be in a slice, by their ranks alone, and the number of entries before these. */
const rivals = (entries: readonly Ranked[], { size, offset }: CountedFacet) => {
  const sorted = Float64Array.from(entries, ({ rank }) => rank)
    .sort()
    .reverse()
  const slice = sorted.subarray(offset, offset + size)
  const [most, least] = [slice[0], slice.at(-1)]
  if (most === undefined || least === undefined) return { some: [], before: offset }
  return { some: entries.filter(({ rank }) => rank <= most && rank >= least), before: sorted.indexOf(most) }
}

/**
 * Returns a slice of the entries of each facet. `counts` has the rows of each key, and -1 has those without a value. An
 * entry that the level does not see any more is left out. `statistics` is by number.
 */
export const countedEntries = async (
  read: RowReader,
  level: number,
  facets: readonly CountedFacet[],
  counts: readonly ReadonlyMap<number, number>[],
  statistics: readonly SummaryStatistics[],
): Promise<FoundEntries[]> => {
  const ranked = facets.map((facet, i) => {
    const ofFacet = statistics.map((each) => at(each.facets, i))
    return rankedBy(facet, at(counts, i), ofFacet)
  })
  const stored = facets.filter(isStored)
  const queries = stored.map((facet) => {
    const { id, table, counts: countOf } = facet.dictionary
    const entries = at(ranked, facets.indexOf(facet))
    const { some, before } = rivals(entries, facet)
    const tuples = some.map(({ id, count, rank }) => [id, count, rank])
    return entriesIn(
      facet,
      sql`SELECT ${id} AS id, span.value ->> 1 AS count, span.value ->> 2 AS rank, ${integerOf(entries.length)} AS entries,
          ${nameOf(facet)} AS name
        FROM ${tuplesTable(tuples)} CROSS JOIN ${table} ON ${id} = span.value ->> 0 WHERE ${countOf(level)} > 0`,
      facet.offset - before,
    )
  })
  const answers = queries.length === 0 ? [] : await read(...queries)
  return facets.map((facet, i) => {
    if (isStored(facet)) return foundEntries(facet, at(answers, stored.indexOf(facet)))
    return { ...sliceOf(facet, at(ranked, i)), without: at(counts, i).get(-1) ?? 0 }
  })
}
