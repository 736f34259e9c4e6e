import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { ACCESS_LEVELS } from '../src/access.ts'
import { durationClass } from './tables.ts'

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

const DURATION_CLASS = new SQLiteSyncDialect().sqlToQuery(durationClass).sql

/** What the trees are over. */
const VALUES: Readonly<Record<TreeName, string>> = {
  id: 'event.id',
  cell: 'event.cell',
  start: 'event.start',
  end: 'event."end"',
  class: DURATION_CLASS,
}

/** The columns of every count, each of the events of series with one access modifier. */
const COLUMNS = Object.entries(ACCESS_LEVELS).map(([name, level]) => ({ name: name.toLowerCase(), level }))
const NAMES = COLUMNS.map(({ name }) => name).join(', ')
const SUM = COLUMNS.map(({ name }) => name).join(' + ')

/** Which events are counted, joined with their series, and by how much that changes the column of a level. */
interface Change {
  readonly events: string
  readonly by: (level: number) => string
}

const JOINED = 'JOIN event_series ON event_series.id = event.event_series_id'

const counting = (sign: 1 | -1): Change => ({
  events: `json_each(?1) AS row CROSS JOIN event ON event.id = row.value ${JOINED}`,
  by: (level) => `${sign} * sum(event_series.access_modifier = ${level})`,
})

const MOVING: Change = {
  events: `json_each(?1) AS row
    CROSS JOIN event INDEXED BY event_by_series ON event.event_series_id = row.value ->> 0 ${JOINED}`,
  by: (level) => `count(*) * ((row.value ->> 1 = ${level}) - (event_series.access_modifier = ${level}))`,
}

const countedBy = (by: Change['by']): string => COLUMNS.map(({ name, level }) => `${by(level)} AS ${name}`).join(', ')

const added = (table: string, from: string): string =>
  COLUMNS.map(({ name }) => `${name} = ${table}.${name} + ${from}.${name}`).join(', ')

const sums = (of: string): string => COLUMNS.map(({ name }) => `sum(${of}.${name})`).join(', ')

const shifts = (bits: readonly number[]): string => `json_each('${JSON.stringify(bits)}') AS shift`

/** Counts events by the complete nodes of a tree: once by the finest, which make up the others. */
const byCompleteNodes = (name: TreeName, { events, by }: Change): string => {
  const { complete } = TREES[name]
  return `
  WITH leaf AS MATERIALIZED (
    SELECT ${VALUES[name]} >> ${complete[0]} AS node, ${countedBy(by)} FROM ${events}
    WHERE ${VALUES[name]} IS NOT NULL GROUP BY 1)
  INSERT INTO event_count (tree, shift, node, ${NAMES})
  SELECT '${name}', shift.value, leaf.node >> (shift.value - ${complete[0]}), ${sums('leaf')}
  FROM leaf CROSS JOIN ${shifts(complete)} WHERE true GROUP BY 2, 3`
}

/** Changes the complete nodes of a tree. */
const changeComplete = (name: TreeName, change: Change): string =>
  `${byCompleteNodes(name, change)} ON CONFLICT (tree, shift, node) DO UPDATE SET ${added('event_count', 'excluded')}`

/** Changes the dense nodes of a tree that are kept. */
const changeDense = (name: TreeName, { events, by }: Change): string => `
  UPDATE event_count SET ${added('event_count', 'change')}
  FROM (SELECT shift.value AS shift, ${VALUES[name]} >> shift.value AS node, ${countedBy(by)}
    FROM ${shifts(TREES[name].dense)} CROSS JOIN ${events} WHERE ${VALUES[name]} IS NOT NULL GROUP BY 1, 2) AS change
  WHERE event_count.tree = '${name}' AND event_count.shift = change.shift AND event_count.node = change.node`

/** The events by way of the index of a tree, and whether their values are in a node. */
const indexOf = (name: TreeName): string => `event INDEXED BY ${TREES[name].index}`
const inNode = (name: TreeName, node: string, shift: string | number): string =>
  `${VALUES[name]} BETWEEN ${node} << ${shift} AND (${node} << ${shift}) + (1 << ${shift}) - 1`

const isKept = (name: TreeName, node: string, shift: string): string =>
  `EXISTS (SELECT 1 FROM event_count WHERE tree = '${name}' AND event_count.shift = ${shift} AND event_count.node = ${node})`

/**
 * Keeps the nodes of a tree that stored events have made dense: from the largest down, as only a node that is dense has
 * others in it. What is looked at of a node that is not kept is at most what makes it dense, and what was stored.
 */
const addDense = (name: TreeName): string => {
  const { dense } = TREES[name]
  const [largest = 0, next = 0] = [...dense].reverse()
  const node = 'down.value >> down.shift'
  return `
  WITH RECURSIVE down (value, shift) AS (
    SELECT DISTINCT ${VALUES[name]}, ${largest} FROM json_each(?1) AS row CROSS JOIN event ON event.id = row.value
    WHERE ${VALUES[name]} IS NOT NULL
    UNION ALL
    SELECT down.value, down.shift - ${largest - next} FROM down WHERE down.shift > ${dense[0]} AND (${isKept(name, node, 'down.shift')}
      OR (SELECT count(*) FROM (SELECT 1 FROM ${indexOf(name)}
        WHERE ${inNode(name, `(${node})`, 'down.shift')} LIMIT ${DENSE})) = ${DENSE})),
  missing AS MATERIALIZED (
    SELECT DISTINCT down.shift, ${node} AS node FROM down WHERE NOT ${isKept(name, node, 'down.shift')})
  INSERT INTO event_count (tree, shift, node, ${NAMES})
  SELECT '${name}', missing.shift, missing.node, ${countedBy(counting(1).by)}
  FROM missing CROSS JOIN ${indexOf(name)} ON ${inNode(name, 'missing.node', 'missing.shift')} ${JOINED}
  GROUP BY 2, 3 HAVING count(*) >= ${DENSE}`
}

/** Changes the counts of the entries of a dictionary. */
const changeEntries = (table: string, key: string, { events, by }: Change): string => `
  UPDATE ${table} SET ${added(table, 'change')}
  FROM (SELECT event.${key} AS key, ${countedBy(by)} FROM ${events} GROUP BY 1) AS change
  WHERE ${table}.id = change.key`

const NAMES_OF_TREES = Object.keys(TREES) as TreeName[]
const DENSE_TREES = NAMES_OF_TREES.filter((name) => TREES[name].dense.length > 0)

const changes = (change: Change): string[] => [
  ...NAMES_OF_TREES.map((name) => changeComplete(name, change)),
  ...DENSE_TREES.map((name) => changeDense(name, change)),
  changeEntries('category', 'category_id', change),
  changeEntries('object_model', 'object_model_id', change),
]

/**
 * The statements that count events in (1) or out (-1), each with one parameter: a JSON array of the ids of events that
 * are stored at that moment. They belong into the batch that stores or deletes them.
 */
export const countStatements = (sign: 1 | -1): string[] => [
  ...changes(counting(sign)),
  ...(sign === 1 ? DENSE_TREES.map(addDense) : []),
]

/**
 * The statements that count all events of a series at another level, each with one parameter: `[[<id>, <level>]]`. They
 * belong into the batch that gives the series that access modifier, before it does.
 */
export const moveStatements = (): string[] => changes(MOVING)

const ALL: Change = { events: `event ${JOINED}`, by: counting(1).by }

/** Counts the dense nodes of a level within those of the level above it. */
const recountDense = (name: TreeName, shift: number, above: number): string => `
  INSERT INTO event_count (tree, shift, node, ${NAMES})
  SELECT '${name}', ${shift}, ${VALUES[name]} >> ${shift} AS part, ${countedBy(ALL.by)}
  FROM (SELECT node FROM event_count WHERE tree = '${name}' AND shift = ${above} AND ${SUM} >= ${DENSE}) AS above
  CROSS JOIN ${indexOf(name)} ON ${inNode(name, 'above.node', above)} ${JOINED}
  GROUP BY part HAVING count(*) >= ${DENSE}`

const recountEntries = (table: string, key: string): string => `
  UPDATE ${table} SET ${COLUMNS.map(({ name }) => `${name} = coalesce(counted.${name}, 0)`).join(', ')}
  FROM (SELECT entry.id, these.* FROM ${table} AS entry LEFT JOIN (
    SELECT event.${key} AS key, ${countedBy(ALL.by)} FROM ${ALL.events} GROUP BY 1) AS these ON these.key = entry.id) AS counted
  WHERE ${table}.id = counted.id`

/**
 * The statements that count everything anew, without parameters, in this order, each in a transaction of its own: after a
 * load that left the counts out, and for a database that was made before there were such trees.
 */
export const recountStatements = (): string[] => [
  'DELETE FROM event_count',
  ...NAMES_OF_TREES.flatMap((name) => {
    const { complete, dense } = TREES[name]
    const down: number[] = [complete[0], ...[...dense].reverse()]
    return [byCompleteNodes(name, ALL), ...down.slice(1).map((shift, i) => recountDense(name, shift, down[i] ?? shift))]
  }),
  recountEntries('category', 'category_id'),
  recountEntries('object_model', 'object_model_id'),
]
