import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { chunksOf } from '../../base/collections.ts'
import type { Steps } from '../../base/work.ts'
import { CHUNK, MAX_BYTES, MAX_LIST, MAX_TESTED, VALUE_LENGTH } from '../limits.ts'
import { coverOf } from './admit.ts'
import { cutAt, cutBy, cutsOf, readChunks } from './chunks.ts'
import { fitting } from './columns.ts'
import type { RowReader } from './database.ts'
import type { Estimates } from './estimates.ts'
import { listPath } from './paths.ts'
import {
  type Cover,
  cellsOf,
  type ListRow,
  listQuery,
  matchesOf,
  mostListed,
  numbersIn,
  type Plan,
  planOf,
  planStatement,
} from './plan.ts'
import { onlyIn, type Search } from './search.ts'
import { all, integerOf } from './sql.ts'

/** Receives a row. Its numbers start at `offset`. */
export type Sink = (numbers: Float64Array, offset: number) => void

/**
 * Passes the numbers of each match once, in chunks. A chunk with too many rows is cut by a sample of them, and read again.
 * `columns` are the numbers of a row, and `most` is the most rows of a chunk.
 */
export const eachMatch = async (
  read: RowReader,
  search: Search,
  columns: readonly SQL[],
  sink: Sink,
  most = mostListed(columns),
): Promise<void> => {
  const cover = await coverOf(read, search)
  const estimates = read.estimates()
  const planChunk = (chunk: Search) => planOf(chunk, estimates, cover)
  const queryOf = (chunk: Search) => listQuery(planChunk(chunk), columns, most)
  await readChunks(read, firstChunks(search, cover, estimates, most), { queryOf, planChunk, most }, (list) =>
    passNumbers(numbersIn(list), columns.length, sink),
  )
}

/**
 * Passes the values of each match once, in chunks. `columns` are the values of a row: numbers, texts, or JSON, which the
 * Worker parses.
 */
export const eachRow = async (
  read: RowReader,
  search: Search,
  columns: readonly SQL[],
  sink: (values: readonly unknown[]) => void,
): Promise<void> => {
  const cover = await coverOf(read, search)
  // Then few rows have more characters than their share of a list.
  const most = Math.min(MAX_TESTED, Math.floor(MAX_LIST / (VALUE_LENGTH * (columns.length + 1))))
  const chunks = firstChunks(search, cover, read.estimates(), most, events.id)
  const passes = (values: readonly unknown[]) => {
    sink(values)
    return false
  }
  await testRows(read, search, chunks, cover, { columns, may: null, passes, most })
}

function* passNumbers(numbers: Float64Array, step: number, sink: Sink): Steps<void> {
  for (let i = 0; i < numbers.length; i += step) {
    sink(numbers, i)
    yield
  }
}

/**
 * Splits a search into chunks that probably have at most `most` rows each. Its estimate may be a guess. Chunks by ids are for
 * columns that no index has.
 */
const firstChunks = (
  asked: Search,
  cover: Cover | null,
  estimates: Estimates,
  most: number,
  key: typeof events.start | typeof events.id = events.start,
): readonly Search[] => {
  const { rows, choice, best } = planOf(asked, estimates, cover)
  if (choice !== null) return [asked]
  // Cells are split by cells, because starts would read all of them for each chunk.
  const isOfCells = cover !== null && best?.name === 'cells'
  const search = isOfCells ? onlyIn(asked, cellsOf(cover)) : asked
  // The chunks differ, so each is planned with a reserve.
  if (search.only === null) return cutBy(search, key, rows / (CHUNK * most), estimates)
  const { cells, ids } = search.only
  const inCells = cutAt(cells, cutsOf(cells, CHUNK * most, estimates.cells)).map((chunk) => onlyIn(search, chunk))
  return [...inCells, ...chunksOf(ids, most).map((chunk) => onlyIn(search, [], chunk))]
}

/** All tests of a search. `may` is SQL that leaves out only rows that fail. A list has at most `most` rows. */
export interface Tests {
  readonly columns: readonly SQLWrapper[]
  readonly may: SQL | null
  readonly passes: (values: readonly unknown[]) => boolean
  readonly most: number
}

/** Tests the rows of chunks of a search. Returns the ids of the rows that pass. */
export const testRows = async (
  read: RowReader,
  search: Search,
  chunks: readonly Search[],
  cover: Cover | null,
  { columns, may, passes, most }: Tests,
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
  const planChunk = (chunk: Search) => planOf(chunk, read.estimates(), cover)
  const queryOf = (chunk: Search) => textsOf(planChunk(chunk), columns, may, most)
  await readChunks(read, chunks, { queryOf, planChunk, most, more: may }, ({ list }) =>
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
