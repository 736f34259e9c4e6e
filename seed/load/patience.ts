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

export type Wait = (milliseconds: number) => Promise<unknown>

const TRIES = 6

/** Messages about rights and limits of an account. A retry cannot help. */
const REFUSED = /daily|exceeded the limit|exceeded maximum|authenticat|authoriz/i

/**
 * Returns true if a retry may succeed after an error of a remote database. An overloaded database recovers during the
 * pause.
 */
export const mayPass = (error: unknown): boolean => kindOf(error) !== 'ours' && !REFUSED.test(String(error))

/** Runs a function that changes no data. It retries after growing pauses if an error may pass. */
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
 * Stores batches over an unreliable connection. Each transaction also stores a mark and deletes the mark of the batch
 * before. After an error, the mark shows whether the batch must be sent again. `end` deletes the last mark.
 */
export function patientWrite(write: Write, db: D1Database, wait: Wait = setTimeout): { write: Write; end: Write } {
  let last = ''
  const forget = () => ({ sql: FORGET, parameters: [last] })
  const isStored = (mark: string) => patiently(() => db.prepare(FIND).bind(mark).first(), wait)
  const store: Write = async (statements) => {
    const mark = randomUUID()
    const marked = { sql: MARK, parameters: [mark] }
    const all = [...statements, forget(), marked]
    await patiently(
      () =>
        write(all).catch(async (error: unknown) => {
          // Look for the mark even if a retry was refused. An earlier attempt may have been stored after its own check.
          if ((await isStored(mark)) === null) throw error
        }),
      wait,
    )
    last = mark
  }
  // A mark that remains is harmless, so one attempt is enough.
  return { write: store, end: async () => last !== '' && write([forget()]).catch(() => {}) }
}

/** Wraps a database for reading only. Each read is retried if its error may pass. */
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
