import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { D1Database, D1PreparedStatement } from '@cloudflare/workers-types'
import { sql } from 'drizzle-orm'
import { listed, nameOf, textOf } from '../../schema/sql.ts'
import { loads } from '../../schema/tables.ts'
import type { Statement } from '../../src/query/db/d1.ts'
import { kindOf } from '../../src/query/db/faults.ts'

/** Runs statements in one transaction. */
export type Write = (statements: readonly Statement[]) => Promise<unknown>

/** Waits so many milliseconds. */
export type Wait = (milliseconds: number) => Promise<unknown>

const TRIES = 6

/** What an account may not do gets no better by waiting. */
const REFUSED = /daily|exceeded the limit|exceeded maximum|authenticat|authoriz/i

/** Whether an error of a remote database may be over in a moment: a pause also helps one that has too much to do. */
export const mayPass = (error: unknown): boolean => kindOf(error) !== 'ours' && !REFUSED.test(String(error))

/** Runs what changes nothing, again and later where what it meets may pass. */
export async function patiently<T>(run: () => Promise<T>, wait: Wait = setTimeout): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      if (tries === TRIES || !mayPass(error)) throw error
      await wait(1000 * 2 ** (tries - 1))
    }
  }
}

const FORGET = textOf(sql`DELETE FROM ${loads} WHERE ${loads.digest} = ?1`)
const FIND = textOf(sql`SELECT 1 FROM ${loads} WHERE ${loads.digest} = ?1`)
const MARK = textOf(sql`INSERT INTO ${loads} (${listed([loads.digest, loads.passed].map(nameOf))}) VALUES (?1, 0)`)

/**
 * Stores batches over a connection that may break: a batch is sent again only if it is not there. To tell, each leaves a
 * mark of its own, in the same transaction; the next takes it away. `end` takes away the last.
 */
export function patientWrite(write: Write, db: D1Database, wait: Wait = setTimeout): { write: Write; end: Write } {
  let last = ''
  const forget = () => ({ sql: FORGET, parameters: [last] })
  const isThere = (mark: string) => patiently(() => db.prepare(FIND).bind(mark).first(), wait)
  const store: Write = async (statements) => {
    const mark = randomUUID()
    const marked = { sql: MARK, parameters: [mark] }
    const all = [...statements, forget(), marked]
    await patiently(
      () =>
        write(all).catch(async (error: unknown) => {
          // Also where a later try is refused: the first may have been stored after the look.
          if ((await isThere(mark)) === null) throw error
        }),
      wait,
    )
    last = mark
  }
  // A mark that stays does no harm, so that this is tried once.
  return { write: store, end: async () => last !== '' && write([forget()]).catch(() => {}) }
}

/** A database that is only read, where each read is repeated if what it meets may pass. */
export function patientDatabase(db: D1Database, wait: Wait = setTimeout): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>()
  const patient = (statement: D1PreparedStatement): D1PreparedStatement => {
    const repeated = Object.fromEntries(
      (['first', 'all', 'raw', 'run'] as const).map((name) => [
        name,
        (...args: unknown[]) =>
          patiently(() => (statement[name] as (...args: unknown[]) => Promise<unknown>).apply(statement, args), wait),
      ]),
    )
    const bind = (...values: unknown[]) => patient(statement.bind(...values))
    const wrapped = { ...repeated, bind } as unknown as D1PreparedStatement
    originals.set(wrapped, statement)
    return wrapped
  }
  return {
    prepare: (sql: string) => patient(db.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) =>
      patiently(() => db.batch(statements.map((each) => originals.get(each) ?? each)), wait),
  } as unknown as D1Database
}
