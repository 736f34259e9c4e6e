import { at } from '../../collections.ts'
import { isRectangular } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import type { Row, Table } from '../conditions/table.ts'
import { choose } from '../plan/choose.ts'
import type { Plan } from '../plan/plan.ts'
import { idNodesQuery, MAX_ROWS, rangesOfIds, type TextsRow, textsOfIds, textsOfPath } from '../sql/texts.ts'
import type { Cache } from './cache.ts'
import { readFacts } from './facts.ts'
import { completed } from './long.ts'
import { isKnown, type SnapshotReader } from './snapshot.ts'

/** The most ranges of ids in a round trip. The Worker holds all their texts in memory at once. */
const MAX_AT_ONCE = 5

/**
 * Replaces the tests of texts by the ids of the rows that pass. The Worker tests the rows that meet the other
 * conditions, so their number is the count. But rows near a tested area may be outside of it.
 */
export const decideTexts = async (read: SnapshotReader, cache: Cache, asked: Search): Promise<Search> => {
  const { criteria, table } = asked
  const ids = await passingIds(read, cache, asked)
  const lists = criteria.lists.filter(({ column }) => column !== table.id)
  const decided = { kind: 'listed', column: table.id, values: ids.map(BigInt) } as const
  const search = { ...asked, criteria: { ...criteria, tested: [], lists: [...lists, decided] } }
  const isCount = criteria.area === null || isRectangular(criteria.area)
  if (!isCount || isKnown(read, asked)) return search
  return { ...search, known: { count: ids.length, rowsPerMatch: 0 }, knownAt: read.state() }
}

/** Returns the ids of the rows that pass, in ascending order. */
const passingIds = async (read: SnapshotReader, cache: Cache, asked: Search): Promise<readonly number[]> => {
  const { tested } = asked.criteria
  const { search, ...facts } = await readFacts(read, cache, { ...asked, criteria: { ...asked.criteria, tested: [] } })
  const plan = choose(search, { search, ...facts })
  const sink = testing(asked)
  const texts = tested.map(({ text }) => text)
  const [whole] = plan.narrow.rows <= MAX_ROWS ? await read(textsOfPath(search, plan, texts)) : []
  if (whole?.[0] !== undefined && whole[0].count <= MAX_ROWS) sink.take(whole[0])
  else await readByIds(read, asked, search, plan, sink)
  for await (const rows of completed(read, textTable(asked), sink.long, asked.level)) sink.test(rows)
  return sink.ids.sort((a, b) => a - b)
}

/** Reads the texts in ranges of ids. If the count is known, it only finds the rows of a page from a cursor on. */
const readByIds = async (
  read: SnapshotReader,
  asked: Search,
  search: Search,
  plan: Plan,
  sink: ReturnType<typeof testing>,
): Promise<void> => {
  const { order, cursor, size } = asked
  const isAhead = isKnown(read, asked) && order.column === null && !order.descending && cursor?.backward === false
  const [nodes] = await read(idNodesQuery(search, isAhead ? cursor.from.id : 0))
  const ranges = rangesOfIds(nodes, MAX_ROWS)
  const texts = asked.criteria.tested.map(({ text }) => text)
  for (let i = 0, n = 1; i < ranges.length; i += n) {
    n = isAhead ? Math.min(i + 1, MAX_AT_ONCE) : MAX_AT_ONCE
    const answers = await read(...ranges.slice(i, i + n).map((range) => textsOfIds(search, plan, texts, range)))
    for (const rows of answers) sink.take(at(rows, 0))
    if (isAhead && sink.ids.filter((id) => id > cursor.from.id).length > size) return
  }
}

/** Tests rows. `long` has the rows whose texts are still to be read. */
const testing = ({ criteria: { tested } }: Search) => {
  const [ids, long]: [number[], Row[]] = [[], []]
  const note = (id: number, texts: readonly unknown[]) => {
    if (tested.every(({ test }, i) => test(String(texts[i])))) ids.push(id)
  }
  return {
    ids,
    long,
    take: ({ list }: TextsRow): void => {
      const rows: readonly [id: number, ...texts: unknown[]][] = JSON.parse(list ?? '[]')
      for (const [id, ...texts] of rows)
        if (typeof texts[0] === 'number') long.push({ cutId: id, cutBytes: texts[0] })
        else note(id, texts)
    },
    test: (rows: readonly Row[]): void => {
      for (const { id, ...texts } of rows) note(Number(id), Object.values(texts))
    },
  }
}

/** The rows of a search as a table of their texts. */
const textTable = ({ table: { table, id, visible }, criteria: { tested } }: Search): Table => ({
  ...{ table, id, visible },
  columns: { id, ...Object.fromEntries(tested.map(({ text }, i) => [`text${i}`, text])) },
})
