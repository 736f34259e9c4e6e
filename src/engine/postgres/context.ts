import { type SQL, sql } from 'drizzle-orm'
import type { Area, Condition } from '../../question/condition.ts'
import type { ListName } from '../../question/fields.ts'
import type { Views } from './views.ts'

/** What was read before the statement: conditions that the Worker decides, and the areas that SQL decides. */
export interface Decided {
  /** The ids of the rows that meet a condition or lie in an area. */
  readonly rows: ReadonlyMap<Condition | Area, readonly number[]>
  /** The texts of a field that pass a test, in place of the test. */
  readonly texts: ReadonlyMap<Condition, readonly string[]>
}

/** The place of a condition in a statement: a list, and the views of an owner. */
export interface Context {
  readonly list: ListName
  readonly views: Views
  readonly decided: Decided
}

/** The column with the id of each list. */
export const idOf = (list: ListName): SQL => ({ events: sql`e.id`, series: sql`s.id`, types: sql`t.id` })[list]
