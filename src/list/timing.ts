import type { Caller } from '../caller.ts'
import type { Sent } from '../formats/stream.ts'
import type { Kept } from '../http/kept.ts'
import type { Database, OnRead } from '../query/db/d1.ts'

/** What a request took, for its log line and its header `Server-Timing`. */
export interface Timing {
  readonly cost: Database['cost']
  /** Whether the cache of the data centre served it. */
  readonly kept: Kept
  /** When it was understood, and when its page was there: in milliseconds, on the clock of its start. */
  readonly planned: number
  readonly paged: number
  /** Whether it is told to who asked: rows read, and how long it took, can tell of rows that are not shown. */
  readonly open: boolean
}

/** Reads something when it is its turn. */
export type InTurn = <T>(read: () => Promise<T>) => Promise<T>

/** Values that one stage of a request sets for the next. */
export interface Variables {
  /** The cost of the request. It is absent if nothing was read. */
  timing?: Timing
  /** Who asked, and the names of the parameters: absent where the request was refused before. */
  asked?: { readonly caller: Caller; readonly parameters: readonly string[] }
  /** Whether the cache of the data centre served it; absent where it was not asked. */
  kept?: Kept
  /** Charges the client for each round trip. It is absent if the request is free. */
  onRead?: OnRead
  /** The body of the request, for an address and a caller that may send one. */
  body?: ArrayBuffer
  /** Counts a stream before anything is read for it, and returns how to read. Throws a 503 for one too many. */
  openStream: () => InTurn
  /** Whether the body of GET is a stream, whose length nobody knows in advance. */
  streamed?: boolean
  /** How a stream ended, once it did. */
  sent?: Promise<Sent>
}

/** How many milliseconds each stage took of a request that began and ended then. */
export const stagesOf = (started: number, ended: number, { planned, paged }: Timing): Record<string, number> => {
  const stages = { plan: planned - started, page: paged - planned, render: ended - paged }
  return Object.fromEntries(Object.entries(stages).map(([name, took]) => [name, Math.round(Math.max(0, took))]))
}

/** The header `Server-Timing`: the stages of a request, and what D1 did. */
export const serverTiming = (started: number, ended: number, timing: Timing): string => {
  const { cost, kept } = timing
  const told = Object.entries(stagesOf(started, ended, timing)).map(([name, took]) => `${name};dur=${took}`)
  const { milliseconds, rowsRead, roundTrips, region } = cost
  const figures = [
    `d1;dur=${milliseconds.toFixed(1)}`,
    `rows_read;desc="${rowsRead}"`,
    `round_trips;desc="${roundTrips}"`,
    `cache;desc="${kept}"`,
    ...(region === null ? [] : [`region;desc="${region}"`]),
  ]
  return [...told, ...figures].join(', ')
}
