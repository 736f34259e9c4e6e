import type { SQLWrapper } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { badRequest } from '../../errors.ts'
import type { Tested } from '../../filters/filter.ts'
import type { Steps } from '../../work.ts'
import { isRectangular } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import type { Row, Table } from '../conditions/table.ts'
import type { Plan } from '../plan/plan.ts'
import { idNodesQuery, MAX_ROWS, rangesOfIds, type TextsRow, textsOfIds, textsOfPath } from '../sql/texts.ts'
import type { Cache } from './cache.ts'
import { readPlan } from './facts.ts'
import { isKnown, type SnapshotReader } from './snapshot.ts'
import { wholeRows } from './whole.ts'

/** The most ranges of ids in a round trip. The Worker holds all their texts in memory at once. */
const MAX_AT_ONCE = 5
/** The most tests of texts in a request. Their columns are arguments of one function, and D1 allows 32. */
const MAX_TESTS = 20
/** The most ranges in a round trip if SQL left few rows of those before. */
const MAX_SPARSE = 20

/**
 * Replaces the tests of texts by the ids of the rows that pass. The Worker tests the rows that meet the other
 * conditions, so their number is the count. But rows near a tested area may be outside of it.
 */
export const decideTexts = async (
  read: SnapshotReader,
  cache: Cache,
  asked: Search,
  tested: readonly Tested[],
): Promise<Search> => {
  const { criteria, table } = asked
  if (tested.length > MAX_TESTS) throw badRequest(`Enter at most ${MAX_TESTS} regular expressions.`)
  const ids = await passingIds(read, cache, asked, tested)
  const lists = criteria.lists.filter(({ column }) => column !== table.id)
  const decided = { kind: 'listed', column: table.id, values: ids.map(BigInt) } as const
  const search = { ...asked, criteria: { ...criteria, tested: [], lists: [...lists, decided] } }
  const isCount = criteria.area === null || isRectangular(criteria.area)
  if (!isCount || isKnown(read, asked)) return search
  return { ...search, known: { count: ids.length, rowsPerMatch: 0 }, knownAt: read.state() }
}

/** Returns the ids of the rows that pass, in ascending order. */
const passingIds = async (
  read: SnapshotReader,
  cache: Cache,
  asked: Search,
  tested: readonly Tested[],
): Promise<readonly number[]> => {
  const { criteria } = asked
  const may = tested.flatMap((each) => each.may ?? [])
  const found = await readPlan(read, cache, { ...asked, criteria: { ...criteria, tested: [] } })
  const { plan, statistics } = found
  const plain = [...found.search.criteria.plain, ...may.map(({ sql }) => sql)]
  const search = { ...found.search, criteria: { ...found.search.criteria, plain } }
  const sink = testing(tested)
  const columns = tested.flatMap((each) => each.columns)
  const { rows } = plan.narrow
  // SQL may leave few rows of a long path. A page ahead needs only a part of that path.
  const left = Math.min(rows, ...may.map((each) => (each.rows * rows) / Math.max(1, statistics.total)))
  const isShort = rows <= MAX_ROWS || (left <= MAX_ROWS && aheadOf(read, asked) === null)
  const [whole] = isShort ? await read(textsOfPath(search, plan, columns)) : []
  if (whole?.[0] !== undefined && whole[0].count <= MAX_ROWS) await read.work.run(sink.take(whole[0]))
  else await readByIds(read, asked, search, plan, columns, sink)
  for await (const rows of wholeRows(read, textTable(asked, columns), sink.long, asked.level))
    await read.work.run(sink.test(rows))
  return sink.ids.sort((a, b) => a - b)
}

/** Returns the id before a page in the order of ids, if its count is known. Otherwise it returns null. */
const aheadOf = (read: SnapshotReader, asked: Search): number | null => {
  const { order, cursor } = asked
  const isAhead =
    isKnown(read, asked) && order.column === null && !order.near && !order.descending && cursor?.backward === false
  return isAhead ? cursor.from.id : null
}

/** Reads the texts in ranges of ids. If the count is known, it only finds the rows of a page from a cursor on. */
const readByIds = async (
  read: SnapshotReader,
  asked: Search,
  search: Search,
  plan: Plan,
  columns: readonly SQLWrapper[],
  sink: ReturnType<typeof testing>,
): Promise<void> => {
  const after = aheadOf(read, asked)
  const [nodes] = await read(idNodesQuery(search, after ?? 0))
  const ranges = rangesOfIds(nodes, MAX_ROWS)
  for (let i = 0, n = after === null ? MAX_AT_ONCE : 1; i < ranges.length; ) {
    const queries = ranges.slice(i, i + n).map((range) => textsOfIds(search, plan, columns, range))
    const answers = (await read(...queries)).map((rows) => at(rows, 0))
    for (const rows of answers) await read.work.run(sink.take(rows))
    i += n
    const isSparse = answers.reduce((sum, { count }) => sum + count, 0) <= MAX_ROWS
    n = Math.min(2 * n, isSparse ? MAX_SPARSE : MAX_AT_ONCE)
    if (after !== null && sink.ids.filter((id) => id > after).length > asked.size) return
  }
}

/** Tests rows. `long` has the rows whose texts are still to be read. */
const testing = (tested: readonly Tested[]) => {
  const [ids, long]: [number[], Row[]] = [[], []]
  const firstOf = (i: number) => tested.slice(0, i).reduce((sum, { columns }) => sum + columns.length, 0)
  const tests = tested.map((each, i) => ({ ...each, first: firstOf(i) }))
  const note = (id: number, values: readonly unknown[]) => {
    if (tests.every(({ first, columns, test }) => test(values.slice(first, first + columns.length)))) ids.push(id)
  }
  return {
    ids,
    long,
    *take({ list }: TextsRow): Steps<void> {
      const rows: readonly [id: number, ...values: unknown[]][] = JSON.parse(list ?? '[]')
      for (const [id, ...values] of rows) {
        if (typeof values[0] === 'number') long.push({ id, longBytes: values[0] })
        else note(id, values)
        yield
      }
    },
    *test(rows: readonly Row[]): Steps<void> {
      for (const { id, ...values } of rows) {
        note(Number(id), Object.values(values))
        yield
      }
    },
  }
}

/** The rows of a search as a table of the columns that are tested. */
const textTable = ({ table: { table, id, visible } }: Search, columns: readonly SQLWrapper[]): Table => ({
  ...{ table, id, visible },
  columns: { id, ...Object.fromEntries(columns.map((column, i) => [`column${i}`, column])) },
})
