import { type Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { durationCode, hasCode } from './durations.ts'
import { events } from './tables.ts'

/** A tree of counts. Each node counts the events whose values are in it. */
interface Tree {
  /** The index in which the values of a node are adjacent. */
  readonly index: string
  /** The bits by which a value is shifted to get its node, finest first. Every node with an event is stored. */
  readonly complete: readonly number[]
  /** The bits of finer nodes. A node is stored after it had DENSE events. A node that is not stored has fewer. */
  readonly dense: readonly number[]
}

/**
 * The trees of the table event_count.
 * - id: nodes of 128 ids and more. The largest node has all events.
 * - cell: level 8 (1.4 by 0.7 degrees) and above. In crowded places, there are nodes down to level 20 (38 by 19 m).
 * - start and end: 37 hours and more. At crowded times, there are nodes down to 2 seconds.
 * - duration: by its code. 64 codes are 3 to 12 % of a duration. At crowded durations, there are nodes of 4 codes.
 */
export const TREES = {
  id: { index: 'event_by_series', complete: [7, 11, 15, 19, 23, 27, 53], dense: [] },
  cell: { index: 'event_of_cell', complete: [36, 40, 44, 48], dense: [12, 16, 20, 24, 28, 32] },
  start: { index: 'event_by_start', complete: [27, 31, 35, 39], dense: [11, 15, 19, 23] },
  end: { index: 'event_by_end', complete: [27, 31, 35, 39], dense: [11, 15, 19, 23] },
  duration: { index: 'event_by_duration', complete: [6], dense: [2] },
} as const satisfies Record<string, Tree>

export type TreeName = keyof typeof TREES

/** The minimum number of events for which a dense node is stored. */
export const DENSE = 32

/** The time from the start of an event to its end, in milliseconds, as covering indexes have it. */
export const eventLength = sql`(${events.end} - ${events.start})`

export const TREE_VALUES: Readonly<Record<TreeName, SQLWrapper>> = {
  id: events.id,
  cell: events.cell,
  start: events.start,
  end: events.end,
  duration: durationCode,
}

/** The columns that decide in which nodes of a tree an event is. */
export const TREE_COLUMNS: Readonly<Record<TreeName, readonly Column[]>> = {
  id: [events.id],
  cell: [events.cell],
  start: [events.start],
  end: [events.end],
  duration: [events.start, events.end],
}

/** Tests if the value of an event is between two values. The index of the tree serves this test. */
export const hasValue = (name: TreeName, first: SQLWrapper, last: SQLWrapper): SQL =>
  name === 'duration' ? hasCode(first, last) : sql`${TREE_VALUES[name]} BETWEEN ${first} AND ${last}`
