import { type Column, type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../src/base/access.ts'
import { listed, nameOf, sqlText } from './sql.ts'
import { categories, eventCounts, eventSeries, events, objectModels } from './tables.ts'
import { TREES, type TreeName } from './trees.ts'

/** The columns of every count, each for the series with one access modifier. */
const COLUMNS = [
  { column: 'public', level: ACCESS_LEVELS.Public },
  { column: 'common', level: ACCESS_LEVELS.Common },
  { column: 'private', level: ACCESS_LEVELS.Private },
  { column: 'hidden', level: ACCESS_LEVELS.Hidden },
] as const

/** A table with these columns. */
type Counted = typeof eventCounts | typeof categories | typeof objectModels

/** Returns the sum of the counts at the access levels that `fits` accepts. */
export const sumOfCounts = (table: Counted, fits = (_: number): boolean => true): SQL =>
  sql`(${sql.join(
    COLUMNS.filter(({ level }) => fits(level)).map(({ column }) => table[column]),
    sql` + `,
  )})`

/** A change of counts: the events, joined with their series, and the change in the column of a level. */
interface Change {
  readonly source: SQL
  readonly by: (level: number) => SQL
}

const JOINED = sql`JOIN ${eventSeries} ON ${eventSeries.id} = ${events.eventSeriesId}`

const counting = (sign: 1 | -1): Change => ({
  source: sql`json_each(?1) AS row CROSS JOIN ${events} ON ${events.id} = row.value ${JOINED}`,
  by: (level) => sql`${sign} * sum(${eventSeries.accessModifier} = ${level})`,
})

const MOVING: Change = {
  source: sql`json_each(?1) AS row
    CROSS JOIN ${events} INDEXED BY event_by_series ON ${events.eventSeriesId} = row.value ->> 0 ${JOINED}`,
  by: (level) => sql`count(*) * ((row.value ->> 1 = ${level}) - (${eventSeries.accessModifier} = ${level}))`,
}

const ALL: Change = { source: sql`${events} ${JOINED}`, by: counting(1).by }

const countedBy = ({ by }: Change): SQL =>
  listed(COLUMNS.map(({ column, level }) => sql`${by(level)} AS ${nameOf(eventCounts[column])}`))

/** Returns the assignments that add the counts of the row `from`. */
const added = (table: Counted, from: SQL): SQL =>
  listed(
    COLUMNS.map(({ column }) => sql`${nameOf(table[column])} = ${table[column]} + ${from}.${nameOf(table[column])}`),
  )

const { tree, shift, node } = eventCounts
const KEY = listed([tree, shift, node].map(nameOf))

/** Groups the events once by the finest nodes of a tree, and sums these for the others. */
const insertNodes = (name: TreeName, change: Change): SQL => {
  const { value, shifts } = TREES[name]
  const columns = COLUMNS.map(({ column }) => nameOf(eventCounts[column]))
  const sums = listed(columns.map((column) => sql`sum(leaf.${column})`))
  return sql`
  WITH leaf AS MATERIALIZED (
    SELECT ${value} >> ${shifts[0]} AS node, ${countedBy(change)} FROM ${change.source} GROUP BY 1)
  INSERT INTO ${eventCounts} (${KEY}, ${listed(columns)})
  SELECT ${name}, shift.value, leaf.node >> (shift.value - ${shifts[0]}), ${sums}
  FROM leaf CROSS JOIN json_each(${JSON.stringify(shifts)}) AS shift WHERE true GROUP BY 2, 3`
}

const changeNodes = (name: TreeName, change: Change): SQL =>
  sql`${insertNodes(name, change)} ON CONFLICT (${KEY}) DO UPDATE SET ${added(eventCounts, sql`excluded`)}`

const NAMES = Object.keys(TREES) as TreeName[]

const DICTIONARIES = [
  { table: categories, key: events.categoryId },
  { table: objectModels, key: events.objectModelId },
] as const
type Dictionary = (typeof DICTIONARIES)[number]

const changeEntries = ({ table, key }: Dictionary, change: Change): SQL => sql`
  UPDATE ${table} SET ${added(table, sql`change`)}
  FROM (SELECT ${key} AS key, ${countedBy(change)} FROM ${change.source} GROUP BY 1) AS change
  WHERE ${table.id} = change.key`

/** Changes the counts that depend on one of these columns. Null: all counts. */
const changes = (change: Change, columns: readonly Column[] | null): string[] => {
  const depends = (own: readonly Column[]) => columns === null || own.some((each) => columns.includes(each))
  return [
    ...NAMES.filter((name) => depends(TREES[name].columns)).map((name) => changeNodes(name, change)),
    ...DICTIONARIES.filter(({ key }) => depends([key])).map((dictionary) => changeEntries(dictionary, change)),
  ].map(sqlText)
}

/**
 * Returns the statements that add events to the counts (1) or subtract them (-1). Each has one parameter: a JSON array
 * of ids of events that are stored at that moment. They must be in the batch that stores or deletes the events.
 * `changed`: only these columns change, so the other counts stay. Null: all columns.
 */
export const countStatements = (sign: 1 | -1, changed: readonly Column[] | null = null): string[] =>
  changes(counting(sign), changed?.includes(events.eventSeriesId) ? null : changed)

/**
 * Returns the statements that move all events of a series to the counts of another level. Each has one parameter:
 * `[[<id>, <level>]]`. They must be in the batch that changes the access modifier, before the change.
 */
export const moveStatements = (): string[] => changes(MOVING, null)

const recountEntries = ({ table, key }: Dictionary): SQL => {
  const names = COLUMNS.map(({ column }) => nameOf(table[column]))
  return sql`
  UPDATE ${table} SET ${listed(names.map((name) => sql`${name} = coalesce(counted.${name}, 0)`))}
  FROM (SELECT entry.${nameOf(table.id)} AS id, these.* FROM ${table} AS entry LEFT JOIN (
    SELECT ${key} AS key, ${countedBy(ALL)} FROM ${ALL.source} GROUP BY 1) AS these ON these.key = entry.${nameOf(table.id)}) AS counted
  WHERE ${table.id} = counted.id`
}

/** Returns statements without parameters that count everything. There is one list for each tree and each dictionary. */
export const recountBatches = (): string[][] => [
  ...NAMES.map((name) =>
    [sql`DELETE FROM ${eventCounts} WHERE ${tree} = ${name}`, insertNodes(name, ALL)].map(sqlText),
  ),
  ...DICTIONARIES.map((dictionary) => [sqlText(recountEntries(dictionary))]),
]

/** Returns the same statements in one list, each for its own transaction. */
export const recountStatements = (): string[] => recountBatches().flat()
