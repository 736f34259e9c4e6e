import { type SQL, sql } from 'drizzle-orm'
import { TREES } from '../../../schema/trees.ts'
import {
  all,
  type ColumnRange,
  integer,
  integerOf,
  isIn,
  NOTHING,
  numbersTable,
  rangesTable,
  within,
} from '../../filters/sql.ts'
import type { MatchingEntries } from '../candidates/facts.ts'
import type { OrderedRange } from '../candidates/ordered.ts'
import { type Candidate, type ColumnValues, type PathRange, rangesByClass } from '../candidates/paths.ts'
import { ANY, intersection, isBounded, isEmpty, type ValueRange } from '../conditions/criteria.ts'
import { isDown, type Slice } from '../conditions/page.ts'
import type { Search } from '../conditions/search.ts'
import type { Access, Index, Table } from '../conditions/table.ts'
import { indexOn } from '../conditions/table.ts'
import { fromIndex, orderBy } from './columns.ts'
import { countInTime, nodesOf } from './counts.ts'
import { idsOfGroup } from './where.ts'

/** A path as SQL. `source` stands after FROM. `enter` is the condition that enters the index. */
export interface Source {
  readonly source: SQL
  readonly enter: SQL | null
}

/** Writes the path of a candidate. */
export const sourceOf = (search: Search, { range, guarded = false }: Candidate): Source => {
  const { source, enter } = sourceOfRange(search, range)
  return {
    source: guarded ? sql`(SELECT 1 WHERE ${anySeen(search)}) AS something CROSS JOIN ${source}` : source,
    enter,
  }
}

const sourceOfRange = (search: Search, range: PathRange): Source => {
  const { table, access } = search
  switch (range.path) {
    case 'everything':
      return { source: fromIndex(table, null), enter: null }
    case 'ids':
      return { source: fromIndex(table, null), enter: among(table.id, range) }
    case 'column':
      return { source: fromIndex(table, range.index), enter: among(range.index.on, range) }
    case 'entries':
      return entriesSource(search, range)
    case 'entryRows': {
      const { ids, group } = range.entries
      const keys = ids === null ? sql`SELECT id AS value FROM (${idsOfGroup(group, search.level)})` : numbersTable(ids)
      return {
        source: sql`(${keys}) AS keys CROSS JOIN ${fromIndex(table, null)}`,
        enter: sql`${table.id} = keys.value`,
      }
    }
    case 'durationClasses':
      return classesSource(search, range.ranges)
    case 'pairs': {
      const { index } = range
      return {
        source: sql`(${index.values}) AS keys CROSS JOIN ${fromIndex(table, index)}`,
        enter: all([sql`${index.on} = keys.value`, among(index.second, range)]),
      }
    }
    case 'cells':
      return cellsSource(table, access, range.ranges)
  }
}

const among = (column: Index['on'], { values, extent }: ColumnValues): SQL =>
  values === null ? within(column, extent) : isIn(column, values)

/** Tests with stored counts if the caller sees any start and any end within the bounds. */
const anySeen = ({ table, access, level, bounds }: Search): SQL =>
  all(
    (['start', 'end'] as const)
      .filter((tree) => isBounded(bounds[tree]))
      .map((tree) => sql`${countInTime(table, access, tree, bounds[tree], level)} > 0`),
  )

const entriesSource = ({ table, access }: Search, range: Extract<PathRange, { path: 'entries' }>): Source => {
  const { index, ids, extent, values, endsFrom } = range
  const { start, durationColumn } = access.time
  const longest = sql`(SELECT coalesce(max(${durationColumn}), 0) FROM ${fromIndex(table, indexOn(access, durationColumn, false))})`
  return {
    source: sql`(${numbersTable(ids)}) AS keys CROSS JOIN ${fromIndex(table, index)}`,
    enter: all([
      sql`${index.on} = keys.value`,
      within(index.second, extent),
      endsFrom === null ? null : sql`${start} >= ${sql.raw(String(endsFrom))} - ${longest}`,
      values && isIn(index.second, values),
    ]),
  }
}

/** Limits a path to a range of starts. Other paths than entries are replaced by the classes of durations. */
export const sourceWithin = (
  search: Search,
  { range, entries }: Candidate,
  [first, last]: ValueRange,
): Source & { readonly entered?: MatchingEntries } => {
  const { access, bounds } = search
  const extent = intersection(bounds.start, [BigInt(first), BigInt(last)])
  if (range.path === 'entries' && range.index.second === access.time.start)
    return { ...entriesSource(search, { ...range, extent, endsFrom: null }), ...(entries && { entered: entries }) }
  return classesSource(search, rangesByClass(access, { ...bounds, start: extent }) ?? [])
}

/** Enters by ranges of starts, one for each class of durations. */
export const classesSource = (
  { table, access }: Pick<Search, 'table' | 'access'>,
  ranges: readonly (readonly number[])[],
): Source => {
  const { durationClass, start } = access.time
  return {
    source: sql`${rangesTable(ranges)} CROSS JOIN ${fromIndex(table, indexOn(access, durationClass, true))}`,
    enter: sql`${durationClass} = span.value ->> 0 AND ${start} BETWEEN span.value ->> 1 AND span.value ->> 2`,
  }
}

/** Enters by ranges of finest cells. */
export const cellsSource = (table: Table, { place }: Access, ranges: readonly ValueRange[]): Source => ({
  source: sql`${rangesTable(ranges)} CROSS JOIN ${fromIndex(table, { name: TREES.cell.index })}`,
  enter: sql`${place.cell} BETWEEN span.value ->> 0 AND span.value ->> 1`,
})

/** A path through rows in list order. */
export interface OrderedSource extends Source {
  readonly orderBy: SQL
}

/** Writes an ordered path for a slice. `key` is SQL for the id of the entry, if it is not the one of the range. */
export const orderedSourceOf = (search: Search, range: OrderedRange, slice: Slice, key?: SQL): OrderedSource => {
  const { table, access, order } = search
  const ordered = orderBy(search, slice.backward)
  if (range.path === 'entryInOrder') {
    const { index, id, extent } = range
    return {
      source: fromIndex(table, index),
      enter: all([sql`${index.on} = ${key ?? integerOf(id)}`, extentAhead(search, extent, slice)]),
      orderBy: ordered,
    }
  }
  const { extent } = range
  if (order.column !== null) {
    const index = indexOn(access, order.column, false)
    return { source: fromIndex(table, index), enter: extentAhead(search, extent, slice), orderBy: ordered }
  }
  const down = isDown(order, slice)
  const { node } = access.counts
  const { from } = slice
  const after: ColumnRange = from === null ? ANY : down ? [null, BigInt(from.id) - 1n] : [BigInt(from.id) + 1n, null]
  const [least, greatest] = intersection(extent, after)
  const nodes = within(node, [least && least >> BigInt(BLOCK), greatest && greatest >> BigInt(BLOCK)])
  return {
    ...blocksSource(search, nodes, [least, greatest]),
    orderBy: sql`${node} ${sql.raw(down ? 'DESC' : 'ASC')}, ${ordered}`,
  }
}

const [BLOCK] = TREES.id.complete

/** Reads the table in blocks of ids, and skips blocks that have no visible rows. */
export const blocksSource = (
  { table: { id, table }, access, level }: Search,
  near: SQL | null,
  [least, greatest]: ColumnRange = ANY,
): Source => {
  const { table: counts, node, visible } = access.counts
  const first = sql`${node} * ${integerOf(2 ** BLOCK)}`
  const last = sql`${first} + ${integerOf(2 ** BLOCK - 1)}`
  // One bound at each end: SQLite enters an index with only one.
  const inside = sql`${id} BETWEEN ${least === null ? first : sql`max(${first}, ${integer(least)})`}
    AND ${greatest === null ? last : sql`min(${last}, ${integer(greatest)})`}`
  return {
    source: sql`${counts} CROSS JOIN ${table} NOT INDEXED`,
    enter: all([nodesOf(access, 'id', BLOCK), sql`${visible(level)} > 0`, near, inside]),
  }
}

/** Limits the order column to its extent. The start of a slice limits one end already, so this adds the other. */
const extentAhead = ({ order, table }: Search, [least, greatest]: ColumnRange, slice: Slice): SQL | null => {
  if (!isBounded([least, greatest])) return null
  if (isEmpty([least, greatest])) return NOTHING
  const ahead: ColumnRange = isDown(order, slice) ? [least, null] : [null, greatest]
  return within(order.column ?? table.id, slice.from === null ? [least, greatest] : ahead)
}
