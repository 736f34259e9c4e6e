import { type SQL, sql } from 'drizzle-orm'
import type { Area, Condition } from '../../question/condition.ts'
import type { ListName } from '../../question/fields.ts'
import { inView, storedOf, type ViewName } from '../stored.ts'
import type { Ends } from './clock.ts'
import type { Views } from './views.ts'

/** The results of the Worker. SQL uses them instead of conditions that it cannot decide. */
export interface Decided {
  /** The ids of the rows that meet a condition or lie in an area. */
  readonly rows: ReadonlyMap<Condition | Area, readonly number[]>
  /** The texts of a field that pass a test, in place of the test. */
  readonly texts: ReadonlyMap<Condition, readonly string[]>
  /** The first and the last start of all events, if a condition reads the clock of a zone. */
  readonly ends: Ends
}

/** A statement about a list reads the views of an owner. */
export interface Context {
  readonly list: ListName
  readonly views: Views
  readonly decided: Decided
  /** A condition is within NOT, where it matters that it is unknown and not false. */
  readonly isStrict?: boolean
}

/** The name of each view in a statement. */
export const ALIASES = { event: sql`e`, event_series: sql`s`, observation_type: sql`t` } as const

/** Returns the view of a list. */
export const viewOf = (list: ListName): ViewName => inView(storedOf(list, 'id')).view

/** The view of a list in a statement, under its name there. */
export const tableOf = (list: ListName): SQL => sql`${sql.identifier(viewOf(list))} AS ${ALIASES[viewOf(list)]}`

/** The column with the id of each list. */
export const idOf = (list: ListName): SQL => sql`${ALIASES[viewOf(list)]}.id`
