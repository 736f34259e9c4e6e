import { type Column, type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../src/access.ts'
import { listed, nameOf, textOf } from './sql.ts'
import { categories, eventCounts, eventSeries, events, objectModels } from './tables.ts'
import { DENSE, hasValue, TREE_COLUMNS, TREE_VALUES, TREES, type TreeName } from './trees.ts'

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

const { tree, shift, node } = eventCounts
const NAMES = listed(COLUMNS.map(({ column }) => nameOf(eventCounts[column])))
const INSERT = sql`INSERT INTO ${eventCounts} (${listed([tree, shift, node].map(nameOf))}, ${NAMES})`

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

/** Groups the events once by the finest complete nodes, and sums these for the others. */
const byCompleteNodes = (name: TreeName, change: Change): SQL => {
  const { complete } = TREES[name]
  const sums = listed(COLUMNS.map(({ column }) => sql`sum(leaf.${nameOf(eventCounts[column])})`))
  return sql`
  WITH leaf AS MATERIALIZED (
    SELECT ${TREE_VALUES[name]} >> ${complete[0]} AS node, ${countedBy(change)} FROM ${change.source}
    WHERE ${TREE_VALUES[name]} IS NOT NULL GROUP BY 1)
  ${INSERT}
  SELECT ${name}, shift.value, leaf.node >> (shift.value - ${complete[0]}), ${sums}
  FROM leaf CROSS JOIN json_each(${JSON.stringify(complete)}) AS shift WHERE true GROUP BY 2, 3`
}

const changeComplete = (name: TreeName, change: Change): SQL =>
  sql`${byCompleteNodes(name, change)} ON CONFLICT (${listed([tree, shift, node].map(nameOf))})
  DO UPDATE SET ${added(eventCounts, sql`excluded`)}`

/** Only nodes that are stored change. */
const changeDense = (name: TreeName, change: Change): SQL => sql`
  UPDATE ${eventCounts} SET ${added(eventCounts, sql`change`)}
  FROM (SELECT shift.value AS shift, ${TREE_VALUES[name]} >> shift.value AS node, ${countedBy(change)}
    FROM json_each(${JSON.stringify(TREES[name].dense)}) AS shift CROSS JOIN ${change.source}
    WHERE ${TREE_VALUES[name]} IS NOT NULL GROUP BY 1, 2) AS change
  WHERE ${tree} = ${name} AND ${shift} = change.shift AND ${node} = change.node`

const indexOf = (name: TreeName): SQL => sql`${events} INDEXED BY ${sql.identifier(TREES[name].index)}`
const inNode = (name: TreeName, nodeSql: SQL, bits: SQL): SQL =>
  hasValue(name, sql`(${nodeSql} << ${bits})`, sql`((${nodeSql} << ${bits}) + (1 << ${bits}) - 1)`)

const isStored = (name: TreeName, nodeSql: SQL, bits: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${eventCounts} WHERE ${tree} = ${name} AND ${shift} = ${bits} AND ${node} = ${nodeSql})`

/**
 * Stores the nodes of a tree that became dense with the new events. It goes from the largest level down, because only a
 * dense node can contain dense nodes. In a node that is not stored, it reads at most DENSE events and the new ones.
 */
const addDense = (name: TreeName): SQL => {
  const { dense } = TREES[name]
  const [largest = 0, next = 0] = [...dense].reverse()
  const [current, bits] = [sql`(down.value >> down.shift)`, sql`down.shift`]
  return sql`
  WITH RECURSIVE down (value, shift) AS (
    SELECT DISTINCT ${TREE_VALUES[name]}, ${largest} FROM json_each(?1) AS row CROSS JOIN ${events} ON ${events.id} = row.value
    WHERE ${TREE_VALUES[name]} IS NOT NULL
    UNION ALL
    SELECT down.value, down.shift - ${largest - next} FROM down WHERE down.shift > ${dense[0]}
      AND (${isStored(name, current, bits)}
        OR (SELECT count(*) FROM (SELECT 1 FROM ${indexOf(name)}
          WHERE ${inNode(name, current, bits)} LIMIT ${DENSE})) = ${DENSE})),
  missing AS MATERIALIZED (
    SELECT DISTINCT down.shift, ${current} AS node FROM down WHERE NOT ${isStored(name, current, bits)})
  ${INSERT}
  SELECT ${name}, missing.shift, missing.node, ${countedBy(ALL)}
  FROM missing CROSS JOIN ${indexOf(name)} ON ${inNode(name, sql`missing.node`, sql`missing.shift`)} ${JOINED}
  GROUP BY 2, 3 HAVING count(*) >= ${DENSE}`
}

const DICTIONARIES = [
  { table: categories, key: events.categoryId },
  { table: objectModels, key: events.objectModelId },
] as const
type Dictionary = (typeof DICTIONARIES)[number]

const changeEntries = ({ table, key }: Dictionary, change: Change): SQL => sql`
  UPDATE ${table} SET ${added(table, sql`change`)}
  FROM (SELECT ${key} AS key, ${countedBy(change)} FROM ${change.source} GROUP BY 1) AS change
  WHERE ${table.id} = change.key`

const NAMES_OF_TREES = Object.keys(TREES) as TreeName[]
const DENSE_TREES = NAMES_OF_TREES.filter((name) => TREES[name].dense.length > 0)

/** Tests if counts depend on one of these columns. */
type DependsOn = (columns: readonly Column[]) => boolean
const dependsOnAny: DependsOn = () => true

const changes = (change: Change, depends: DependsOn): SQL[] => {
  const isChanged = (name: TreeName) => depends(TREE_COLUMNS[name])
  return [
    ...NAMES_OF_TREES.filter(isChanged).map((name) => changeComplete(name, change)),
    ...DENSE_TREES.filter(isChanged).map((name) => changeDense(name, change)),
    ...DICTIONARIES.filter(({ key }) => depends([key])).map((dictionary) => changeEntries(dictionary, change)),
  ]
}

/**
 * Returns the statements that add events to the counts (1) or subtract them (-1). Each has one parameter: a JSON array
 * of ids of events that are stored at that moment. They must be in the batch that stores or deletes the events.
 * `changed`: only these columns change, so the other counts stay. Absent: all columns.
 */
export const countStatements = (sign: 1 | -1, changed?: readonly Column[]): string[] => {
  const all = changed === undefined || changed.includes(events.eventSeriesId)
  const depends = all ? dependsOnAny : (columns: readonly Column[]) => columns.some((each) => changed.includes(each))
  const denser = DENSE_TREES.filter((name) => sign === 1 && depends(TREE_COLUMNS[name]))
  return [...changes(counting(sign), depends), ...denser.map(addDense)].map(textOf)
}

/**
 * Returns the statements that move all events of a series to the counts of another level. Each has one parameter:
 * `[[<id>, <level>]]`. They must be in the batch that changes the access modifier, before the change.
 */
export const moveStatements = (): string[] => changes(MOVING, dependsOnAny).map(textOf)

/** Counts the dense nodes of a level. It searches only in the dense nodes of the level above. */
const recountDense = (name: TreeName, bits: number, above: number): SQL => sql`
  ${INSERT}
  SELECT ${name}, ${bits}, ${TREE_VALUES[name]} >> ${bits} AS part, ${countedBy(ALL)}
  FROM (SELECT ${node} AS node FROM ${eventCounts} WHERE ${tree} = ${name} AND ${shift} = ${above} AND ${sumOfCounts(eventCounts)} >= ${DENSE}) AS above
  CROSS JOIN ${indexOf(name)} ON ${inNode(name, sql`above.node`, sql`${above}`)} ${JOINED}
  GROUP BY part HAVING count(*) >= ${DENSE}`

const recountEntries = ({ table, key }: Dictionary): SQL => {
  const names = COLUMNS.map(({ column }) => nameOf(table[column]))
  return sql`
  UPDATE ${table} SET ${listed(names.map((name) => sql`${name} = coalesce(counted.${name}, 0)`))}
  FROM (SELECT entry.${nameOf(table.id)} AS id, these.* FROM ${table} AS entry LEFT JOIN (
    SELECT ${key} AS key, ${countedBy(ALL)} FROM ${ALL.source} GROUP BY 1) AS these ON these.key = entry.${nameOf(table.id)}) AS counted
  WHERE ${table.id} = counted.id`
}

/**
 * Returns statements without parameters that count everything. There is one list for each tree and each dictionary. The
 * first deletes trees of earlier versions.
 */
export const recountBatches = (): string[][] => [
  [
    textOf(
      sql`DELETE FROM ${eventCounts} WHERE ${tree} NOT IN (${listed(NAMES_OF_TREES.map((name) => sql`${name}`))})`,
    ),
  ],
  ...NAMES_OF_TREES.map((name) => {
    const { complete, dense } = TREES[name]
    const down: number[] = [complete[0], ...[...dense].reverse()]
    return [
      sql`DELETE FROM ${eventCounts} WHERE ${tree} = ${name}`,
      byCompleteNodes(name, ALL),
      ...down.slice(1).map((bits, i) => recountDense(name, bits, down[i] ?? bits)),
    ].map(textOf)
  }),
  ...DICTIONARIES.map((dictionary) => [textOf(recountEntries(dictionary))]),
]

/** Returns the same statements in one list, each for its own transaction. */
export const recountStatements = (): string[] => recountBatches().flat()
