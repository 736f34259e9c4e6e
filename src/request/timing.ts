import type { Database } from '../engine/run/database.ts'
import type { CacheUse } from './cache.ts'

/** The cost of a request and its times. The log line and the header `Server-Timing` show them. */
export interface Timing {
  readonly cost: Database['cost']
  /** Whether the edge cache served the request. */
  readonly cacheUse: CacheUse
  /** The end of planning and the end of reading, in milliseconds. Both use the clock of the start. */
  readonly planned: number
  readonly paged: number
  /** True if the caller may see it. The time and the rows read can reveal something about hidden rows. */
  readonly open: boolean
}

/** How a stream reads its batches. */
export interface BatchTiming {
  /** Runs a read when a slot is free. */
  readonly inTurn: <T>(read: () => Promise<T>) => Promise<T>
  /** Returns the most rows of the next batch. It depends on how many streams are open. */
  readonly batchRows: () => number
}

/** Returns the milliseconds of each stage of a request. */
export const stagesOf = (started: number, ended: number, { planned, paged }: Timing): Record<string, number> => {
  const stages = { plan: planned - started, page: paged - planned, render: ended - paged }
  return Object.fromEntries(Object.entries(stages).map(([name, duration]) => [name, Math.round(Math.max(0, duration))]))
}

/** Writes the header `Server-Timing`, with the stages of a request and the work of D1. */
export const serverTiming = (started: number, ended: number, timing: Timing): string => {
  const { cost, cacheUse } = timing
  const stages = Object.entries(stagesOf(started, ended, timing)).map(([name, took]) => `${name};dur=${took}`)
  const { milliseconds, rowsRead, roundTrips, region } = cost
  const figures = [
    `d1;dur=${milliseconds.toFixed(1)}`,
    `rows_read;desc="${rowsRead}"`,
    `round_trips;desc="${roundTrips}"`,
    `cache;desc="${cacheUse}"`,
    ...(region === null ? [] : [`region;desc="${region}"`]),
  ]
  return [...stages, ...figures].join(', ')
}
