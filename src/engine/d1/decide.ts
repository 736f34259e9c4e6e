import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { at, numberAt } from '../../base/collections.ts'
import { badRequest } from '../../base/errors.ts'
import type { Steps } from '../../base/work.ts'
import { combine } from '../../geometry/within.ts'
import {
  CHUNK,
  MAX_BYTES,
  MAX_DICTIONARIES,
  MAX_LOOK_UPS,
  MAX_LOOKED_UP,
  MAX_TESTED,
  MAX_TEXTS,
  SPARSE,
} from '../limits.ts'
import { areaOf } from '../shared/area.ts'
import { holdsIn } from '../shared/cut.ts'
import { coverAreas, planAndCover } from './admit.ts'
import { cutBy } from './chunks.ts'
import { fitting } from './columns.ts'
import type { RowReader } from './database.ts'
import { decideArea, EXACT_POINT, MAX_POINTS, withoutArea } from './decideArea.ts'
import type { CountedDictionary } from './dictionaries.ts'
import { coveringIndexOf, through } from './indexes.ts'
import { eachMatch, type Tests, testRows } from './matches.ts'
import { type Bits, columnInRange, type Decider, entry, type Sought, sqlOf, sqlWith } from './part.ts'
import { mostListed } from './plan.ts'
import {
  alsoIn,
  alsoInArea,
  alsoWithIds,
  hasAreaToTest,
  hasNoArea,
  isPossible,
  type List,
  onlyIds,
  type Search,
} from './search.ts'
import { all, inRanges, integerOf, isIn } from './sql.ts'

/**
 * Replaces what SQL cannot test by the ids of the rows that meet it: texts, areas under OR and NOT, and the latest rows. An
 * area that all rows lie in stays, see decideArea.ts.
 */
export const decide = async (read: RowReader, asked: Search, page: List | null = null): Promise<Search> => {
  const { entries, latest, lookUps, tests } = asked
  if (latest === null && tests.length + lookUps.length === 0 && entries.every(({ test }) => test === undefined))
    return asked
  // The latest rows follow from all matches, and not from one page.
  const search = await withoutTests(read, await withoutLookUps(read, asked), latest === null ? page : null)
  if (latest === null) return search
  const matching = { ...search, latest: null }
  const ids = canSeek(matching, latest)
    ? (await read(latestQuery(matching, latest)))[0].map(({ id }) => id)
    : await latestMatches(read, matching, latest)
  return onlyIds(matching, ids)
}

/**
 * Replaces the areas under OR or NOT, which SQL cannot test, by the ids of the rows in them. These rows meet the other
 * conditions of the search. Throws a 400 if there are too many.
 */
const withoutLookUps = async (read: RowReader, asked: Search): Promise<Search> => {
  const { lookUps, plain, entries } = asked
  if (lookUps.length === 0) return asked
  const areasOf = lookUps.map((part) => sqlOf(part).areas.map(areaOf))
  const areas = [...new Set(areasOf.flat())]
  if (areas.length > MAX_LOOK_UPS)
    throw badRequest(
      `With OR or NOT a filter may have at most ${MAX_LOOK_UPS} separate geometries. Join geometries directly by OR or AND, or enter boxes.`,
    )
  const any = areas.length === 1 ? at(areas, 0) : combine(areas, (isWithin) => areas.some(isWithin))
  // Texts are tested later, so they do not narrow these rows.
  const decidable = entries.filter(({ test }) => test === undefined)
  const others = { ...asked, entries: decidable, tests: [], lookUps: [], latest: null }
  const search = alsoInArea(others, any)
  const decided = await decideArea(read, search, await coverAreas(read, search))
  refuseMany(decided.count)
  const lists = areas.map((): number[] => [])
  let found = 0
  const sort = (numbers: Float64Array, offset: number) => {
    const [id, x, y] = [numberAt(numbers, offset), numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)]
    for (const [i, area] of areas.entries()) {
      if (!area.contains(x, y)) continue
      at(lists, i).push(id)
      refuseMany(++found)
    }
  }
  await eachMatch(read, decided.search, EXACT_POINT, sort, MAX_POINTS)
  const tests = lists.map((ids) => sql`${asked.table.id} IN (SELECT value FROM json_each(${`[${ids.join(',')}]`}))`)
  const written = lookUps.map((part, i) =>
    sqlWith(
      part,
      at(areasOf, i).map((area) => at(tests, areas.indexOf(area))),
    ),
  )
  return { ...asked, plain: [...plain, ...written], lookUps: [] }
}

const refuseMany = (rows: number): void => {
  if (rows > MAX_LOOKED_UP)
    throw badRequest(
      `With OR or NOT the geometries may contain at most ${MAX_LOOKED_UP.toLocaleString('en')} events. Enter smaller geometries or boxes, or join them by AND.`,
    )
}

/**
 * Replaces the tests of texts by ids: those of entries, and those of the rows that pass. If the Worker has to test an
 * area, these rows may lie just outside of it, so the area stays. For a page after a position in the order of ids, it only
 * finds the rows of that page. With an area, all rows are found, because the matches in it are counted again.
 */
const withoutTests = async (read: RowReader, asked: Search, page: List | null): Promise<Search> => {
  const { entries, level } = asked
  const ofEntries = entries.flatMap(({ dictionary, match, test }) =>
    test === undefined ? [] : [{ dictionary, match: match.sql, test: (text: string) => Number(test(text)) }],
  )
  const sought = [...ofEntries, ...asked.tests.flatMap(({ sought = [] }) => sought)]
  const found = await findEntries(read, sought, level)
  const decided = entries.map((each) => {
    const ids = found[ofEntries.findIndex(({ dictionary }) => dictionary === each.dictionary)]
    return ids === undefined ? each : entry(each.dictionary, isIn(each.dictionary.id, [...ids.keys()].map(Number)))
  })
  const search = { ...asked, entries: decided, tests: [] }
  if (asked.tests.length === 0) return search
  const tests = testsOf(asked.tests, found.slice(ofEntries.length))
  if (hasAreaToTest(search)) return alsoWithIds(search, await idsOfAll(read, search, tests))
  const ids = page && (await idsAfter(read, search, tests, page))
  if (page !== null && ids !== null) return { ...onlyIds(search, ids), isPart: ids.length > page.take }
  return onlyIds(search, await idsOfAll(read, search, tests))
}

/** Joins the tests of conditions. `found` has the entries of all of them. */
const testsOf = (conditions: readonly Decider[], found: readonly Bits[]): Tests => {
  const [columns, may, tests]: [SQLWrapper[], SQL[], Tests['passes'][]] = [[], [], []]
  let entries = 0
  for (const condition of conditions) {
    const own = found.slice(entries, entries + (condition.sought?.length ?? 0))
    entries += own.length
    const [first, end] = [columns.length, columns.length + condition.columns.length]
    tests.push((values) => condition.test(values.slice(first, end), own))
    columns.push(...condition.columns)
    if (condition.may) may.push(condition.may(own))
  }
  const isNumeric = conditions.every((condition) => condition.isNumeric)
  return {
    columns,
    may: may.length === 0 ? null : all(may),
    passes: (values) => tests.every((test) => test(values)),
    most: isNumeric ? mostListed([events.id, ...columns]) : MAX_TESTED,
  }
}

/** Returns the ids of the rows that pass. */
const idsOfAll = async (read: RowReader, search: Search, tests: Tests): Promise<readonly number[]> => {
  const most = CHUNK * tests.most * (tests.may === null ? 1 : SPARSE)
  const { plan, cover } = await planAndCover(read, search)
  const estimates = read.estimates()
  const rows = plan.choice === null ? Math.min(plan.rows, estimates.total) : 0
  return testRows(read, search, cutBy(search, events.id, rows / most, estimates), cover, tests)
}

/** Returns the ids of the rows of a page after a position. Null: it follows none, or its count does not hold. */
const idsAfter = async (
  read: RowReader,
  search: Search,
  tests: Tests,
  { order, after: position, known, backward, take }: List,
): Promise<readonly number[] | null> => {
  if (position === null || known === null || backward) return null
  if (order.column !== null || order.near || order.descending) return null
  const estimates = read.estimates()
  const after = alsoIn(search, columnInRange(events.id, [BigInt(position.id + 1), null]))
  const ids: number[] = []
  for (const chunk of cutBy(after, events.id, estimates.total / (CHUNK * MAX_TESTED), estimates)) {
    ids.push(...(await testRows(read, search, [chunk], null, tests)))
    if (!holdsIn(known, read.state())) return null
    if (ids.length > take) break
  }
  return ids
}

/** Reads all matches, and returns the ids of the latest ones. */
const latestMatches = async (
  read: RowReader,
  asked: Search,
  { key }: CountedDictionary,
): Promise<readonly number[]> => {
  const search = await withoutArea(read, asked)
  const latest = new Map<number, readonly [start: number, id: number]>()
  const columns = [sql`${key}`, sql`${events.start}`, sql`${events.id}`]
  await eachMatch(read, search, columns, (numbers, offset) => {
    const entry = numberAt(numbers, offset)
    const [start, id] = [numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)]
    const [last, lastId] = latest.get(entry) ?? [Number.NEGATIVE_INFINITY, 0]
    if (start > last || (start === last && id > lastId)) latest.set(entry, [start, id])
  })
  return Array.from(latest.values(), ([, id]) => id)
}

/** Returns true if the index of the dictionary finds the latest rows. */
const canSeek = (search: Search, of: CountedDictionary): boolean =>
  search.plain.length === 0 &&
  hasNoArea(search) &&
  isPossible(search) &&
  [...search.ranges.keys()].every((column) => column === events.start || column === events.end) &&
  search.entries.every(({ dictionary }) => dictionary === of)

/**
 * Reads the id of the latest row of each entry of a dictionary, at the end of the entry's index. So the cost follows the
 * number of entries, unless many rows at that end do not match. The search has conditions on times and on this
 * dictionary only.
 */
const latestQuery = (
  { level, ranges, entries }: Search,
  { key, table, id, counts }: CountedDictionary,
): SQL<{ readonly id: number }> => {
  const rows = through(coveringIndexOf(key, events.start))
  const matching = all([
    sql`${key} = entry.id`,
    ...Array.from(ranges, ([column, extents]) => inRanges(column, extents)),
  ])
  const named = entries.map(({ match }) => match.sql)
  return sql`SELECT (SELECT max(${events.id}) FROM ${rows} WHERE ${all([matching, sql`${events.start} = entry.last`])}) AS id
    FROM (SELECT entry.id, (SELECT max(${events.start}) FROM ${rows} WHERE ${matching}) AS last
      FROM (SELECT ${id} AS id FROM ${table} WHERE ${all([sql`${counts(level)} > 0`, ...named])}) AS entry) AS entry
    WHERE entry.last IS NOT NULL`
}

/** Returns the entries whose texts pass, for each condition. */
export const findEntries = async (
  read: RowReader,
  sought: readonly Sought[],
  level: number,
): Promise<readonly Bits[]> => {
  const states = sought.map((each) => ({ each, after: 0, tested: 0, isDone: false, found: new Map<number, number>() }))
  for (let left = states; left.length > 0; left = left.filter(({ isDone }) => !isDone)) {
    const now = left.slice(0, MAX_DICTIONARIES)
    const answers = await read(
      ...now.map(({ each, after, tested }) => entryTexts(each, level, after, MAX_TEXTS + 1 - tested)),
    )
    for (const [i, state] of now.entries()) {
      const rows = at(answers, i)
      state.tested += rows.length
      if (state.tested > MAX_TEXTS)
        throw badRequest(`There are more than ${MAX_TEXTS} texts to match. Use another lookup, such as icontains.`)
      await read.work.run(testTexts(state.each, rows, state.found))
      const last = rows.at(-1)
      state.isDone = last === undefined || last.total < TEXTS_AT_ONCE
      state.after = last?.id ?? 0
    }
  }
  return states.map(({ found }) => found)
}

function* testTexts({ test }: Sought, rows: readonly EntryRow[], found: Map<number, number>): Steps<void> {
  for (const { id, text } of rows) {
    const bits = text === null ? 0 : test(text)
    if (bits > 0) found.set(id, bits)
    yield
  }
}

/** The most bytes of texts of one dictionary in a read. */
const TEXTS_AT_ONCE = MAX_BYTES / MAX_DICTIONARIES

/** An entry of a dictionary. `total` has the bytes of the texts up to it. */
interface EntryRow {
  readonly id: number
  readonly text: string | null
  readonly total: number
}

/** Reads entries after an id with their texts, as many as fit into one read. */
const entryTexts = (
  { dictionary: { id, table, text, counts }, match }: Sought,
  level: number,
  after: number,
  most: number,
): SQL<EntryRow> => {
  const seen = counts === undefined ? null : sql`${counts(level)} > 0`
  return fitting(
    sql`SELECT ${id} AS id, octet_length(${text}) AS bytes, ${text} AS text FROM ${table}
    WHERE ${all([sql`${id} > ${integerOf(after)}`, match, seen])} ORDER BY ${id} LIMIT ${integerOf(most)}`,
    TEXTS_AT_ONCE,
  )
}
