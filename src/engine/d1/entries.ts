import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { badRequest } from '../../base/errors.ts'
import type { Steps } from '../../base/work.ts'
import { MAX_BYTES, MAX_DICTIONARIES, MAX_TEXTS } from '../limits.ts'
import type { RowReader } from './database.ts'
import type { Bits, Sought } from './part.ts'
import { all, integerOf } from './sql.ts'

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

/** Leaves out rows after so many bytes of text. The first row is always read. */
export const fitting = <R>(rows: SQL, most: number): SQL<R> =>
  sql`SELECT * FROM (SELECT *, sum(bytes) OVER (ORDER BY id) AS total FROM (${rows})) WHERE total - bytes < ${integerOf(most)} OR bytes IS NULL`
