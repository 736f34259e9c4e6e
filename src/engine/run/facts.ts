import type { SQL } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { badRequest } from '../../errors.ts'
import { all, keyOf, numberOf, textOf } from '../../filters/sql.ts'
import type { Area } from '../../geometry/within.ts'
import { FREE, type Steps } from '../../work.ts'
import { type Facts, MAX_TEXTS, type MatchingEntries, UNCOUNTED } from '../candidates/facts.ts'
import { decidedByKept } from '../candidates/kept.ts'
import { STATISTICS_SHIFTS, type Statistics, spreadOf } from '../candidates/nodes.ts'
import { outlineOf, regionOf } from '../candidates/region.ts'
import { type Group, isTested } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import { choose } from '../plan/choose.ts'
import type { Plan } from '../plan/plan.ts'
import {
  dictionaryQuery,
  entriesQueries,
  lookUpQuery,
  mostOf,
  outlineQuery,
  placedQuery,
  statisticsQueries,
  textsOf,
} from '../sql/facts.ts'
import type { EntryRow } from '../sql/where.ts'
import type { Cache } from './cache.ts'
import type { Read } from './database.ts'
import { collecting, type Portion, readPortions } from './portions.ts'
import type { SnapshotReader } from './snapshot.ts'
import { wholeRows } from './whole.ts'

/** Reads the facts of a search, and chooses its plan. Throws a 400 if the database would test its rows for too long. */
export const readPlan = async (
  read: SnapshotReader,
  cache: Cache,
  asked: Search,
): Promise<Facts & { readonly plan: Plan }> => {
  const facts = await readFacts(read, cache, asked)
  const plan = choose(facts.search, facts)
  const { plain } = facts.search.criteria
  if (plain.length > 0) read.work.admit(Math.min(plan.narrow.rows, facts.statistics.total), charactersOf(all(plain)))
  return { ...facts, plan }
}

const charactersOf = (condition: SQL): number => textOf(condition).sql.length

/**
 * Reads the facts for a plan. Facts of the latest state come from memory. Otherwise it takes one round trip, and another
 * one if the statistics are stale. Long texts for regular expressions take more. An area takes one more if the extremes
 * of series may decide it.
 */
export const readFacts = async (read: SnapshotReader, cache: Cache, asked: Search): Promise<Facts> => {
  const { criteria, access, level } = asked
  const { groups, spans } = criteria
  const statistics = await readStatistics(read, cache, asked)
  // A dictionary has at most an entry for each row.
  const lengths = groups.map(({ match }) => charactersOf(match)).filter((length) => length > FREE)
  for (const length of lengths) read.work.admit(statistics.total, length)
  const lookedUp = spans.filter(({ column }) => access.lookedUp.includes(column))
  const lookUps = lookedUp.map((span) => collecting(lookUpQuery(asked, span)))
  const found = readEntries(read, cache, groups, level)
  const isDecidable = groups.some(({ dictionary }) => dictionary.kept !== undefined)
  const placed = collecting(placedQuery(asked))
  const cells = criteria.area && (await readCells(read, cache, asked, criteria.area, statistics))
  const portionsOf = (readings: readonly { readonly portion: Portion }[]) => ({
    portions: readings.map(({ portion }) => portion),
  })
  const ofArea = cells === null ? portionsOf([]) : isDecidable ? portionsOf([placed]) : cells
  await readPortions(read.recalled, portionsOf(lookUps), ...found, ofArea)
  const rows = found.map(({ entries }) => entries())
  const matching = await matchingEntries(read, groups, rows, statistics.total, level)
  const { search, entries } = isDecidable
    ? decidedByKept(asked, matching, placed.rows[0]?.count === 1)
    : { search: asked, entries: matching }
  const isAsked = cells !== null && search.criteria.area !== null
  if (isAsked && isDecidable) await readPortions(read, cells)
  return {
    search,
    statistics,
    entries,
    rowsByColumn: new Map(lookedUp.map(({ column }, i) => [column, numberOf(at(lookUps, i).rows)])),
    region: isAsked ? await cells.region() : null,
  }
}

/** Prepares to read the matching entries of groups. A dictionary in memory needs no read. */
const readEntries = (read: SnapshotReader, cache: Cache, groups: readonly Group[], level: number) => {
  const queries = entriesQueries(groups, level).map(collecting)
  return groups.map((group, i) => {
    const { accepts } = group
    const { portion, rows } = at(queries, i)
    if (accepts === null) return { portions: [portion], entries: () => rows }
    const accepted = (entries: readonly EntryRow[]) =>
      entries.filter(({ id, text, uuid }) => typeof text === 'string' && accepts({ id, text, ...(uuid && { uuid }) }))
    const query = dictionaryQuery(group, level)
    const kept = read.recall(cache.rows, keyOf(query)) as readonly EntryRow[] | null // as the query selects
    if (kept !== null && kept.length > 0 && kept.every(({ text }) => text !== null))
      return { portions: [], entries: () => accepted(kept) }
    const dictionary = collecting(query)
    return { portions: [portion, dictionary.portion], entries: () => [...accepted(dictionary.rows), ...rows] }
  })
}

/** Prepares to read the cells of an area. Cells of the latest state come from memory. */
const readCells = async (read: SnapshotReader, cache: Cache, search: Search, area: Area, statistics: Statistics) => {
  const key = cache.regionKey(area)
  const known = read.recall(cache.regions, key)
  if (known !== null) return { portions: [], region: async () => known }
  const outline = await read.work.run(outlineOf(area, statistics))
  const { portion, rows } = collecting(outlineQuery(search, outline))
  const region = async () => {
    const made = await read.work.run(regionOf(area, outline, rows, statistics))
    // Ten nodes take about as much memory as a cell.
    cache.regions.remember(key, read.state(), made, made.cells.length + rows.length / 10)
    return made
  }
  return { portions: [portion], region }
}

const MAX_AGE = 30_000 // milliseconds

/** Reads the statistics if they are older than 30 seconds, and the data has changed since. */
const readStatistics = async (read: SnapshotReader, cache: Cache, search: Search): Promise<Statistics> => {
  const known = cache.statistics
  if (known !== null && (Date.now() - known.at < MAX_AGE || read.assumes(known.state))) return known.statistics
  const [total, cells, starts, ids, durations, last] = await read(...statisticsQueries(search))
  const statistics: Statistics = {
    total: numberOf(total),
    cells: spreadOf(cells, STATISTICS_SHIFTS.cell),
    starts: spreadOf(starts, STATISTICS_SHIFTS.start),
    ids: spreadOf(ids, STATISTICS_SHIFTS.id, numberOf(last)),
    durations: spreadOf(durations, STATISTICS_SHIFTS.duration),
  }
  cache.statistics = { at: Date.now(), state: read.state(), statistics }
  return statistics
}

/**
 * Builds the matching entries from the answers of `entriesQueries`. It goes group by group, because the texts of each
 * may take 8 MB. `total` is the number of all rows.
 */
export const matchingEntries = async (
  read: Read,
  groups: readonly Group[],
  answers: readonly (readonly EntryRow[])[],
  total: number,
  level: number,
): Promise<MatchingEntries[]> => {
  const matching: MatchingEntries[] = []
  for (const [i, group] of groups.entries()) matching.push(await entriesOf(read, group, at(answers, i), total, level))
  return matching
}

const entriesOf = async (
  read: Read,
  group: Group,
  rows: readonly EntryRow[],
  total: number,
  level: number,
): Promise<MatchingEntries> => {
  const guess = total * UNCOUNTED
  if (rows.length > mostOf(group)) {
    if (isTested(group))
      throw badRequest(`There are more than ${MAX_TEXTS} texts to match. Use another lookup, such as icontains.`)
    return { group, ids: null, rows: guess, counted: false, kept: null }
  }
  const entries = isTested(group) ? await testedEntries(read, group, rows, level) : rows
  const counted = group.dictionary.counts !== undefined
  return {
    group,
    ids: entries.map(({ id }) => id),
    rows: counted ? entries.reduce((sum, { rows }) => sum + rows, 0) : guess,
    counted,
    kept: group.dictionary.kept === undefined || isTested(group) ? null : (entries as Required<EntryRow>[]), // the query selects them
  }
}

/**
 * Applies the tests of a group to its entries, and returns those that pass. It reads the texts that the query left out,
 * at most 8 MB at once.
 */
const testedEntries = async (
  read: Read,
  group: Group,
  rows: readonly EntryRow[],
  level: number,
): Promise<EntryRow[]> => {
  const entries: EntryRow[] = []
  for await (const batch of wholeRows(read, textsOf(group, level), rows, level))
    entries.push(...(await read.work.run(passing(group, batch))))
  return entries
}

function* passing({ tests }: Group, rows: readonly EntryRow[]): Steps<EntryRow[]> {
  const entries: EntryRow[] = []
  for (const { id, rows: count, text } of rows) {
    if (typeof text === 'string' && tests.every((test) => test(text))) entries.push({ id, rows: count })
    yield
  }
  return entries
}
