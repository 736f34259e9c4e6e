import type { SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { unavailable } from '../errors.ts'
import type { Row } from './table.ts'

/** Answers queries. Keeps what they cost, in D1's own figures. */
export interface Database {
  /** The rows of each query, all from one snapshot, in one round trip. */
  readonly read: (...queries: SQL[]) => Promise<Row[][]>
  readonly cost: { roundTrips: number; rowsRead: number; milliseconds: number }
}

const dialect = new SQLiteSyncDialect()

/** A D1 database for one request. A fault of it becomes a 503 that says nothing of the query. */
export const openDatabase = (d1: D1Database): Database => {
  const cost = { roundTrips: 0, rowsRead: 0, milliseconds: 0 }
  const read = async (...queries: SQL[]) => {
    const statements = queries.map((query) => {
      const { sql, params } = dialect.sqlToQuery(query)
      return d1.prepare(sql).bind(...params)
    })
    const started = performance.now()
    try {
      const answers = await d1.batch<Row>(statements)
      cost.roundTrips += 1
      cost.milliseconds += performance.now() - started
      for (const { meta } of answers) cost.rowsRead += meta.rows_read
      return answers.map(({ results }) => results)
    } catch (error) {
      console.error('database:', error)
      throw unavailable()
    }
  }
  return { read, cost }
}
