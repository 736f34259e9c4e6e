import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../src/access.ts'
import { listed, nameOf, textOf } from './sql.ts'
import { categories, durationClass, eventCounts, eventSeries, events, objectModels } from './tables.ts'

/** A tree of counts: of each node, the events whose value lies in it. */
interface Tree {
  /** The index in which the values of a node stand side by side. */
  readonly index: string
  /** By how many bits a value is shifted to find its node, finest first: of these all nodes that hold an event are kept. */
  readonly complete: readonly number[]
  /** Finer ones: of these a node is kept once it has held DENSE events; one that is not kept holds fewer. */
  readonly dense: readonly number[]
}

/**
 * The trees of the table event_count. An id counts in nodes of 128; a cell from level 8 up (1.4 by 0.7 degrees), and
 * where events are crowded down to level 20 (38 by 19 m); a start and an end from 37 hours up, down to 2 seconds; a
 * duration by its class. The last node of the id holds every event.
 */
export const TREES = {
  id: { index: 'event_by_series', complete: [7, 11, 15, 19, 23, 27, 53], dense: [] },
  cell: { index: 'event_of_cell', complete: [36, 40, 44, 48], dense: [12, 16, 20, 24, 28, 32] },
  start: { index: 'event_by_start', complete: [27, 31, 35, 39], dense: [11, 15, 19, 23] },
  end: { index: 'event_by_end', complete: [27, 31, 35, 39], dense: [11, 15, 19, 23] },
  class: { index: 'event_of_class', complete: [0], dense: [] },
} as const satisfies Record<string, Tree>

export type TreeName = keyof typeof TREES

/** How many events make a node of a dense level worth keeping. */
export const DENSE = 32

/** What the trees are over. */
const VALUES: Readonly<Record<TreeName, SQLWrapper>> = {
  id: events.id,
  cell: events.cell,
  start: events.start,
  end: events.end,
  class: durationClass,
}

/** The columns of every count, each of the events of series with one access modifier. */
const COLUMNS = [
  { column: 'public', level: ACCESS_LEVELS.Public },
  { column: 'common', level: ACCESS_LEVELS.Common },
  { column: 'private', level: ACCESS_LEVELS.Private },
  { column: 'hidden', level: ACCESS_LEVELS.Hidden },
] as const

/** A table with these columns. */
type Counted = typeof eventCounts | typeof categories | typeof objectModels

const { tree, shift, node } = eventCounts
const NAMES = listed(COLUMNS.map(({ column }) => nameOf(eventCounts[column])))
const INSERT = sql`INSERT INTO ${eventCounts} (${listed([tree, shift, node].map(nameOf))}, ${NAMES})`
const SUM = sql.join(
  COLUMNS.map(({ column }) => sql`${eventCounts[column]}`),
  sql` + `,
)

/** Which events are counted, joined with their series, and by how much that changes the column of a level. */
interface Change {
  readonly of: SQL
  readonly by: (level: number) => SQL
}

const JOINED = sql`JOIN ${eventSeries} ON ${eventSeries.id} = ${events.eventSeriesId}`

const counting = (sign: 1 | -1): Change => ({
  of: sql`json_each(?1) AS row CROSS JOIN ${events} ON ${events.id} = row.value ${JOINED}`,
  by: (level) => sql`${sign} * sum(${eventSeries.accessModifier} = ${level})`,
})

const MOVING: Change = {
  of: sql`json_each(?1) AS row
    CROSS JOIN ${events} INDEXED BY event_by_series ON ${events.eventSeriesId} = row.value ->> 0 ${JOINED}`,
  by: (level) => sql`count(*) * ((row.value ->> 1 = ${level}) - (${eventSeries.accessModifier} = ${level}))`,
}

const ALL: Change = { of: sql`${events} ${JOINED}`, by: counting(1).by }

const countedBy = ({ by }: Change): SQL =>
  listed(COLUMNS.map(({ column, level }) => sql`${by(level)} AS ${nameOf(eventCounts[column])}`))

/** The assignments that add the counts of what is called `from`. */
const added = (table: Counted, from: SQL): SQL =>
  listed(
    COLUMNS.map(({ column }) => {
      const name = nameOf(table[column])
      return sql`${name} = ${table[column]} + ${from}.${name}`
    }),
  )

/** Counts events by the complete nodes of a tree: once by the finest, which make up the others. */
const byCompleteNodes = (name: TreeName, change: Change): SQL => {
  const { complete } = TREES[name]
  const sums = listed(COLUMNS.map(({ column }) => sql`sum(leaf.${nameOf(eventCounts[column])})`))
  return sql`
  WITH leaf AS MATERIALIZED (
    SELECT ${VALUES[name]} >> ${complete[0]} AS node, ${countedBy(change)} FROM ${change.of}
    WHERE ${VALUES[name]} IS NOT NULL GROUP BY 1)
  ${INSERT}
  SELECT ${name}, shift.value, leaf.node >> (shift.value - ${complete[0]}), ${sums}
  FROM leaf CROSS JOIN json_each(${JSON.stringify(complete)}) AS shift WHERE true GROUP BY 2, 3`
}

/** Changes the complete nodes of a tree. */
const changeComplete = (name: TreeName, change: Change): SQL =>
  sql`${byCompleteNodes(name, change)} ON CONFLICT (${listed([tree, shift, node].map(nameOf))})
  DO UPDATE SET ${added(eventCounts, sql`excluded`)}`

/** Changes the dense nodes of a tree that are kept. */
const changeDense = (name: TreeName, change: Change): SQL => sql`
  UPDATE ${eventCounts} SET ${added(eventCounts, sql`change`)}
  FROM (SELECT shift.value AS shift, ${VALUES[name]} >> shift.value AS node, ${countedBy(change)}
    FROM json_each(${JSON.stringify(TREES[name].dense)}) AS shift CROSS JOIN ${change.of}
    WHERE ${VALUES[name]} IS NOT NULL GROUP BY 1, 2) AS change
  WHERE ${tree} = ${name} AND ${shift} = change.shift AND ${node} = change.node`

/** The events by way of the index of a tree, and whether their values are in a node. */
const indexOf = (name: TreeName): SQL => sql`${events} INDEXED BY ${sql.identifier(TREES[name].index)}`
const inNode = (name: TreeName, of: SQL, bits: SQL): SQL =>
  sql`${VALUES[name]} BETWEEN ${of} << ${bits} AND (${of} << ${bits}) + (1 << ${bits}) - 1`

const isKept = (name: TreeName, of: SQL, bits: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${eventCounts} WHERE ${tree} = ${name} AND ${shift} = ${bits} AND ${node} = ${of})`

/**
 * Keeps the nodes of a tree that stored events have made dense: from the largest down, as only a node that is dense has
 * others in it. What is looked at of a node that is not kept is at most what makes it dense, and what was stored.
 */
const addDense = (name: TreeName): SQL => {
  const { dense } = TREES[name]
  const [largest = 0, next = 0] = [...dense].reverse()
  const [of, bits] = [sql`(down.value >> down.shift)`, sql`down.shift`]
  return sql`
  WITH RECURSIVE down (value, shift) AS (
    SELECT DISTINCT ${VALUES[name]}, ${largest} FROM json_each(?1) AS row CROSS JOIN ${events} ON ${events.id} = row.value
    WHERE ${VALUES[name]} IS NOT NULL
    UNION ALL
    SELECT down.value, down.shift - ${largest - next} FROM down WHERE down.shift > ${dense[0]}
      AND (${isKept(name, of, bits)}
        OR (SELECT count(*) FROM (SELECT 1 FROM ${indexOf(name)}
          WHERE ${inNode(name, of, bits)} LIMIT ${DENSE})) = ${DENSE})),
  missing AS MATERIALIZED (
    SELECT DISTINCT down.shift, ${of} AS node FROM down WHERE NOT ${isKept(name, of, bits)})
  ${INSERT}
  SELECT ${name}, missing.shift, missing.node, ${countedBy(ALL)}
  FROM missing CROSS JOIN ${indexOf(name)} ON ${inNode(name, sql`missing.node`, sql`missing.shift`)} ${JOINED}
  GROUP BY 2, 3 HAVING count(*) >= ${DENSE}`
}

/** The dictionaries whose entries are counted, and the columns of an event that name one. */
const DICTIONARIES = [
  { table: categories, key: events.categoryId },
  { table: objectModels, key: events.objectModelId },
] as const
type Dictionary = (typeof DICTIONARIES)[number]

/** Changes the counts of the entries of a dictionary. */
const changeEntries = ({ table, key }: Dictionary, change: Change): SQL => sql`
  UPDATE ${table} SET ${added(table, sql`change`)}
  FROM (SELECT ${key} AS key, ${countedBy(change)} FROM ${change.of} GROUP BY 1) AS change
  WHERE ${table.id} = change.key`

const NAMES_OF_TREES = Object.keys(TREES) as TreeName[]
const DENSE_TREES = NAMES_OF_TREES.filter((name) => TREES[name].dense.length > 0)

const changes = (change: Change): SQL[] => [
  ...NAMES_OF_TREES.map((name) => changeComplete(name, change)),
  ...DENSE_TREES.map((name) => changeDense(name, change)),
  ...DICTIONARIES.map((dictionary) => changeEntries(dictionary, change)),
]

/**
 * The statements that count events in (1) or out (-1), each with one parameter: a JSON array of the ids of events that
 * are stored at that moment. They belong into the batch that stores or deletes them.
 */
export const countStatements = (sign: 1 | -1): string[] =>
  [...changes(counting(sign)), ...(sign === 1 ? DENSE_TREES.map(addDense) : [])].map(textOf)

/**
 * The statements that count all events of a series at another level, each with one parameter: `[[<id>, <level>]]`. They
 * belong into the batch that gives the series that access modifier, before it does.
 */
export const moveStatements = (): string[] => changes(MOVING).map(textOf)

/** Counts the dense nodes of a level within those of the level above it. */
const recountDense = (name: TreeName, bits: number, above: number): SQL => sql`
  ${INSERT}
  SELECT ${name}, ${bits}, ${VALUES[name]} >> ${bits} AS part, ${countedBy(ALL)}
  FROM (SELECT ${node} AS node FROM ${eventCounts} WHERE ${tree} = ${name} AND ${shift} = ${above} AND ${SUM} >= ${DENSE}) AS above
  CROSS JOIN ${indexOf(name)} ON ${inNode(name, sql`above.node`, sql`${above}`)} ${JOINED}
  GROUP BY part HAVING count(*) >= ${DENSE}`

const recountEntries = ({ table, key }: Dictionary): SQL => {
  const names = COLUMNS.map(({ column }) => nameOf(table[column]))
  return sql`
  UPDATE ${table} SET ${listed(names.map((name) => sql`${name} = coalesce(counted.${name}, 0)`))}
  FROM (SELECT entry.${nameOf(table.id)} AS id, these.* FROM ${table} AS entry LEFT JOIN (
    SELECT ${key} AS key, ${countedBy(ALL)} FROM ${ALL.of} GROUP BY 1) AS these ON these.key = entry.${nameOf(table.id)}) AS counted
  WHERE ${table.id} = counted.id`
}

/** The statements that count everything again, without parameters: one list for each tree and each dictionary. */
export const recountBatches = (): string[][] => [
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

/** The same statements in one list, each for a transaction of its own: after a load that did not count. */
export const recountStatements = (): string[] => recountBatches().flat()
