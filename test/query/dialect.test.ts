import { env } from 'cloudflare:workers'
import { type SQL, sql } from 'drizzle-orm'
import { alias, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import { eventSeries, events } from '../../schema/tables.ts'
import { openDatabase } from '../../src/query/db/d1.ts'

/** What the database is sent for a query, and the rows that it answers. */
const sent = async (query: SQL) => {
  const texts: string[] = []
  const parameters: unknown[][] = []
  const withSession = (start?: string) => {
    const session = env.DB.withSession(start)
    const prepare = (text: string) => {
      const statement = session.prepare(text)
      const bind = (...values: unknown[]) => {
        texts.push(text)
        parameters.push(values)
        return statement.bind(...values)
      }
      return { bind }
    }
    return { prepare, batch: session.batch.bind(session), getBookmark: () => session.getBookmark() }
  }
  const [rows] = await openDatabase({ withSession } as unknown as D1Database).read(query)
  return { sql: texts.at(-1), params: parameters.at(-1), rows }
}

const other = alias(events, 'the "other"')

describe('a query is written as the dialect of Drizzle writes it', () => {
  const queries: Record<string, [SQL, object[]]> = {
    'a parameter': [sql`SELECT ${'7'} AS a, ${null} AS b`, [{ a: '7', b: null }]],
    'a text with quotes, as a parameter': [sql`SELECT ${`it's "so"`} AS a`, [{ a: `it's "so"` }]],
    'a text with quotes, written out': [sql`SELECT ${`it's ''so''`} AS a`.inlineParams(), [{ a: `it's ''so''` }]],
    'a number and a null, written out': [sql`SELECT ${7} AS a, ${null} AS b`.inlineParams(), [{ a: 7, b: null }]],
    'a list': [sql`SELECT ${'7'} IN ${['6', '7']} AS a`, [{ a: 1 }]],
    'a name with quotes': [sql`SELECT 1 AS ${sql.identifier('a "b" c')}`, [{ 'a "b" c': 1 }]],
    'a table and its columns': [sql`SELECT ${events.id} FROM ${events} WHERE ${events.eventSeriesId} = ${'0'}`, []],
    'a table by another name': [sql`SELECT ${other.eventSeriesId} FROM ${events} AS ${other} LIMIT 0`, []],
    'a column beside that of a second table': [
      sql`SELECT 1 FROM ${events} JOIN ${eventSeries} ON ${eventSeries.id} = ${events.eventSeriesId} LIMIT 0`,
      [],
    ],
    'parts within parts': [
      sql`SELECT ${sql.join([sql`${'1'} AS a`, sql`${sql`${'2'}`} AS b`], sql`, `)}`,
      [{ a: '1', b: '2' }],
    ],
  }

  it.each(Object.entries(queries))('%s', async (_, [query, rows]) => {
    const { sql: text, params } = new SQLiteSyncDialect().sqlToQuery(query)
    expect(await sent(query)).toEqual({ sql: text, params, rows })
  })
})
