import type { D1Database } from '@cloudflare/workers-types'
import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { Answers, Statement } from '../../src/query/db/d1.ts'
import { textOf } from '../../src/query/db/parameters.ts'
import type { Row } from '../../src/query/table.ts'

/** The methods of D1 that the loader uses. */
export type Db = Pick<D1Database, 'prepare' | 'batch'>

/** Runs statements in one transaction. */
export type Write = (statements: readonly Statement[]) => Promise<unknown>

/** Runs statements in one transaction. Returns the rows of each. */
export const runBatch = async (
  db: Db,
  statements: readonly { readonly sql: string; readonly parameters: readonly unknown[] }[],
): Promise<Row[][]> => {
  const answers = await db.batch<Row>(statements.map(({ sql, parameters }) => db.prepare(sql).bind(...parameters)))
  return answers.map(({ results }) => results)
}

/** Reads the rows of queries from one snapshot. */
export const readRows = async <Queries extends SQLWrapper[]>(db: Db, ...queries: Queries) =>
  (await runBatch(db, queries.map(textOf))) as Answers<Queries>

/** Reads the first row of a query. */
export const readRow = async (db: Db, query: SQL): Promise<Row | undefined> => (await readRows(db, query)).flat()[0]
