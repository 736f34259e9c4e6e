import type { SQL, SQLWrapper } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { badRequest } from '../../errors.ts'
import { inRange, type Tested } from '../../filters/filter.ts'
import { all } from '../../filters/sql.ts'
import { isSame } from '../../state.ts'
import type { Steps } from '../../work.ts'
import type { PageRequest, SentCursor } from '../conditions/page.ts'
import { alsoIn, amongIds, areaToTest, extentOf, idsOf, type Search } from '../conditions/search.ts'
import type { Row } from '../conditions/table.ts'
import { MAX_TESTED, MAX_TESTS, PART, SPARSE } from '../limits.ts'
import { type Cover, planOf } from '../sql/plan.ts'
import { type TextsRow, textsByIds, textsOf } from '../sql/texts.ts'
import { decideGroups, testsOf } from './entries.ts'
import { cutById, readParts } from './parts.ts'
import { prepare } from './settle.ts'
import type { SnapshotReader } from './snapshot.ts'

/**
 * Replaces the tests of texts by ids: those of entries, and those of the rows that pass. But such rows near a tested area
 * may be outside of it. After a cursor in the order of ids it only finds the rows of one page.
 */
export const decideTexts = async (
  read: SnapshotReader,
  asked: Search,
  page: Pick<PageRequest, 'order' | 'cursor' | 'pageSize'> | null = null,
): Promise<Search> => {
  const groups = await decideGroups(read, asked)
  if (asked.tested.length > MAX_TESTS) throw badRequest(`Enter at most ${MAX_TESTS} regular expressions.`)
  if (asked.tested.length === 0) return { ...asked, groups }
  const tests = await testsOf(read, asked)
  const search = { ...asked, groups, tested: [] }
  const cursor = page && cursorAhead(page)
  const ahead = cursor && page && (await passingAhead(read, search, tests, cursor, page.pageSize))
  const ids = ahead ?? (await passingRows(read, search, tests))
  const isExact = areaToTest(search) === null
  return amongIds(isExact ? { ...search, plain: [], groups: [], ranges: new Map(), area: null } : search, ids)
}

/** Returns the ids of the rows that pass. */
const passingRows = async (
  read: SnapshotReader,
  search: Search,
  tests: readonly Tested[],
): Promise<readonly number[]> => {
  const most = mayOf(tests) === null ? MAX_TESTED : SPARSE * MAX_TESTED
  const { plan, cover } = await prepare(read, search)
  const { total } = read.statistics()
  const parts = plan.choice === null ? Math.ceil(Math.min(plan.rows, total) / (PART * most)) : 1
  const sink = testing(tests)
  await testRows(read, search, cutById(search, Math.max(1, parts), read.statistics()), cover, sink)
  return sink.ids
}

/** Finds the rows of the page after a cursor. Null: the data has changed since. */
const passingAhead = async (
  read: SnapshotReader,
  search: Search,
  tests: readonly Tested[],
  cursor: SentCursor,
  size: number,
): Promise<readonly number[] | null> => {
  const { total } = read.statistics()
  const sink = testing(tests)
  const after = afterId(search, cursor.from.id)
  for (const part of cutById(after, Math.ceil(total / (PART * MAX_TESTED)), read.statistics())) {
    await testRows(read, search, [part], null, sink)
    if (!isSame(read.state(), cursor.state)) return null
    if (sink.ids.length > size) break
  }
  return sink.ids
}

/** Tests the rows of parts of a search. */
const testRows = async (
  read: SnapshotReader,
  search: Search,
  parts: readonly Search[],
  cover: Cover | null,
  sink: Sink,
): Promise<void> => {
  const queryOf = (part: Search) => textsOf(planOf(part, read.statistics(), cover), sink.columns, sink.may)
  await readParts(read, parts, queryOf, function* (part, [row]) {
    if (row !== undefined && row.count > MAX_TESTED) return cutById(part, 2, read.statistics())
    yield* sink.take(row)
    return []
  })
  for (let left = sink.long.splice(0); left.length > 0; ) {
    const [rows] = await read(textsByIds(search, sink.columns, left))
    await read.work.run(sink.test(rows))
    const done = new Set(rows.map(({ id }) => id))
    left = left.filter((id) => !done.has(id))
  }
}

/** Returns the cursor of a page whose count is known, in the order of ids. Otherwise it returns null. */
const cursorAhead = ({ order, cursor }: Pick<PageRequest, 'order' | 'cursor'>): SentCursor | null =>
  cursor?.state && order.column === null && !order.near && !order.descending && !cursor.backward ? cursor : null

const afterId = (search: Search, id: number): Search => {
  const [first, last] = idsOf(extentOf(search, events.id))
  return alsoIn(search, inRange(events.id, [BigInt(Math.max(first, id + 1)), BigInt(last)]))
}

/** Returns SQL that leaves out only rows that fail. */
const mayOf = (tests: readonly Tested[]): SQL | null => {
  const conditions = tests.flatMap(({ may }) => may ?? [])
  return conditions.length === 0 ? null : all(conditions)
}

type Sink = ReturnType<typeof testing>

/** Tests rows. `long` has the rows whose texts are still to be read. */
const testing = (tested: readonly Tested[]) => {
  const [ids, long]: [number[], number[]] = [[], []]
  const columns: readonly SQLWrapper[] = tested.flatMap((each) => each.columns)
  const firstOf = (i: number) => tested.slice(0, i).reduce((sum, { columns }) => sum + columns.length, 0)
  const tests = tested.map((each, i) => ({ ...each, first: firstOf(i) }))
  const note = (id: number, values: readonly unknown[]) => {
    if (tests.every(({ first, columns, test }) => test(values.slice(first, first + columns.length)))) ids.push(id)
  }
  return {
    ids,
    long,
    columns,
    may: mayOf(tested),
    *take(row: TextsRow | undefined): Steps<void> {
      const rows: readonly [id: number, ...values: unknown[]][] = JSON.parse(row?.list ?? '[]')
      for (const [id, ...values] of rows) {
        if (values.length < columns.length || typeof values[0] === 'number') long.push(id)
        else note(id, values)
        yield
      }
    },
    *test(rows: readonly Row[]): Steps<void> {
      for (const row of rows) {
        note(
          Number(row.id),
          columns.map((_, i) => row[`text${i}`]),
        )
        yield
      }
    },
  }
}
