import { type SQL, sql } from 'drizzle-orm'
import { type Group, matchingRows, othersOf } from './conditions.ts'
import { isProbed, keysOfGroup, leadsByKeys } from './parts.ts'
import { conditionsBeside, conditionsBeyond, narrowestOf, type Resolved, resolve } from './resolve.ts'
import { type Search, totalQuery } from './search.ts'
import { all } from './sql.ts'
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
}

/**
 * Chooses what drives a search without an area. Where counts are kept (everything, entries of one dictionary, an extent
 * of the start) nothing is counted; else what leads to the fewest rows is. The page is read in order, if that is likely
 * to fill it sooner than all matches are collected and sorted.
 */
export const route = async (search: Search): Promise<Route> => {
  const { groups, spans, listed, visible, hint } = search
  const others = othersOf(search)
  if (groups.length === 0 && others.length === 0)
    return { leads: [EVERYTHING], method: 'jump', where: all([visible]), count: totalQuery(search) }
  const [group] = groups
  const alone =
    groups.length === 1 && group?.few === true && listed.length === 0 && !spans.some((span) => isProbed(search, span))
  return alone && (others.length === 0 || hint === null)
    ? routeOfFew(search, group, others)
    : choose(search, await resolve(search))
}

/** Few entries of one dictionary, not known beforehand: they lead, and one round trip does. */
const routeOfFew = (search: Search, group: Group, others: readonly SQL[]): Route => {
  const { level, spans, visible } = search
  const keys = keysOfGroup(group, level)
  const leads = leadsByKeys(search, group.dictionary.key, { keys, entries: 2, rows: 0 })
  const where = all([...others, visible])
  const narrow = leads.find(({ index }) => spans.some(({ column }) => column === index?.order))
  const walking = leads.find((lead) => inOrder(search, lead))
  if (walking === undefined || narrow !== undefined) {
    const lead = narrow ?? leads[0] ?? EVERYTHING
    return { leads: [lead], method: 'collect', where, count: countBy(search, lead, where) }
  }
  const either = oneOrSeveral(walking, keys)
  if (others.length > 0) return { leads: either, method: 'walk', where, count: countBy(search, walking, where) }
  const count = sql`SELECT coalesce(sum("rows"), 0) AS count FROM (${matchingRows(group, level)})`
  return { leads: either, method: 'walk', where, count }
}

/** A lead by keys as two, of which one has no keys: a single key is walked along, several have to be merged. */
const oneOrSeveral = (lead: Lead, keys: SQL): Lead[] => [
  { ...lead, keys: sql`SELECT min(id) AS id FROM (${keys}) HAVING count(*) = 1`, entries: 1 },
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
  const walking = leadsByKeys(search, group.dictionary.key, { keys, entries: 2, rows: 0 }).find((lead) =>
    inOrder(search, lead),
  )
  return walking === undefined ? [EVERYTHING] : oneOrSeveral(walking, keys)
}

/** The cheapest route. */
const choose = (search: Search, resolved: Resolved): Route => {
  const { leads, kept, statistics } = resolved
  const expected = search.known?.count ?? resolved.expected
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
    where: conditionsBeyond(resolved, lead),
    count,
  }
}

/** How many rows a walk reads until the page is full, if the matches lie evenly among those it leads to. */
const walkCost = ({ size }: Search, { rows, keys, entries }: Lead, expected: number): number =>
  size * Math.max(1, rows / Math.max(1, expected)) * (keys === null || entries <= 1 ? 1 : 2 * entries)
