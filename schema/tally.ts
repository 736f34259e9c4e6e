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

const EVENTS = `json_each(?) AS row CROSS JOIN event ON event.id = row.value
  JOIN event_series ON event_series.id = event.event_series_id`

const counted = (sign: 1 | -1) =>
  Object.entries(LEVELS).map(([name, level]) => `${sign} * sum(event_series.access_modifier = ${level}) AS ${name}`)

const added = (table: string, from: string) =>
  COLUMNS.map((name) => `${name} = ${table}.${name} + ${from}.${name}`).join(', ')

const tree = (name: Tree, sign: 1 | -1) => {
  const [finest] = TREES[name]
  return `
  WITH leaf AS MATERIALIZED (
    SELECT event.${name} >> ${finest} AS node, ${counted(sign).join(', ')} FROM ${EVENTS}
    WHERE event.${name} IS NOT NULL GROUP BY 1)
  INSERT INTO event_tally (tree, shift, node, ${COLUMNS.join(', ')})
  SELECT '${name}', shift.value, leaf.node >> (shift.value - ${finest}), ${COLUMNS.map((c) => `sum(leaf.${c})`).join(', ')}
  FROM leaf CROSS JOIN json_each('${JSON.stringify(TREES[name])}') AS shift WHERE true GROUP BY 2, 3
  ON CONFLICT (tree, shift, node) DO UPDATE SET ${added('event_tally', 'excluded')}`
}

const dictionary = (table: string, key: string, sign: 1 | -1) => `
  UPDATE ${table} SET ${added(table, 'change')}
  FROM (SELECT event.${key} AS key, ${counted(sign).join(', ')} FROM ${EVENTS} GROUP BY 1) AS change
  WHERE ${table}.id = change.key`

/**
 * The statements that count events in (1) or out (-1), each with one parameter: a JSON array of the ids of events that
 * are stored at that moment. They belong into the batch that stores or deletes them.
 */
export const tallyStatements = (sign: 1 | -1): string[] => [
  ...(Object.keys(TREES) as Tree[]).map((name) => tree(name, sign)),
  dictionary('category', 'category_id', sign),
  dictionary('object_model', 'object_model_id', sign),
]
