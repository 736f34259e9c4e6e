import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { at, chunksOf } from '../../base/collections.ts'
import type { Zone } from '../../base/zone.ts'
import type { FieldName } from '../../question/fields.ts'
import type { Search } from '../conditions/search.ts'
import type { Columns } from '../conditions/table.ts'
import { attributeJson } from '../d1/attributes.ts'
import type { CountedDictionary } from '../d1/criterion.ts'
import { storedField } from '../d1/fields.ts'
import { integerOf, namedColumns, rangesTable } from '../d1/sql.ts'
import type { Row } from '../engine.ts'
import { MAX_PAIRS } from '../limits.ts'
import type { RowReader } from '../run/database.ts'
import type { Facet } from '../summaries.ts'
import { numbered, PARTS, ranked } from './values.ts'

/** A column of numbers of a row. `parse` returns the number that stands for a value of JSON. Null: it is a number. */
export interface NumberColumn {
  readonly column: SQL
  readonly parse: ((value: unknown) => number) | null
}

/** A facet as D1 counts it: rows are counted by the key that `keyOf` gives to a number of the column. -1: no value. */
export interface CountedFacet extends NumberColumn, Pick<Facet, 'size' | 'offset'> {
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
export const facetOf = ({ field, reads, size, offset }: Facet, zone: Zone | null): CountedFacet => {
  const own = { size, offset, parse: null, keyOf: (number: number) => number, dictionary: null, columns: {} }
  if (typeof field === 'string') return { ...own, ...ofDictionary(field, reads) }
  if ('attribute' in field) return { ...own, column: attributeJson(field.attribute), ...numbered(field.attribute) }
  const partOf = PARTS[field.start]
  return {
    ...own,
    column: sql`${events.start}`,
    keyOf: (start) => partOf(zone === null ? start : zone.toLocal(start)),
    entryOf: (start) => ({ start }),
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

/**
 * `entries` has a slice of the entries, sorted by rows and then by text, uuid or value. `more` is the number of later
 * entries, and `without` the number of rows without the attribute. It is 0 for other facets.
 */
export interface FoundEntries {
  readonly entries: readonly { readonly id: number; readonly value: Row; readonly count: number }[]
  readonly more: number
  readonly without: number
}

/** Reads the entries of a facet by the stored counts of all visible rows. */
export const storedEntriesQuery = ({ level }: Pick<Search, 'level'>, facet: StoredFacet): SQL<EntryCountRow> => {
  const { id, table, counts } = facet.dictionary
  return entriesIn(
    facet,
    sql`SELECT ${id} AS id, ${counts(level)} AS count, count(*) OVER () AS entries, ${nameOf(facet)} AS name
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

/** Reads a slice of the entries. `counted` has an id, a count, the number of entries and a name. */
const entriesIn = (facet: StoredFacet, counted: SQL, offset = facet.offset): SQL<EntryCountRow> => {
  const { id, table } = facet.dictionary
  const slice = sql`SELECT id, count, entries, row_number() OVER (ORDER BY count DESC, name) AS place
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

/** Turns pairs of numbers into rows of a table `span`. */
const pairsTable = (pairs: readonly (readonly number[])[]): SQL => {
  const parts = pairs.length === 0 ? [pairs] : chunksOf(pairs, MAX_PAIRS)
  return sql`(${sql.join(
    parts.map((part) => sql`SELECT value FROM ${rangesTable(part)}`),
    sql` UNION ALL `,
  )}) AS span`
}

/** Returns the entries that may be in a slice, by their counts alone, and the number of entries before these. */
const rivals = (rows: ReadonlyMap<number, number>, { size, offset }: CountedFacet) => {
  const sorted = Float64Array.from(rows.values()).sort().reverse()
  const slice = sorted.subarray(offset, offset + size)
  const [most = -1, least = 0] = [slice[0], slice.at(-1)]
  const some = [...rows].filter(([, count]) => count <= most && count >= least)
  return { some, before: most < 0 ? offset : sorted.indexOf(most) }
}

/**
 * Returns a slice of the entries of each facet. `counts` has the rows of each key, and -1 has those without a value. An
 * entry that the level does not see any more is left out.
 */
export const countedEntries = async (
  read: RowReader,
  level: number,
  facets: readonly CountedFacet[],
  counts: readonly ReadonlyMap<number, number>[],
): Promise<FoundEntries[]> => {
  const rowsOf = facets.map((_, i) => new Map([...at(counts, i)].filter(([key]) => key >= 0)))
  const stored = facets.filter(isStored)
  const queries = stored.map((facet) => {
    const { id, table, counts: countOf } = facet.dictionary
    const rows = at(rowsOf, facets.indexOf(facet))
    const { some, before } = rivals(rows, facet)
    return entriesIn(
      facet,
      sql`SELECT ${id} AS id, span.value ->> 1 AS count, ${integerOf(rows.size)} AS entries, ${nameOf(facet)} AS name
        FROM ${pairsTable(some)} CROSS JOIN ${table} ON ${id} = span.value ->> 0 WHERE ${countOf(level)} > 0`,
      facet.offset - before,
    )
  })
  const answers = queries.length === 0 ? [] : await read(...queries)
  return facets.map((facet, i) => {
    if (isStored(facet)) return foundEntries(facet, at(answers, stored.indexOf(facet)))
    return { ...ranked(facet, at(rowsOf, i)), without: at(counts, i).get(-1) ?? 0 }
  })
}
