import type { Database } from '../query/db/d1.ts'

/** What a request took, for its log line and its header `Server-Timing`. */
export interface Timing {
  readonly cost: Database['cost']
  /** When it was understood, and when its page was there: in milliseconds, on the clock of its start. */
  readonly planned: number
  readonly paged: number
  /** Whether it is told to who asked: rows read, and how long it took, can tell of rows that are not shown. */
  readonly open: boolean
}

/** The header `Server-Timing`: the stages of a request that began and ended then, and what D1 did. */
export const serverTiming = (started: number, ended: number, { cost, planned, paged }: Timing): string => {
  const stages = { plan: planned - started, page: paged - planned, render: ended - paged }
  const told = Object.entries(stages).map(([name, took]) => `${name};dur=${Math.max(0, took).toFixed(0)}`)
  const { milliseconds, rowsRead, roundTrips } = cost
  const figures = [
    `d1;dur=${milliseconds.toFixed(1)}`,
    `rows_read;desc="${rowsRead}"`,
    `round_trips;desc="${roundTrips}"`,
  ]
  return [...told, ...figures].join(', ')
}
