import type { SQL, SQLWrapper } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { at } from '../../collections.ts'
import { badRequest } from '../../errors.ts'
import { inRange, type RowTest, type Sought } from '../../filters/filter.ts'
import { all, isIn } from '../../filters/sql.ts'
import { isSame } from '../../state.ts'
import type { Steps } from '../../work.ts'
import type { PageRequest } from '../conditions/page.ts'
import { alsoIn, alsoWithIds, type Group, hasAreaToTest, onlyIds, type Search } from '../conditions/search.ts'
import { MAX_DICTIONARIES, MAX_TESTED, MAX_TESTS, MAX_TEXTS, PART, SPARSE } from '../limits.ts'
import { type Cover, planOf } from '../sql/plan.ts'
import { type EntryRow, entryTexts, TEXTS_AT_ONCE, textsByIds, textsOf } from '../sql/texts.ts'
import { prepare } from './admit.ts'
import { cutById, readParts } from './parts.ts'
import type { SnapshotReader } from './snapshot.ts'

/**
 * Replaces the tests of texts by ids: those of entries, and those of the rows that pass. If the Worker has to test an
 * area, these rows may lie just outside of it, so the area stays. For a page after a cursor in the order of ids, it only
 * finds the rows of that page.
 */
export const decideTexts = async (
  read: SnapshotReader,
  asked: Search,
  page: PageRequest | null = null,
): Promise<Search> => {
  const { groups, tested, level } = asked
  if (tested.length > MAX_TESTS) throw badRequest(`Enter at most ${MAX_TESTS} regular expressions.`)
  const ofGroups = groups.filter(({ tests }) => tests.length > 0)
  const sought = [...ofGroups.map(soughtBy), ...tested.flatMap(({ sought = [] }) => sought)]
  const found = await findEntries(read, sought, level)
  const decided = groups.map((group) => {
    const ids = found[ofGroups.indexOf(group)]
    return ids === undefined ? group : { ...group, match: isIn(group.dictionary.id, [...ids]), tests: [] }
  })
  const search = { ...asked, groups: decided, tested: [] }
  if (tested.length === 0) return search
  const tests = testsOf(tested, found.slice(ofGroups.length))
  const ids = (page && (await idsAfter(read, search, tests, page))) ?? (await idsOfAll(read, search, tests))
  return hasAreaToTest(search) ? alsoWithIds(search, ids) : onlyIds(search, ids)
}

const soughtBy = ({ dictionary, match, tests }: Group): Sought => ({
  dictionary,
  match,
  test: (text) => tests.every((passes) => passes(text)),
})

/** All tests of a search. `may` is SQL that leaves out only rows that fail. */
interface Tests {
  readonly columns: readonly SQLWrapper[]
  readonly may: SQL | null
  readonly passes: (values: readonly unknown[]) => boolean
}

/** Joins the tests of conditions. `found` has the entries of all of them. */
const testsOf = (conditions: readonly RowTest[], found: readonly ReadonlySet<number>[]): Tests => {
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
const idsOfAll = async (read: SnapshotReader, search: Search, tests: Tests): Promise<readonly number[]> => {
  const most = PART * MAX_TESTED * (tests.may === null ? 1 : SPARSE)
  const { plan, cover } = await prepare(read, search)
  const estimates = read.estimates()
  const rows = plan.choice === null ? Math.min(plan.rows, estimates.total) : 0
  return testRows(read, search, cutById(search, Math.ceil(rows / most), estimates), cover, tests)
}

/** Returns the ids of the rows of a page after a cursor. Null: the page follows no such cursor, or the data has changed. */
const idsAfter = async (
  read: SnapshotReader,
  search: Search,
  tests: Tests,
  { order, cursor, pageSize }: PageRequest,
): Promise<readonly number[] | null> => {
  if (!cursor?.state || cursor.backward || order.column !== null || order.near || order.descending) return null
  const estimates = read.estimates()
  const after = alsoIn(search, inRange(events.id, [BigInt(cursor.from.id + 1), null]))
  const ids: number[] = []
  for (const part of cutById(after, Math.ceil(estimates.total / (PART * MAX_TESTED)), estimates)) {
    ids.push(...(await testRows(read, search, [part], null, tests)))
    if (!isSame(read.state(), cursor.state)) return null
    if (ids.length > pageSize) break
  }
  return ids
}

/** Tests the rows of parts of a search. Returns the ids of the rows that pass. */
const testRows = async (
  read: SnapshotReader,
  search: Search,
  parts: readonly Search[],
  cover: Cover | null,
  { columns, may, passes }: Tests,
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
  const queryOf = (part: Search) => textsOf(planOf(part, read.estimates(), cover), columns, may)
  await readParts(read, parts, queryOf, function* (part, [row]) {
    if (row !== undefined && row.count > MAX_TESTED) return cutById(part, 2, read.estimates())
    yield* test(JSON.parse(`[${row?.list ?? ''}]`))
    return []
  })
  for (let left = long.splice(0); left.length > 0; ) {
    const [rows] = await read(textsByIds(search, columns, left))
    await read.work.run(test(rows.map(({ row }) => JSON.parse(row))))
    const done = new Set(rows.map(({ id }) => id))
    left = left.filter((id) => !done.has(id))
  }
  return ids
}

/** Returns the ids of the entries whose texts pass, for each condition. */
const findEntries = async (
  read: SnapshotReader,
  sought: readonly Sought[],
  level: number,
): Promise<readonly ReadonlySet<number>[]> => {
  const states = sought.map((each) => ({ each, after: 0, tested: 0, isDone: false, ids: new Set<number>() }))
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
      await read.work.run(testTexts(state.each, rows, state.ids))
      const last = rows.at(-1)
      state.isDone = last === undefined || last.total < TEXTS_AT_ONCE
      state.after = last?.id ?? 0
    }
  }
  return states.map(({ ids }) => ids)
}

function* testTexts({ test }: Sought, rows: readonly EntryRow[], ids: Set<number>): Steps<void> {
  for (const { id, text } of rows) {
    if (text !== null && test(text)) ids.add(id)
    yield
  }
}
