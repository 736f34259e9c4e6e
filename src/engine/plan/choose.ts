import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { all, type ColumnRange, integerOf, NOTHING, numbersTable, within } from '../../filters/sql.ts'
import { columnParts, columnPaths, UNKNOWN } from '../candidates/columns.ts'
import type { Facts } from '../candidates/facts.ts'
import type { MatchingEntries } from '../candidates/keys.ts'
import { byCells, byClass, everything, fromIndex, LOOKED_UP, type Path, partOf, pathsOf } from '../candidates/paths.ts'
import { isEmpty } from '../conditions/bounds.ts'
import { asksOnlyArea, extentOf, otherConditions } from '../conditions/criteria.ts'
import { orderBy } from '../conditions/order.ts'
import { type Search, type Slice, sliceOf } from '../search.ts'
import {
  inOrder,
  mergeKeys,
  type OrderedPath,
  readAndCount,
  readAndSort,
  scanInOrder,
  scanOrSort,
} from '../sql/scan.ts'
import { storedCount, unlessEmpty } from './storedCount.ts'

/** How to read and count the rows of a search. */
export interface Plan {
  /** The path with the fewest rows, and the remaining conditions on these rows. */
  readonly narrow: Path
  readonly where: SQL
  /** The path reads the cells of the area. */
  readonly throughCells: boolean
  /** Conditions on rows in cells inside the area, and on rows in boundary cells. */
  readonly whereInside: SQL
  readonly whereNear: SQL
  /** The estimated number of matches. It assumes that the conditions are independent. */
  readonly expected: number
  /** Counts the rows that SQL alone decides. */
  readonly count: SQL
  /** Reads a slice of the rows that SQL alone decides. */
  readonly rows: (slice: Slice) => SQL
  /** Reads the page and the count in one scan; `total` is the count. Null if two scans read fewer rows. */
  readonly counted: ((slice: Slice) => SQL) | null
}

/** The cost of storing a match for counting and sorting. The unit is rows read. */
const COPY_COST = 3
/** A scan in order may read this many times the expected rows. Then the page is almost certainly full. */
const RESERVE = 2.5
/** The most keys whose rows are merged. More keys are sorted. */
const MAX_MERGED_KEYS = 100
/** The most ids of one key in a merge. Their JSON text is far below the limit of 2 MB. */
const MAX_MERGED = 50_000

/** Chooses the path with the fewest rows for the count. It also decides whether a page is read in order or sorted. */
export const choose = (search: Search, facts: Facts): Plan => {
  const { statistics, region } = facts
  const candidates = [
    ...pathsOf(search, facts.keys, facts.bounds, statistics),
    ...columnPaths(search, facts.rowsByColumn, statistics),
  ]
  const cells = region && byCells(search, region.ranges, region.inside + region.atBoundary)
  const narrowest = [...candidates, ...(cells ? [cells] : [])].reduce(
    (best, path) => (path.rows < best.rows ? path : best),
    everything(search, statistics.total * LOOKED_UP),
  )
  const narrow = unlessEmpty(search, facts, narrowest)
  const where = conditionsBeside(search, facts, narrow.keys)
  const expected = expectedRows(search, facts)
  const stored = storedCount(search, facts)
  return {
    narrow,
    where,
    throughCells: narrowest === cells,
    whereInside: conditionsBeside(search, { ...facts, region: null }, null),
    whereNear: conditionsBeside(search, facts, null),
    expected,
    count: stored ?? sql`SELECT count(*) AS count FROM ${narrow.source} WHERE ${all([narrow.enter, where])}`,
    rows: (slice) => rowsQuery(search, facts, narrow, expected, slice),
    counted:
      stored === null && COPY_COST * expected < narrow.rows && !isOrdered(search, facts, narrow, expected)
        ? (slice) => readAndCount(search, narrow, where, slice)
        : null,
  }
}

/** Returns all conditions except the one on the keys that a path is entered with. */
const conditionsBeside = (search: Search, { keys, bounds, region }: Facts, entered: MatchingEntries | null): SQL =>
  all([
    bounds.possible ? null : NOTHING,
    search.visible,
    ...otherConditions(search.criteria),
    ...keys.filter((key) => key !== entered).map(({ condition }) => condition),
    region?.condition ?? null,
  ])

const expectedRows = (search: Search, { statistics, keys, bounds, rowsByColumn, region }: Facts): number => {
  const { total } = statistics
  const { plain, lists } = search.criteria
  const parts = [
    ...columnParts(search, rowsByColumn, statistics),
    ...keys.map(({ rows }) => partOf(rows, total)),
    partOf(byClass(search, bounds, statistics)?.rows ?? total, total),
    region === null ? 1 : partOf(region.inside + region.atBoundary / 2, total),
    UNKNOWN ** (plain.length + lists.length),
  ]
  return search.known?.count ?? parts.reduce((left, part) => left * part, total)
}

/** An ordered path with its estimated rows, and the keys that it is entered with. */
interface Ordered {
  readonly path: OrderedPath
  readonly rows: number
  readonly keys: MatchingEntries | null
}

/** Reads a slice. It scans in order if the page is probably full before sorting would have read as many rows. */
const rowsQuery = (search: Search, facts: Facts, narrow: Path, expected: number, slice: Slice): SQL => {
  const { criteria, visible } = search
  const [key] = facts.keys
  if (asksOnlyArea(criteria) && facts.region === null)
    return scanInOrder(search, inOrder(search, slice), all([visible]), slice)
  const alone =
    facts.keys.length === 1 &&
    facts.region === null &&
    criteria.plain.length + criteria.spans.length + criteria.lists.length === 0
  if (alone && key !== undefined && key.ids !== null && key.ids.length <= MAX_MERGED_KEYS) {
    const query = ofKeys(search, key.group.dictionary.key, key.ids, slice)
    if (query !== null) return query
  }
  const where = (keys: MatchingEntries | null) => conditionsBeside(search, facts, keys)
  const ordered = cheapest(search, facts, expected, slice)
  if (RESERVE * ordered.cost >= narrow.rows) return readAndSort(search, narrow, where(narrow.keys), slice)
  const most = Math.max(slice.offset + slice.limit, RESERVE * ordered.cost, narrow.rows / LOOKED_UP)
  return scanOrSort(
    search,
    ordered.path,
    most,
    narrow,
    { ordered: where(ordered.keys), narrow: where(narrow.keys) },
    slice,
  )
}

/** Returns the ordered path that probably fills a slice after the fewest rows. */
const cheapest = (search: Search, facts: Facts, expected: number, slice: Slice): Ordered & { readonly cost: number } =>
  orderedPaths(search, facts, slice)
    .map((path) => ({ ...path, cost: ((slice.offset + slice.limit) * path.rows) / Math.max(1, expected) }))
    .reduce((best, path) => (path.cost < best.cost ? path : best))

/** Returns true if the first page will probably be read in order. */
const isOrdered = (search: Search, facts: Facts, narrow: Path, expected: number): boolean =>
  cheapest(search, facts, expected, sliceOf(search, 0)).cost * RESERVE < narrow.rows

/** Reads a slice of all rows of some keys. Returns null if no index has these rows in list order. */
export const ofKeys = (search: Search, on: SQLWrapper, ids: readonly number[] | SQL, slice: Slice): SQL | null => {
  const path = (key: SQL): OrderedPath | null => keyPath(search, on, key, null, slice)
  if (path(NOTHING) === null || slice.limit + slice.offset > MAX_MERGED) return null
  const scan = (key: SQL) => scanInOrder(search, path(key) as OrderedPath, all([search.visible]), slice)
  const merge = (keys: SQL) => mergeKeys(search, keys, (key) => path(key) as OrderedPath, all([search.visible]), slice)
  if (isList(ids))
    return ids.length === 1 ? scan(integerOf(at(ids, 0))) : merge(sql`SELECT value AS id FROM (${numbersTable(ids)})`)
  // One key is scanned and several keys are merged. Only the database knows how many keys the subquery has.
  const one = scan(sql`(SELECT min(id) FROM (${ids}) HAVING count(*) = 1)`)
  const several = merge(sql`SELECT id FROM (${ids}) WHERE (SELECT count(*) FROM (${ids})) > 1`)
  return sql`SELECT * FROM (${one}) UNION ALL SELECT * FROM (${several})`
}

const isList = (ids: readonly number[] | SQL): ids is readonly number[] => Array.isArray(ids)

/** Returns all paths through the rows in list order. */
const orderedPaths = (search: Search, facts: Facts, slice: Slice): Ordered[] => {
  const { order, access } = search
  const { statistics, bounds, keys } = facts
  const ofIds = order.column === null
  const extent = ofIds
    ? extentOf(search.criteria, search.table.id)
    : order.column === access.time.start
      ? bounds.start
      : bounds.end
  const list = inOrder(search, slice)
  const part = partOf(ofIds ? statistics.inId(extent) : statistics.inStart(extent), statistics.total)
  const allRows = ofIds ? list : { ...list, enter: all([list.enter, extentAhead(search, extent, slice)]) }
  const single = keys.flatMap((key): Ordered[] => {
    const [id, ...others] = key.ids ?? []
    if (id === undefined || others.length > 0) return []
    const path = keyPath(search, key.group.dictionary.key, integerOf(id), extent, slice)
    return path === null ? [] : [{ path, rows: key.rows * part * LOOKED_UP, keys: key }]
  })
  return [{ path: allRows, rows: statistics.total * part * (ofIds ? 1 : LOOKED_UP), keys: null }, ...single]
}

/** Returns the path through the rows of one key in list order, or null if no index has this order. */
const keyPath = (
  search: Search,
  on: SQLWrapper,
  key: SQL,
  extent: ColumnRange | null,
  slice: Slice,
): OrderedPath | null => {
  const { access, order, table } = search
  const second = order.column ?? table.id
  const index = access.indexes.find((index) => index.on === on && index.second === second) ?? null
  if (index === null) return null
  return {
    source: fromIndex(search, index),
    enter: all([sql`${on} = ${key}`, extent && extentAhead(search, extent, slice)]),
    orderBy: orderBy(order, table.id, slice.backward),
  }
}

/** Limits the order column to its extent. The start of a slice limits one end already, so this adds the other. */
const extentAhead = (
  { order, table }: Search,
  [least, greatest]: ColumnRange,
  { from, backward }: Slice,
): SQL | null => {
  if (least === null && greatest === null) return null
  if (isEmpty([least, greatest])) return NOTHING
  const down = order.descending !== backward
  return within(order.column ?? table.id, from === null ? [least, greatest] : down ? [least, null] : [null, greatest])
}
