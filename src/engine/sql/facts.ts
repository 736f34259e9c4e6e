import { type SQL, sql } from 'drizzle-orm'
import { TREES, type TreeName } from '../../../schema/trees.ts'
import { at } from '../../collections.ts'
import type { Span } from '../../filters/filter.ts'
import { all, asCount, integerOf, namedColumns, rangesTable, within } from '../../filters/sql.ts'
import type { Covering } from '../../geometry/covering.ts'
import { MAX_ENTRIES, MAX_LOOKED_UP, MAX_TEXTS } from '../candidates/facts.ts'
import { CELL_SHIFTS, type CellNodeRow, decompose, type NodeRow, STATISTICS_SHIFTS } from '../candidates/nodes.ts'
import { type Group, isTested } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import type { Table } from '../conditions/table.ts'
import { indexOn } from '../conditions/table.ts'
import { fromIndex, sharedColumns } from './columns.ts'
import { nodesOf, total } from './counts.ts'
import { type EntryRow, entriesQuery, entryCondition, rowsOfEntry } from './where.ts'

/** Reads the statistics: the total, the nodes of cells, starts, ids and durations, and the greatest id. */
export const statisticsQueries = ({ access, level, table }: Search) => {
  const { counts } = access
  const nodes = (tree: TreeName, shift: number): SQL<NodeRow> =>
    sql`SELECT ${counts.node} AS node, ${counts.visible(level)} AS "rows" FROM ${counts.table}
      WHERE ${nodesOf(access, tree, shift)} ORDER BY ${counts.node}`
  return [
    asCount(total(access, level)),
    nodes('cell', STATISTICS_SHIFTS.cell),
    nodes('start', STATISTICS_SHIFTS.start),
    nodes('id', STATISTICS_SHIFTS.id),
    nodes('duration', STATISTICS_SHIFTS.duration),
    asCount(sql`(SELECT max(${table.id}) FROM ${table.table})`),
  ] as const
}

/** Reads 1 if all visible rows have coordinates, else 0. The largest nodes of cells have all rows with coordinates. */
export const placedQuery = ({ access, level }: Search): SQL<{ readonly count: number }> =>
  asCount(sql`${total(access, level)} = (SELECT coalesce(sum(${access.counts.visible(level)}), 0)
    FROM ${access.counts.table} WHERE ${nodesOf(access, 'cell', at(TREES.cell.complete, -1))})`)

/** Counts the rows in the extent of a column without stored counts, up to a limit. */
export const lookUpQuery = ({ table, access }: Search, { column, extent }: Span): SQL<{ readonly count: number }> =>
  sql`SELECT count(*) AS count FROM (SELECT 1 FROM ${fromIndex(table, indexOn(access, column, false))}
    WHERE ${within(column, extent)} LIMIT ${MAX_LOOKED_UP})`

/** Reads the visible nodes in an area. A cell inside needs only the nodes that cover it. A boundary cell needs all. */
export const outlineQuery = ({ access, level }: Search, { boundary, interiorCells }: Covering): SQL<CellNodeRow> => {
  const { table, shift, node, first, tree, visible } = access.counts
  const columns = sql`${shift} AS shift, ${node} AS node, ${visible(level)} AS "rows"`
  const interior = interiorCells.flatMap((range) => decompose(CELL_SHIFTS, [range]).nodes)
  return sql`SELECT ${columns} FROM ${rangesTable(boundary)} CROSS JOIN ${table} INDEXED BY event_count_by_first
      WHERE ${tree} = 'cell' AND ${first} BETWEEN span.value ->> 0 AND span.value ->> 1
    UNION ALL SELECT ${columns} FROM ${rangesTable(interior)} CROSS JOIN ${table}
      WHERE ${nodesOf(access, 'cell', sql`span.value ->> 0`)} AND ${node} BETWEEN span.value ->> 1 AND span.value ->> 2`
}

/** The most entries that a query of a group returns. */
export const mostOf = (group: Group): number => (isTested(group) ? MAX_TEXTS : MAX_ENTRIES)

/**
 * Reads the entries of some groups in one round trip. The limit is one more than allowed, to notice if there are too
 * many.
 */
export const entriesQueries = (groups: readonly Group[], level: number): SQL<EntryRow>[] => {
  const readsOfTexts = groups.filter(isTested).length
  return groups.map((group) => {
    const kept = isKept(group)
    // The Worker decides for the entries of `dictionaryQuery`.
    const others = group.accepts === null ? null : sql`NOT (${kept.dictionary} AND ${kept.text})`
    const entries = isTested(group)
      ? textsQuery(group, level, readsOfTexts)
      : entriesQuery({ ...group, match: all([others, group.match]) }, level)
    return sql`${entries} LIMIT ${mostOf(group) + 1}`
  })
}

/** The isolate remembers a dictionary if its ids are at most this, and its texts have at most so many characters. */
const MAX_KEPT_ID = 256
const MAX_KEPT_TEXT = 300

/** Tests if the dictionary of a group is kept in memory, and the text of an entry with it. */
const isKept = ({ dictionary: { id, table, text } }: Group) => ({
  dictionary: sql`(SELECT max(${id}) FROM ${table}) <= ${integerOf(MAX_KEPT_ID)}`,
  text: sql`length(${text}) <= ${integerOf(MAX_KEPT_TEXT)}`,
})

/**
 * Reads all visible entries of the dictionary of a group, for the memory. A long text is null. Reads nothing from a
 * large dictionary.
 */
export const dictionaryQuery = (group: Group, level: number): SQL<EntryRow> => {
  const { text, uuid } = group.dictionary
  const kept = isKept(group)
  const names = { text: sql`CASE WHEN ${kept.text} THEN ${text} END`, ...(uuid && { uuid }) }
  return entriesQuery({ ...group, match: kept.dictionary }, level, names)
}

/**
 * Reads the entries of a group with their texts. The queries of a read share 8 MB, and each entry has an equal share. A
 * longer text is null. The greatest id serves as the number of entries, because the database reads only one row for it.
 */
const textsQuery = (group: Group, level: number, queries: number): SQL => {
  const { id, table } = group.dictionary
  const entries = sql`min((SELECT max(${id}) FROM ${table}), ${integerOf(MAX_TEXTS + 1)})`
  const all = sql`SELECT ${integerOf(queries)} * ${entries} AS texts`
  return sql`SELECT ${namedColumns(sharedColumns(textsOf(group, level), sql`counted.texts`))} FROM (${all}) AS counted CROSS JOIN ${table}
    WHERE ${entryCondition(group, level)}`
}

/** Returns the entries of a group as a table. */
export const textsOf = (group: Group, level: number): Table => {
  const { id, table, text } = group.dictionary
  return { table, id, columns: { id, rows: rowsOfEntry(group, level), text }, visible: () => null }
}
