import { sql } from 'drizzle-orm'
import { durationNode } from './durations.ts'
import { events } from './tables.ts'

/**
 * The trees of the table event_count. An event is in the node `value >> shift` of each size. Sizes go from the finest on.
 * - id: nodes of 128 ids and more. The largest node has all events.
 * - cell: level 12 (0.09 by 0.04 degrees) to level 2. Node -1 of each size has the events without a place.
 * - start and end: 37 hours to 17 years.
 * - duration: see durations.ts.
 * The columns decide in which nodes an event is.
 */
export const TREES = {
  id: { value: events.id, shifts: [7, 11, 15, 20, 53], columns: [events.id] },
  cell: { value: events.cell, shifts: [28, 32, 36, 40, 44, 48], columns: [events.cell] },
  start: { value: events.start, shifts: [27, 31, 35, 39], columns: [events.start] },
  end: { value: events.end, shifts: [27, 31, 35, 39], columns: [events.end] },
  duration: { value: durationNode, shifts: [0], columns: [events.start, events.end] },
} as const

export type TreeName = keyof typeof TREES

/** The time from the start of an event to its end, in milliseconds, as covering indexes have it. */
export const eventLength = sql`(${events.end} - ${events.start})`
