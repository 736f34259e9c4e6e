import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { badRequest } from '../errors.ts'
import type { Listed, Span } from '../filters/filter.ts'
import { isIn } from '../filters/lookups.ts'
import { type Group, groupCondition, matchingRows, spanCondition } from './conditions.ts'
import { numberOf, type Search } from './search.ts'
import { each } from './sql.ts'
import type { Statistics } from './statistics.ts'
import type { Row } from './table.ts'
import { indexed, type Lead } from './walk.ts'

/** A part of a search: what it asks for, how many rows it leaves if alone, and the ways that it opens. */
export interface Part {
  readonly column: SQLWrapper
  readonly rows: number
  readonly leads: readonly Lead[]
  readonly condition: SQL
  /** What its leads are entered with, which stands for the condition then. */
  readonly keys: SQL | null
  /** The condition, where the position of a page is what the index of the order is entered with. */
  readonly quiet?: SQL
  /** The number of rows where it is kept: exact. */
  readonly kept: SQL | null
}

/** Has a query read with others in one round trip; its rows are there afterwards. */
export type Ask = (query: SQL) => () => readonly Row[]

/** How many entries of a dictionary are listed by their ids; more of them stay a condition. */
const MAX_ENTRIES = 1000
/** How many texts a regular expression is matched with here. */
const MAX_TEXTS = 100_000
/** How many rows are looked at to see whether an extent or a list of values is rare. */
const PROBE = 1000

/** Entries of a dictionary, by what is kept of each. */
export const groupPart = (search: Search, statistics: Statistics, group: Group, ask: Ask): (() => Part) => {
  const { level } = search
  const column = group.dictionary.key
  const most = group.tests.length > 0 ? MAX_TEXTS : MAX_ENTRIES
  const answer = ask(sql`${matchingRows(group, level)} LIMIT ${most + 1}`)
  return () => {
    const rows = answer()
    if (rows.length > most && group.tests.length > 0)
      throw badRequest(`There are more than ${MAX_TEXTS} texts to match. Use another lookup, such as icontains.`)
    if (rows.length > most) return condition(search, group, statistics.total / 3)
    const entries = rows.filter(({ text }) => group.tests.every((test) => test(text)))
    const keys = sql`SELECT value AS id FROM (${each(entries.map(({ id }): number => id))})`
    const sum = entries.reduce((sum, { rows }) => sum + rows, 0)
    return {
      column,
      rows: sum,
      leads: leadsByKeys(search, column, { keys, entries: entries.length, rows: sum }),
      condition: sql`${column} IN (${keys})`,
      keys,
      kept: sql`${sum}`,
    }
  }
}

/** Entries that are too many to be listed: no way in. */
const condition = ({ level }: Search, group: Group, rows: number): Part => ({
  column: group.dictionary.key,
  rows,
  leads: [],
  condition: groupCondition(group),
  keys: null,
  kept: sql`(SELECT coalesce(sum("rows"), 0) FROM (${matchingRows(group, level)}))`,
})

/** Few entries, not asked for: taken to lead to so many rows. */
export const guessedPart = (search: Search, group: Group, rows: number): Part => {
  const keys = keysOfGroup(group, search.level)
  const column = group.dictionary.key
  return {
    column,
    rows,
    leads: leadsByKeys(search, column, { keys, entries: 2, rows }),
    condition: sql`${column} IN (${keys})`,
    keys,
    kept: null,
  }
}

/** A list of values of a column, by looking at the first rows. */
export const listPart = (search: Search, { total }: Statistics, { column, values }: Listed, ask: Ask): (() => Part) => {
  const answer = ask(probe(search, column, isIn(column, values)))
  const keys = sql`SELECT value AS id FROM json_each(${`[${values}]`})`
  return () => {
    const first = numberOf(answer())
    const rows = first < PROBE ? first : total / 3
    const leads = leadsByKeys(search, column, { keys, entries: values.length, rows })
    return { column, rows, leads, condition: isIn(column, values), keys, kept: null }
  }
}

/** An extent of a column: of the start by the statistics, of another by looking at the first rows. */
export const spanPart = (search: Search, statistics: Statistics, span: Span, ask: Ask): (() => Part) => {
  const { hint, groups, spans, plain, listed, area, ways } = search
  const { column, extent } = span
  const alone = groups.length + plain.length + listed.length === 0 && spans.length === 1 && area === null
  const probed = isProbed(search, span) || (hint === null && isIndexed(search, span))
  const answer = probed ? ask(probe(search, column, spanCondition(span))) : null
  return () => {
    const first = answer === null ? PROBE : numberOf(answer())
    const guess = column === ways.trees.start ? statistics.inStart(extent) : statistics.total / 3
    const rows = first < PROBE ? first : hint !== null && alone ? hint.count : guess
    const quiet = spanCondition(span, isQuiet(search, span))
    return {
      column,
      rows,
      leads: leadsBySpan(search, column, rows),
      condition: spanCondition(span),
      keys: null,
      quiet,
      kept: null,
    }
  }
}

/** A span of the column of the order, while a page is read on from a position: one bound enters the index, the position's. */
const isQuiet = ({ hint, order }: Search, { column }: Span): boolean => hint !== null && column === order.column

/** A single value of an indexed column of which no counts are kept: likely to be rare. */
export const isProbed = (search: Search, span: Span): boolean =>
  span.extent[0] !== null && span.extent[0] === span.extent[1] && isIndexed(search, span)

const isIndexed = ({ ways }: Search, { column }: Span): boolean =>
  column !== ways.trees.start && ways.indexes.some(({ on }) => on === column)

/** Counts the first rows that a condition on a column leads to, by an index of the column. */
const probe = ({ resource: { table }, ways }: Search, column: SQLWrapper, condition: SQL): SQL => {
  const index = ways.indexes.find(({ on }) => on === column) ?? null
  return sql`SELECT count(*) AS count FROM (SELECT 1 FROM ${indexed(table, index)} WHERE ${condition} LIMIT ${PROBE})`
}

/** The ids of the entries of a group that a caller of this level sees rows of. */
export const keysOfGroup = (group: Group, level: number): SQL => sql`SELECT id FROM (${matchingRows(group, level)})`

/** The indexes that are entered with keys. */
export const leadsByKeys = (
  { ways }: Search,
  key: SQLWrapper,
  entry: Pick<Lead, 'keys' | 'entries' | 'rows'>,
): Lead[] => ways.indexes.filter(({ on }) => on === key).map((index) => ({ index, ...entry }))

const leadsBySpan = ({ ways }: Search, column: SQLWrapper, rows: number): Lead[] =>
  ways.indexes.filter(({ on }) => on === column).map((index) => ({ index, keys: null, entries: 0, rows }))
