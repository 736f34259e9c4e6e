/**
 * The trees of the table event_tally: of each, by how many bits a value is shifted right to find its node, finest first.
 * An id counts in nodes of 256, a cell from level 8 up (1.4 by 0.7 degrees), a start from 37 hours up; the last node of
 * the id holds every event.
 */
export const TREES = {
  id: [8, 14, 20, 26, 53],
  cell: [36, 40, 44, 48],
  start: [27, 31, 35, 39],
} as const

export type Tree = keyof typeof TREES

/** The columns of every kept count: each counts the events of series with that access modifier. */
export const LEVELS = { public: 0, common: 100, private: 200, hidden: 300 } as const
const COLUMNS = Object.keys(LEVELS)

/** Which events are counted, joined with their series, and by how much that changes the column of a level. */
type Change = { readonly events: string; readonly by: (level: number) => string }

const JOINED = 'JOIN event_series ON event_series.id = event.event_series_id'

const counting = (sign: 1 | -1): Change => ({
  events: `json_each(?) AS row CROSS JOIN event ON event.id = row.value ${JOINED}`,
  by: (level) => `${sign} * sum(event_series.access_modifier = ${level})`,
})

const MOVING: Change = {
  events: `json_each(?) AS row
    CROSS JOIN event INDEXED BY event_by_series ON event.event_series_id = row.value ->> 0 ${JOINED}`,
  by: (level) => `count(*) * ((row.value ->> 1 = ${level}) - (event_series.access_modifier = ${level}))`,
}

const counted = ({ by }: Change) => Object.entries(LEVELS).map(([name, level]) => `${by(level)} AS ${name}`)

const added = (table: string, from: string) =>
  COLUMNS.map((name) => `${name} = ${table}.${name} + ${from}.${name}`).join(', ')

const tree = (name: Tree, change: Change) => {
  const [finest] = TREES[name]
  return `
  WITH leaf AS MATERIALIZED (
    SELECT event.${name} >> ${finest} AS node, ${counted(change).join(', ')} FROM ${change.events}
    WHERE event.${name} IS NOT NULL GROUP BY 1)
  INSERT INTO event_tally (tree, shift, node, ${COLUMNS.join(', ')})
  SELECT '${name}', shift.value, leaf.node >> (shift.value - ${finest}), ${COLUMNS.map((c) => `sum(leaf.${c})`).join(', ')}
  FROM leaf CROSS JOIN json_each('${JSON.stringify(TREES[name])}') AS shift WHERE true GROUP BY 2, 3
  ON CONFLICT (tree, shift, node) DO UPDATE SET ${added('event_tally', 'excluded')}`
}

const dictionary = (table: string, key: string, change: Change) => `
  UPDATE ${table} SET ${added(table, 'change')}
  FROM (SELECT event.${key} AS key, ${counted(change).join(', ')} FROM ${change.events} GROUP BY 1) AS change
  WHERE ${table}.id = change.key`

const statements = (change: Change): string[] => [
  ...(Object.keys(TREES) as Tree[]).map((name) => tree(name, change)),
  dictionary('category', 'category_id', change),
  dictionary('object_model', 'object_model_id', change),
]

/**
 * The statements that count events in (1) or out (-1), each with one parameter: a JSON array of the ids of events that
 * are stored at that moment. They belong into the batch that stores or deletes them.
 */
export const tallyStatements = (sign: 1 | -1): string[] => statements(counting(sign))

/**
 * The statements that count all events of a series at another level, each with one parameter: `[[<id>, <level>]]`. They
 * belong into the batch that gives the series that access modifier, before it does.
 */
export const moveStatements = (): string[] => statements(MOVING)
