import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { listed, nameOf } from '../../schema/sql.ts'
import { loads } from '../../schema/tables.ts'
import { faultKindOf } from '../../src/engine/d1/database.ts'
import { statement } from '../../src/store/statement.ts'
import { type Db, readRow, type Write } from './rows.ts'

export type Wait = (milliseconds: number) => Promise<unknown>

const TRIES = 6
const MAX_PAUSE = 60 // seconds

/**
 * Runs a function up to six times, with growing pauses between. `pauseOf` returns the seconds to wait after an error: 0
 * for the usual pause, null if a retry cannot help.
 */
export async function retry<T>(
  run: () => Promise<T>,
  pauseOf: (error: unknown) => number | null | Promise<number | null>,
  wait: Wait = setTimeout,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      const pause = await pauseOf(error)
      if (tries === TRIES || pause === null) throw error
      await wait(1000 * Math.min(MAX_PAUSE, pause || 2 ** (tries - 1)))
    }
  }
}

/** Messages about rights and limits of an account. A retry cannot help. */
const REFUSED = /daily|exceeded the limit|authenticat|authoriz/i

/** Returns true if a retry may succeed. An overloaded database recovers during the pause. */
export const mayPass = (error: unknown): boolean =>
  ['transient', 'overload'].includes(faultKindOf(error)) && !REFUSED.test(String(error))

/** Tests if a retry may succeed after an error. */
type Passes = (error: unknown) => boolean | Promise<boolean>

export const patiently = <T>(run: () => Promise<T>, wait?: Wait, passes: Passes = mayPass): Promise<T> =>
  retry(run, async (error) => ((await passes(error)) ? 0 : null), wait)

/** Returns a database that retries each batch. Use it for batches that may run twice, such as reads. */
export const patientDatabase = (db: Db, wait?: Wait, passes?: Passes): Db => ({
  prepare: (text) => db.prepare(text),
  batch: (statements) => patiently(() => db.batch(statements), wait, passes),
})

/**
 * Stores batches over an unreliable connection. Each transaction also stores a mark and deletes the mark of the batch
 * before. After an error, the mark shows whether the batch must be sent again. `end` deletes the last mark.
 */
export function patientWrite(
  write: Write,
  db: Db,
  wait?: Wait,
  passes?: Passes,
): { write: Write; end: () => Promise<unknown> } {
  let last = ''
  const columns = listed([loads.digest, loads.passed].map(nameOf))
  const marked = (mark: string) => statement(sql`INSERT INTO ${loads} (${columns}) VALUES (?1, 0)`, mark)
  const forget = () => statement(sql`DELETE FROM ${loads} WHERE ${loads.digest} = ?1`, last)
  const isStored = async (mark: string): Promise<boolean> =>
    (await readRow(db, sql`SELECT 1 FROM ${loads} WHERE ${loads.digest} = ${mark}`)) !== undefined
  const store: Write = async (statements) => {
    const mark = randomUUID()
    const all = [...statements, forget(), marked(mark)]
    // Look for the mark even if a retry was refused. An earlier attempt may have been stored after its own check.
    const attempt = () =>
      write(all).catch(async (error: unknown) => {
        if (!(await isStored(mark))) throw error
      })
    await patiently(attempt, wait, passes)
    last = mark
  }
  // A mark that remains is harmless, so one attempt is enough.
  return { write: store, end: async () => last !== '' && write([forget()]).catch(() => {}) }
}
