import type { SQL } from 'drizzle-orm'
import { at } from '../../collections.ts'
import type { Steps } from '../../work.ts'
import type { Row } from '../conditions/table.ts'
import type { Read } from './database.ts'

/** A part of the rows that one query reads. */
export interface Portion {
  readonly query: SQL
  /** Passes the rows to a sink, and returns the portions that remain to be read. */
  readonly take: (rows: readonly Row[]) => Steps<readonly Portion[]>
}

/** Makes a portion. The query declares the type of its rows. */
export const portionOf = <R>(query: SQL<R>, take: (rows: readonly R[]) => Steps<readonly Portion[]>): Portion => ({
  query,
  take: take as Portion['take'], // the rows have the type that the query declares
})

/** Makes a portion whose query returns all of its rows. */
export const wholePortion = <R>(query: SQL<R>, onRow: (row: R) => void): Portion =>
  portionOf(query, function* (rows) {
    for (const row of rows) {
      onRow(row)
      yield
    }
    return []
  })

/** Makes a portion that collects its rows. */
export const collecting = <R>(query: SQL<R>): { readonly portion: Portion; readonly rows: R[] } => {
  const rows: R[] = []
  return { portion: wholePortion(query, (row) => rows.push(row)), rows }
}

/** A reading in portions. `last` returns the portions to read after all others. */
export interface Reading {
  readonly portions: readonly Portion[]
  readonly last?: () => readonly Portion[]
}

/** The most portions of a reading in one round trip. The Worker holds all their answers in memory at once. */
const MAX_PORTIONS = 5

/** Runs readings side by side. Each round trip has the next portions of all of them. */
export const readPortions = async (read: Read, ...readings: readonly Reading[]): Promise<void> => {
  const waiting = readings.map(({ portions }) => portions)
  for (;;) {
    for (const [i, { last }] of readings.entries()) if (at(waiting, i).length === 0 && last) waiting[i] = last()
    const now = waiting.map((portions) => portions.slice(0, MAX_PORTIONS))
    if (now.every(({ length }) => length === 0)) return
    const answers = (await read(...now.flat().map(({ query }) => query))).values()
    for (const [i, portions] of now.entries()) {
      const left: Portion[] = []
      for (const { take } of portions) left.push(...(await read.work.run(take(answers.next().value ?? []))))
      waiting[i] = [...left, ...at(waiting, i).slice(MAX_PORTIONS)]
    }
  }
}
