import type { D1Database } from '@cloudflare/workers-types'
import type { SQL } from 'drizzle-orm'
import type { Answers } from '../../src/engine/d1/connection.ts'
import type { Statement } from '../../src/engine/d1/database.ts'
import { preparedText } from '../../src/engine/d1/sql.ts'
import type { Row } from '../../src/engine/engine.ts'

export type Db = Pick<D1Database, 'prepare' | 'batch'>

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
export const readRows = async <Queries extends SQL[]>(db: Db, ...queries: Queries) =>
  (await runBatch(db, queries.map(preparedText))) as Answers<Queries>

/** Reads the first row of a query. Returns undefined without rows. */
export const readRow = async <R>(db: Db, query: SQL<R>): Promise<R | undefined> =>
  (await runBatch(db, [preparedText(query)])).flat()[0] as R | undefined // the query declares its rows
