import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Span } from '../filters/filter.ts'
import type { Extent } from '../filters/lookups.ts'
import { type Group, matchingRows, spanCondition } from './conditions.ts'
import { asCount, numberOf, type Search } from './search.ts'
import { all, each } from './sql.ts'
import { type Statistics, statisticsOf } from './statistics.ts'
import { countIn } from './tally.ts'
import { EVERYTHING, type Lead } from './walk.ts'

/** What was found out of a search. */
export interface Resolved {
  readonly statistics: Statistics
  readonly leads: readonly Lead[]
  /** The conditions, and under which column a lead is entered with one. */
  readonly conditions: readonly Entry[]
  /** How many match, as far as can be told: as if the conditions had nothing to do with each other. */
  readonly expected: number
  /** The number of matches, where it is kept. */
  readonly kept: SQL | null
}

interface Entry {
  readonly column: SQLWrapper | null
  readonly sql: SQL
  /** The same, where the position of a page is what the index of the order is entered with. */
  readonly quiet?: SQL
}

/**
 * What each part of a search leads to: extents of the start by the statistics, others by looking at the first rows,
 * dictionaries by what is kept of their entries. Where `guess` is given, few entries are taken to lead to so many rows.
 */
export const resolve = async (search: Search, guess: number | null = null): Promise<Resolved> => {
  const { groups, spans, plain, level, visible, read, hint } = search
  const statistics = await statisticsOf(search)
  const asked = groups.filter(({ few }) => guess === null || !few)
  const probed = spans.filter((span) => isProbed(search, span) || (hint === null && isIndexed(search, span)))
  const queries = [...asked.map((group) => matchingRows(group, level)), ...probed.map((span) => probe(search, span))]
  const answers = queries.length === 0 ? [] : await read(...queries)
  const found = groups.map((group): Found => {
    const rows = answers[asked.indexOf(group)]
    const { key } = group.dictionary
    if (rows === undefined)
      return { key, keys: keysOfGroup(group, level), single: false, rows: Math.min(guess ?? 0, statistics.total / 50) }
    const entries = rows.filter(({ text }) => group.tests.every((test) => test(text)))
    const ids = entries.map(({ id }): number => id)
    return {
      key,
      keys: sql`SELECT value AS id FROM (${each(ids)})`,
      single: ids.length <= 1,
      rows: entries.reduce((sum, { rows }) => sum + rows, 0),
    }
  })
  const inSpans = spans.map((span) => {
    const first = numberOf(answers[asked.length + probed.indexOf(span)])
    const rare = probed.includes(span) && first < PROBE
    return { column: span.column, rows: rare ? first : rowsOf(search, statistics, span) }
  })
  const part = (rows: number) => Math.min(1, rows / Math.max(1, statistics.total))
  const leadsOf = ({ key, keys, single, rows }: Found): Lead[] =>
    leadsByKeys(search, key, { keys, single, rows }).map((lead) => {
      const span = inSpans.find(({ column }) => column === lead.index?.order)
      return span === undefined ? lead : { ...lead, rows: rows * part(span.rows) }
    })
  return {
    statistics,
    leads: [...found.flatMap(leadsOf), ...inSpans.flatMap(({ column, rows }) => leadsBySpan(search, column, rows))],
    conditions: [
      ...[visible, ...plain].flatMap((condition) => (condition === null ? [] : [{ column: null, sql: condition }])),
      ...spans.map((span) => ({
        column: null,
        sql: spanCondition(span),
        quiet: spanCondition(span, isQuiet(search, span)),
      })),
      ...found.map(({ key, keys }) => ({ column: key, sql: sql`${key} IN (${keys})` })),
    ],
    expected: [...found, ...inSpans].reduce(
      (rows, found) => rows * part(found.rows),
      statistics.total * OF_PLAIN ** plain.length,
    ),
    kept: keptCount(search, found),
  }
}

/** The way that leads to the fewest rows. */
export const narrowestOf = (leads: readonly Lead[]): Lead =>
  leads.reduce((best, lead) => (lead.rows < best.rows ? lead : best), EVERYTHING)

/** A span of the column of the order, while a page is read on from a position: one bound enters the index, the position's. */
export const isQuiet = ({ hint, order }: Search, { column }: Span): boolean => hint !== null && column === order.column

/** All conditions but those that a lead is entered with, for counting. */
export const conditionsBeside = (resolved: Resolved, lead: Lead): SQL =>
  all(entriesBeside(resolved, lead).map((entry) => entry.sql))

/** The same for reading on from a position. */
export const conditionsBeyond = (resolved: Resolved, lead: Lead): SQL =>
  all(entriesBeside(resolved, lead).map((entry) => entry.quiet ?? entry.sql))

const entriesBeside = ({ conditions }: Resolved, { keys, index }: Lead): readonly Entry[] =>
  conditions.filter(({ column }) => column === null || keys === null || column !== index?.on)

/** Entries of a dictionary, as keys of an index, and how many rows they lead to. */
interface Found extends Pick<Lead, 'single' | 'rows'> {
  readonly key: SQLWrapper
  readonly keys: SQL
}

/** How many rows are looked at to see whether an extent is rare. */
const PROBE = 1000

/** An indexed column of which no counts are kept. */
const isIndexed = ({ ways }: Search, { column }: Span): boolean =>
  column !== ways.trees.start && ways.indexes.some(({ on }) => on === column)

/** A single value of such a column: likely to be rare. */
export const isProbed = (search: Search, span: Span): boolean =>
  span.extent[0] !== null && span.extent[0] === span.extent[1] && isIndexed(search, span)

const probe = ({ resource: { table } }: Search, span: Span): SQL =>
  sql`SELECT count(*) AS count FROM (SELECT 1 FROM ${table} WHERE ${spanCondition(span)} LIMIT ${PROBE})`

const rowsOf = (
  { ways, hint, groups, spans, plain, area }: Search,
  { inStart, total }: Statistics,
  span: Span,
): number => {
  const alone = groups.length + plain.length === 0 && spans.length === 1 && area === null
  if (hint !== null && alone) return hint.count
  return span.column === ways.trees.start ? inStart(span.extent) : total / 3
}

/** What part of the rows a condition is taken to leave of which nothing is known. */
const OF_PLAIN = 1 / 10

/** The kept count of a search that asks one thing only. */
const keptCount = (search: Search, found: readonly { rows: number }[]): SQL | null => {
  const { plain, spans, ways, resource, level, visible } = search
  if (plain.length > 0 || found.length + spans.length !== 1) return null
  const [entries] = found
  if (entries !== undefined) return asCount(sql`${entries.rows}`)
  const [span] = spans
  const index = ways.indexes.find(({ on }) => on === ways.trees.start)
  if (span === undefined || span.column !== ways.trees.start || index === undefined) return null
  return asCount(countIn(resource, ways, 'start', index.name, [numbersOf(span.extent)], level, visible))
}

/** The ids of the entries of a group that a caller of this level sees rows of. */
export const keysOfGroup = (group: Group, level: number): SQL => sql`SELECT id FROM (${matchingRows(group, level)})`

export const leadsByKeys = ({ ways }: Search, key: SQLWrapper, entry: Pick<Lead, 'keys' | 'single' | 'rows'>): Lead[] =>
  ways.indexes.filter(({ on }) => on === key).map((index) => ({ index, ...entry }))

const leadsBySpan = ({ ways }: Search, column: SQLWrapper, rows: number): Lead[] =>
  ways.indexes.filter(({ on }) => on === column).map((index) => ({ index, keys: null, single: false, rows }))

/** The greatest distance of an instant from 1970, in milliseconds: of a Date of JavaScript. */
const REACH = 8_640_000_000_000_000n

const numbersOf = ([least, greatest]: Extent): readonly [number, number] => [
  Number(least === null || least < -REACH ? -REACH : least),
  Number(greatest === null || greatest > REACH ? REACH : greatest),
]
