import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Extent } from '../filters/lookups.ts'
import { type Group, matchingRows, spanCondition } from './resolve.ts'
import { asCount, type Search, totalQuery } from './search.ts'
import { all, among, each } from './sql.ts'
import { type Statistics, statisticsOf } from './statistics.ts'
import { countIn } from './tally.ts'
import { countBy, EVERYTHING, inOrder, type Lead } from './walk.ts'

/** How a page is read. */
export interface Route {
  readonly lead: Lead
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
    return { lead: EVERYTHING, method: 'jump', where: all([visible]), count: totalQuery(search), kept: true }
  const [group] = groups
  const alone = groups.length === 1 && group?.few === true && (others.length === 0 || hint === null)
  return alone ? routeOfFew(search, group, others) : choose(search, await resolve(search))
}

/** Few entries of one dictionary, not known beforehand: they lead, and one round trip does. */
const routeOfFew = (search: Search, group: Group, others: readonly SQL[]): Route => {
  const keys = sql`SELECT id FROM (${matchingRows(group, search.level)})`
  const leads = leadsByKeys(search, group.dictionary.key, { keys, single: false, rows: 0 })
  const where = all([...others, search.visible])
  const walking = leads.find((lead) => inOrder(search, lead))
  if (others.length === 0 && walking !== undefined) {
    const count = sql`SELECT coalesce(sum("rows"), 0) AS count FROM (${matchingRows(group, search.level)})`
    return { lead: walking, method: 'walk', where, count, kept: true }
  }
  const narrow = leads.find(({ index }) => search.spans.some(({ column }) => column === index?.order))
  const lead = narrow ?? leads[0] ?? EVERYTHING
  return { lead, method: 'collect', where, count: countBy(search, lead, where), kept: false }
}

/** What each part of a search leads to: spans by the statistics, dictionaries by what the database knows of their entries. */
export const resolve = async (search: Search): Promise<Resolved> => {
  const { groups, spans, plain, ways, level, visible, read } = search
  const statistics = await statisticsOf(search)
  const answers = groups.length === 0 ? [] : await read(...groups.map((group) => matchingRows(group, level)))
  const found = groups.map(({ dictionary: { key }, tests }, i) => {
    const entries = (answers[i] ?? []).filter(({ text }) => tests.every((test) => test(text)))
    const ids = entries.map(({ id }): number => id)
    return { key, ids, rows: entries.reduce((sum, { rows }) => sum + rows, 0) }
  })
  const inSpans = spans.map(({ column, extent }) => ({
    column,
    rows: column === ways.trees.start ? statistics.inStart(extent) : statistics.total * guess(extent),
  }))
  const parts = [...found, ...inSpans].map(({ rows }) => Math.min(1, rows / Math.max(1, statistics.total)))
  return {
    statistics,
    leads: [
      ...found.flatMap(({ key, ids, rows }) =>
        leadsByKeys(search, key, { keys: keysOf(ids), single: ids.length <= 1, rows }),
      ),
      ...inSpans.flatMap(({ column, rows }) => leadsBySpan(search, column, rows)),
    ],
    conditions: [
      ...[visible, ...plain, ...spans.map(spanCondition)].flatMap((condition) =>
        condition === null ? [] : [{ column: null, sql: condition }],
      ),
      ...found.map(({ key, ids }) => ({ column: key, sql: among(key, ids) })),
    ],
    expected: parts.reduce((rows, part) => rows * part, statistics.total * OF_PLAIN ** plain.length),
    kept: keptCount(search, found),
  }
}

const keysOf = (ids: readonly number[]): SQL => sql`SELECT value AS id FROM (${each(ids)})`

/** What part of the rows a condition is taken to leave of which nothing is known. */
const OF_PLAIN = 1 / 10
const guess = ([least, greatest]: Extent): number =>
  least === null || greatest === null ? 1 / 3 : least === greatest ? 1 / 1000 : 1 / 10

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
    lead,
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
