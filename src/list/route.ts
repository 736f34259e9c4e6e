import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Span } from '../filters/filter.ts'
import type { Extent } from '../filters/lookups.ts'
import { type Group, matchingRows, spanCondition } from './resolve.ts'
import { asCount, numberOf, type Search, totalQuery } from './search.ts'
import { all, each } from './sql.ts'
import { type Statistics, statisticsOf } from './statistics.ts'
import { countIn } from './tally.ts'
import { countBy, EVERYTHING, inOrder, type Lead } from './walk.ts'

/** How a page is read. */
export interface Route {
  /** Of several, one gives rows, which only the database knows. */
  readonly leads: readonly Lead[]
  /** walk: in order until the page is full. jump: the same, far pages through the tree of ids. collect: all, then sort. */
  readonly method: 'walk' | 'jump' | 'collect'
  /** The conditions beside those that the lead is entered with. */
  readonly where: SQL
  readonly count: SQL
  /** The count is kept, so that it costs next to nothing. */
  readonly kept: boolean
}

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
}

/**
 * Chooses what drives a search without an area. Where counts are kept (everything, entries of one dictionary, an extent
 * of the start) nothing is counted; else what leads to the fewest rows is. The page is read in order, if that is likely
 * to fill it sooner than all matches are collected and sorted.
 */
export const route = async (search: Search): Promise<Route> => {
  const { groups, spans, plain, visible, hint } = search
  const others = [...plain, ...spans.map(spanCondition)]
  if (groups.length === 0 && others.length === 0)
    return { leads: [EVERYTHING], method: 'jump', where: all([visible]), count: totalQuery(search), kept: true }
  const [group] = groups
  const alone = groups.length === 1 && group?.few === true && !spans.some((span) => isProbed(search, span))
  return alone && (others.length === 0 || hint === null)
    ? routeOfFew(search, group, others)
    : choose(search, await resolve(search))
}

/** Few entries of one dictionary, not known beforehand: they lead, and one round trip does. */
const routeOfFew = (search: Search, group: Group, others: readonly SQL[]): Route => {
  const { level, spans, visible } = search
  const keys = keysOfGroup(group, level)
  const leads = leadsByKeys(search, group.dictionary.key, { keys, single: false, rows: 0 })
  const where = all([...others, visible])
  const narrow = leads.find(({ index }) => spans.some(({ column }) => column === index?.order))
  const walking = leads.find((lead) => inOrder(search, lead))
  if (walking === undefined || narrow !== undefined) {
    const lead = narrow ?? leads[0] ?? EVERYTHING
    return { leads: [lead], method: 'collect', where, count: countBy(search, lead, where), kept: false }
  }
  const either = oneOrSeveral(walking, keys)
  if (others.length > 0)
    return { leads: either, method: 'walk', where, count: countBy(search, walking, where), kept: false }
  const count = sql`SELECT coalesce(sum("rows"), 0) AS count FROM (${matchingRows(group, level)})`
  return { leads: either, method: 'walk', where, count, kept: true }
}

/** The ids of the entries of a group that a caller of this level sees rows of. */
const keysOfGroup = (group: Group, level: number): SQL => sql`SELECT id FROM (${matchingRows(group, level)})`

/** A lead by keys as two, of which one has no keys: a single key is walked along, several have to be merged. */
const oneOrSeveral = (lead: Lead, keys: SQL): Lead[] => [
  { ...lead, keys: sql`SELECT min(id) AS id FROM (${keys}) HAVING count(*) = 1`, single: true },
  { ...lead, keys: sql`SELECT id FROM (${keys}) WHERE (SELECT count(*) FROM (${keys})) > 1` },
]

/**
 * The way in which an area is read on from page to page: along the entries of its one other filter, if these are few and
 * it keeps the order, else along the list. Known from the search alone, so that a hint need not tell.
 */
export const leadsOn = (search: Search): readonly Lead[] => {
  const {
    groups: [group, ...others],
    level,
  } = search
  if (group?.few !== true || others.length > 0) return [EVERYTHING]
  const keys = keysOfGroup(group, level)
  const walking = leadsByKeys(search, group.dictionary.key, { keys, single: false, rows: 0 }).find((lead) =>
    inOrder(search, lead),
  )
  return walking === undefined ? [EVERYTHING] : oneOrSeveral(walking, keys)
}

/**
 * What each part of a search leads to: extents of the start by the statistics, single values by looking at the first rows,
 * dictionaries by what is kept of their entries. Where `guess` is given, few entries are taken to lead to so many rows.
 */
export const resolve = async (search: Search, guess: number | null = null): Promise<Resolved> => {
  const { groups, spans, plain, level, visible, read } = search
  const statistics = await statisticsOf(search)
  const asked = groups.filter(({ few }) => guess === null || !few)
  const probed = spans.filter((span) => isProbed(search, span))
  const queries = [...asked.map((group) => matchingRows(group, level)), ...probed.map((span) => probe(search, span))]
  const answers = queries.length === 0 ? [] : await read(...queries)
  const found = groups.map((group): Found => {
    const rows = answers[asked.indexOf(group)]
    const { key } = group.dictionary
    if (rows === undefined) return { key, keys: keysOfGroup(group, level), single: false, rows: guess ?? 0 }
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
    const first = answers[asked.length + probed.indexOf(span)]
    const rows = first === undefined || !probed.includes(span) ? rowsOf(search, statistics, span) : numberOf(first)
    return { column: span.column, rows: rows >= PROBE && probed.includes(span) ? statistics.total / 3 : rows }
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
      ...[visible, ...plain, ...spans.map(spanCondition)].flatMap((condition) =>
        condition === null ? [] : [{ column: null, sql: condition }],
      ),
      ...found.map(({ key, keys }) => ({ column: key, sql: sql`${key} IN (${keys})` })),
    ],
    expected: [...found, ...inSpans].reduce(
      (rows, found) => rows * part(found.rows),
      statistics.total * OF_PLAIN ** plain.length,
    ),
    kept: keptCount(search, found),
  }
}

/** Entries of a dictionary, as keys of an index, and how many rows they lead to. */
interface Found extends Pick<Lead, 'single' | 'rows'> {
  readonly key: SQLWrapper
  readonly keys: SQL
}

/** How many rows are looked at to see whether a single value is rare. */
const PROBE = 1000

/** A single value of an indexed column of which no counts are kept. */
const isProbed = ({ ways }: Search, { column, extent: [least, greatest] }: Span): boolean =>
  least !== null && least === greatest && column !== ways.trees.start && ways.indexes.some(({ on }) => on === column)

const probe = ({ resource: { table } }: Search, span: Span): SQL =>
  sql`SELECT count(*) AS count FROM (SELECT 1 FROM ${table} WHERE ${spanCondition(span)} LIMIT ${PROBE})`

const rowsOf = ({ ways }: Search, { inStart, total }: Statistics, { column, extent }: Span): number =>
  column === ways.trees.start ? inStart(extent) : extent.includes(null) ? total / 3 : total / 10

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

/** The cheapest route. */
const choose = (search: Search, resolved: Resolved): Route => {
  const { leads, expected, kept, statistics } = resolved
  const everything = { ...EVERYTHING, rows: statistics.total }
  const narrowest = narrowestOf([everything, ...leads])
  const walk = [everything, ...leads]
    .filter((lead) => inOrder(search, lead))
    .reduce((best, lead) => (walkCost(search, lead, expected) < walkCost(search, best, expected) ? lead : best))
  const walks = walkCost(search, walk, expected) < narrowest.rows
  const lead = walks ? walk : narrowest
  const count = kept ?? countBy(search, narrowest, conditionsBeside(resolved, narrowest))
  return {
    leads: [lead],
    method: walks ? 'walk' : 'collect',
    where: conditionsBeside(resolved, lead),
    count,
    kept: kept !== null,
  }
}

/** The way that leads to the fewest rows. */
export const narrowestOf = (leads: readonly Lead[]): Lead =>
  leads.reduce((best, lead) => (lead.rows < best.rows ? lead : best), EVERYTHING)

/** All conditions but those that a lead is entered with. */
export const conditionsBeside = ({ conditions }: Resolved, { keys, index }: Lead): SQL =>
  all(
    conditions
      .filter(({ column }) => column === null || keys === null || column !== index?.on)
      .map((entry) => entry.sql),
  )

/** How many rows a walk reads until the page is full, if the matches lie evenly among those it leads to. */
const walkCost = ({ size }: Search, { rows, keys, single }: Lead, expected: number): number =>
  size * Math.max(1, rows / Math.max(1, expected)) * (keys === null || single ? 1 : 3)

const leadsByKeys = ({ ways }: Search, key: SQLWrapper, entry: Pick<Lead, 'keys' | 'single' | 'rows'>): Lead[] =>
  ways.indexes.filter(({ on }) => on === key).map((index) => ({ index, ...entry }))

const leadsBySpan = ({ ways }: Search, column: SQLWrapper, rows: number): Lead[] =>
  ways.indexes.filter(({ on }) => on === column).map((index) => ({ index, keys: null, single: false, rows }))

/** The greatest distance of an instant from 1970, in milliseconds: of a Date of JavaScript. */
const REACH = 8_640_000_000_000_000n

const numbersOf = ([least, greatest]: Extent): readonly [number, number] => [
  Number(least === null || least < -REACH ? -REACH : least),
  Number(greatest === null || greatest > REACH ? REACH : greatest),
]
