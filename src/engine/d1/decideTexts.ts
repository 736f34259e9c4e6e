import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { MAX_BYTES, MAX_LIST, MAX_TESTED, PART, SPARSE } from '../limits.ts'
import { holdsIn } from '../shared/cut.ts'
import { planAndCover } from './admit.ts'
import type { RowReader } from './database.ts'
import { findEntries, fitting } from './entries.ts'
import { type Bits, columnInRange, type Decider, entry } from './part.ts'
import { cutBy, readParts } from './parts.ts'
import { listPath } from './paths.ts'
import { type Cover, type ListRow, matchesOf, type Plan, planOf, planStatement } from './plan.ts'
import { alsoIn, alsoWithIds, hasAreaToTest, type List, onlyIds, type Search } from './search.ts'
import { all, integerOf, isIn } from './sql.ts'

/**
 * Replaces the tests of texts by ids: those of entries, and those of the rows that pass. If the Worker has to test an
 * area, these rows may lie just outside of it, so the area stays. For a page after a position in the order of ids, it only
 * finds the rows of that page. With an area, all rows are found, because the matches in it are counted again.
 */
export const decideTexts = async (read: RowReader, asked: Search, page: List | null = null): Promise<Search> => {
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

/** All tests of a search. `may` is SQL that leaves out only rows that fail. */
export interface Tests {
  readonly columns: readonly SQLWrapper[]
  readonly may: SQL | null
  readonly passes: (values: readonly unknown[]) => boolean
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
  return { columns, may: may.length === 0 ? null : all(may), passes: (values) => tests.every((test) => test(values)) }
}

/** Returns the ids of the rows that pass. */
const idsOfAll = async (read: RowReader, search: Search, tests: Tests): Promise<readonly number[]> => {
  const most = PART * MAX_TESTED * (tests.may === null ? 1 : SPARSE)
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
  for (const part of cutBy(after, events.id, estimates.total / (PART * MAX_TESTED), estimates)) {
    ids.push(...(await testRows(read, search, [part], null, tests)))
    if (!holdsIn(known, read.state())) return null
    if (ids.length > take) break
  }
  return ids
}

/** Tests the rows of parts of a search, at most `most` in a list. Returns the ids of the rows that pass. */
export const testRows = async (
  read: RowReader,
  search: Search,
  parts: readonly Search[],
  cover: Cover | null,
  { columns, may, passes }: Tests,
  most = MAX_TESTED,
): Promise<readonly number[]> => {
  const ids: number[] = []
  const long: number[] = []
  const test = function* (rows: readonly (readonly [id: number, ...values: unknown[]])[]) {
    for (const [id, ...values] of rows) {
      if (values.length < columns.length) long.push(id)
      else if (passes(values)) ids.push(id)
      yield
    }
  }
  const planPart = (part: Search) => planOf(part, read.estimates(), cover)
  const queryOf = (part: Search) => textsOf(planPart(part), columns, may, most)
  await readParts(read, parts, { queryOf, planPart, most, more: may }, ({ list }) =>
    test(JSON.parse(`[${list ?? ''}]`)),
  )
  for (let left = long.splice(0); left.length > 0; ) {
    const [rows] = await read(textsByIds(search, columns, left))
    await read.work.run(test(rows.map(({ row }) => JSON.parse(row))))
    // Rows that are gone meanwhile do not come.
    const last = Math.max(...rows.map(({ id }) => id))
    left = rows.length === 0 ? [] : left.filter((id) => id > last)
  }
  return ids
}

/** Writes a row as a JSON array of its id and of some columns. */
const arrayOf = (columns: readonly SQLWrapper[]): SQL =>
  sql`json_array(${events.id}, ${sql.join([...columns], sql`, `)})`

/**
 * Lists the columns of the matches as arrays. An array with only an id stands for a long row. It reads one row more than
 * allowed, to notice that there are too many.
 */
const textsOf = (plan: Plan, columns: readonly SQLWrapper[], may: SQL | null, most: number): SQL<ListRow> => {
  const share = integerOf(Math.floor(MAX_LIST / most))
  const matches = matchesOf(plan, sql`${events.id} AS id, ${arrayOf(columns)} AS row`, may)
  return planStatement(
    plan,
    sql<ListRow>`SELECT count(*) AS count, group_concat(iif(octet_length(row) <= ${share}, row, json_array(id))) AS list
      FROM (SELECT * FROM (${matches}) LIMIT ${integerOf(most + 1)})`,
  )
}

/** Reads the columns of rows by id as arrays, as many as fit into one read. */
const textsByIds = (
  { visible }: Search,
  columns: readonly SQLWrapper[],
  ids: readonly number[],
): SQL<{ readonly id: number; readonly row: string }> => {
  const { from, enter } = listPath(ids)
  const rows = sql`SELECT ${events.id} AS id, ${arrayOf(columns)} AS row FROM ${from} WHERE ${all([enter, visible])}`
  return fitting(sql`SELECT *, octet_length(row) AS bytes FROM (${rows})`, MAX_BYTES)
}
