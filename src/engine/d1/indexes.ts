import { SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { sumOfCounts } from '../../../schema/counts.ts'
import { eventCounts, events } from '../../../schema/tables.ts'
import { TREES, type TreeName } from '../../../schema/trees.ts'
import { at } from '../../base/collections.ts'
import { integerOf } from './sql.ts'

const INDEXES = getTableConfig(events).indexes.map(({ config: { name, columns, unique } }) => ({
  name,
  columns: columns.filter((each) => !(each instanceof SQL)) as SQLWrapper[],
  unique,
}))

/** The columns that filters use. Every covering index has them all, so it counts, tests and sorts without the table. */
export const COVERED: readonly SQLWrapper[] = INDEXES.find(({ name }) => name === 'event_of_series')?.columns ?? []

/** The indexes whose rows are in the order of one column, and then of the id. */
const ORDERED: ReadonlyMap<SQLWrapper, string> = new Map(
  INDEXES.flatMap(({ name, columns: [column, second], unique }) =>
    column === undefined || unique || (second !== undefined && second !== events.id) ? [] : [[column, name] as const],
  ),
)

/** Returns the name of the index in the order of a column. Null: there is none. */
export const indexOf = (column: SQLWrapper): string | null => ORDERED.get(column) ?? null

/** The columns with such an index whose values no covering index has. */
export const LOOKED_UP: readonly SQLWrapper[] = [...ORDERED.keys()].filter(
  (column) => column !== events.duration && !COVERED.includes(column),
)

/** Selects from the events through an index. Null: in the order of ids. */
export const through = (index: string | null): SQL =>
  index === null ? sql`${events} NOT INDEXED` : sql`${events} INDEXED BY ${sql.identifier(index)}`

/** The events in a node of the table of counts that a level sees. */
export const seenIn = (level: number): SQL => sumOfCounts(eventCounts, (each) => each <= level)

/** Selects the nodes of one size in the table of counts. */
export const nodesOf = (tree: TreeName, shift: SQLWrapper | number): SQL =>
  sql`${eventCounts.tree} = ${sql.raw(`'${tree}'`)} AND ${eventCounts.shift} = ${typeof shift === 'number' ? integerOf(shift) : shift}`

/** Returns the number of all rows that a caller of this level sees. */
export const total = (level: number): SQL =>
  sql`coalesce((SELECT ${seenIn(level)} FROM ${eventCounts}
    WHERE ${nodesOf('id', at(TREES.id.shifts, -1))} AND ${eventCounts.node} = 0), 0)`

/** The columns that refer to a dictionary. */
const KEYS = getTableConfig(events).foreignKeys.map((key): SQLWrapper => at(key.reference().columns, 0))

/** The covering index of each dictionary, and its second column. */
export const ENTERED: ReadonlyMap<SQLWrapper, readonly [index: string, second: SQLWrapper]> = new Map(
  INDEXES.flatMap(({ name, columns: [key, second] }) =>
    key !== undefined && second !== undefined && KEYS.includes(key) ? [[key, [name, second]] as const] : [],
  ),
)

/** Returns the covering index with the entries of a dictionary in the order of a column. Null: there is none. */
export const coveringIndexOf = (key: SQLWrapper, column: SQLWrapper): string | null => {
  const [index = null, second] = ENTERED.get(key) ?? []
  return second === column ? index : null
}
