import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Extent } from '../../filters/lookups.ts'
import { all, each, integerOf, NOTHING, within } from '../db/sql.ts'
import { orderBy } from '../order.ts'
import {
  inOrder,
  mergeKeys,
  type OrderedPath,
  readAndCount,
  readAndSort,
  scanInOrder,
  scanOrSort,
} from '../scan/scan.ts'
import { type Search, type Slice, sliceOf } from '../search.ts'
import { isEmpty } from './bounds.ts'
import { columnParts, columnPaths, UNKNOWN } from './columns.ts'
import { asksOnlyArea, extentOf, otherConditions } from './conditions.ts'
import type { Facts } from './facts.ts'
import { keptCount, whereSomethingIs } from './kept.ts'
import type { Keys } from './keys.ts'
import { by, byCells, byClass, everything, LOOKED_UP, type Path, partOf, pathsOf } from './paths.ts'

/** How a search is answered. */
export interface Plan {
  /** The path that leads to the fewest rows, and what is asked of these beside it. */
  readonly narrow: Path
  readonly where: SQL
  /** It leads through the cells of the area. */
  readonly throughCells: boolean
  /** What is asked of rows in cells wholly inside the area, and of those in cells at its boundary. */
  readonly whereInside: SQL
  readonly whereNear: SQL
  /** How many rows match, as far as can be told: as if the conditions had nothing to do with each other. */
  readonly expected: number
  /** Counts what the database alone decides. */
  readonly count: SQL
  /** The rows of a slice of what the database alone decides. */
  readonly rows: (slice: Slice) => SQL
  /** The same, and how many match in each row, as `total`: where one scan for both reads less than one for each; else null. */
  readonly counted: ((slice: Slice) => SQL) | null
}

/** What a match costs that is put down to be counted and sorted, in rows read. */
const COPIED = 3
/** How many times as many rows as are to be expected are read in order, so that a page is as good as surely full. */
const SURELY = 2.5
/** How many keys are merged, rather than sorted. */
const MAX_MERGED_KEYS = 100
/** How many ids of one key are merged: as a text of JSON they are far from the 2 MB of D1. */
const MAX_MERGED = 50_000

/** Chooses the path that leads to the fewest rows to count by, and whether a page is read in order or sorted. */
export const choose = (search: Search, facts: Facts): Plan => {
  const { statistics, region } = facts
  const candidates = [
    ...pathsOf(search, facts.keys, facts.bounds, statistics),
    ...columnPaths(search, facts.found, statistics),
  ]
  const cells = region && byCells(search, region.ranges, region.inside + region.atBoundary)
  const narrowest = [...candidates, ...(cells ? [cells] : [])].reduce(
    (best, path) => (path.rows < best.rows ? path : best),
    everything(search, statistics.total * LOOKED_UP),
  )
  const narrow = whereSomethingIs(search, facts, narrowest)
  const where = conditionsBeside(search, facts, narrow.keys)
  const expected = expectedRows(search, facts)
  const kept = keptCount(search, facts)
  return {
    narrow,
    where,
    throughCells: narrowest === cells,
    whereInside: conditionsBeside(search, { ...facts, region: null }, null),
    whereNear: conditionsBeside(search, facts, null),
    expected,
    count: kept ?? sql`SELECT count(*) AS count FROM ${narrow.source} WHERE ${all([narrow.enter, where])}`,
    rows: (slice) => rowsQuery(search, facts, narrow, expected, slice),
    counted:
      kept === null && COPIED * expected < narrow.rows && !isOrdered(search, facts, narrow, expected)
        ? (slice) => readAndCount(search, narrow, where, slice)
        : null,
  }
}

/** All conditions but that on the keys that a path is entered with. */
const conditionsBeside = (search: Search, { keys, bounds, region }: Facts, entered: Keys | null): SQL =>
  all([
    bounds.possible ? null : NOTHING,
    search.visible,
    ...otherConditions(search.criteria),
    ...keys.filter((key) => key !== entered).map(({ condition }) => condition),
    region?.condition ?? null,
  ])

const expectedRows = (search: Search, { statistics, keys, bounds, found, region }: Facts): number => {
  const { total } = statistics
  const { plain, lists } = search.criteria
  const parts = [
    ...columnParts(search, found, statistics),
    ...keys.map(({ rows }) => partOf(rows, total)),
    partOf(byClass(search, bounds, statistics)?.rows ?? total, total),
    region === null ? 1 : partOf(region.inside + region.atBoundary / 2, total),
    UNKNOWN ** (plain.length + lists.length),
  ]
  return search.known?.count ?? parts.reduce((left, part) => left * part, total)
}

/** An ordered path, how many rows it leads to, and what is asked beside it. */
interface Ordered {
  readonly path: OrderedPath
  readonly rows: number
  readonly keys: Keys | null
}

/** The rows of a slice: in order, where the page is likely to be full before as many rows are read as sorting takes. */
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
  const where = (keys: Keys | null) => conditionsBeside(search, facts, keys)
  const ordered = cheapest(search, facts, expected, slice)
  if (SURELY * ordered.cost >= narrow.rows) return readAndSort(search, narrow, where(narrow.keys), slice)
  const most = Math.max(slice.offset + slice.limit, SURELY * ordered.cost, narrow.rows / LOOKED_UP)
  return scanOrSort(
    search,
    ordered.path,
    most,
    narrow,
    { ordered: where(ordered.keys), narrow: where(narrow.keys) },
    slice,
  )
}

/** The ordered path along which a slice is likely to be full after the fewest rows. */
const cheapest = (search: Search, facts: Facts, expected: number, slice: Slice): Ordered & { readonly cost: number } =>
  orderedPaths(search, facts, slice)
    .map((path) => ({ ...path, cost: ((slice.offset + slice.limit) * path.rows) / Math.max(1, expected) }))
    .reduce((best, path) => (path.cost < best.cost ? path : best))

/** Whether the page is likely to be read in order. */
const isOrdered = (search: Search, facts: Facts, narrow: Path, expected: number): boolean =>
  cheapest(search, facts, expected, sliceOf(search, 0)).cost * SURELY < narrow.rows

/** The rows of a slice of all rows of some keys; null where no index has them in the order of the list. */
export const ofKeys = (search: Search, on: SQLWrapper, ids: readonly number[] | SQL, slice: Slice): SQL | null => {
  const path = (key: SQL): OrderedPath | null => keyPath(search, on, key, null, slice)
  if (path(NOTHING) === null || slice.limit + slice.offset > MAX_MERGED) return null
  const where = all([search.visible])
  const scan = (key: SQL) => scanInOrder(search, path(key) as OrderedPath, where, slice)
  const merge = (keys: SQL) => mergeKeys(search, keys, (key) => path(key) as OrderedPath, where, slice)
  if (isList(ids))
    return ids.length === 1 ? scan(integerOf(ids[0] ?? 0)) : merge(sql`SELECT value AS id FROM (${each(ids)})`)
  // One key is scanned along, several are merged: which it is, only the database knows.
  const one = scan(sql`(SELECT min(id) FROM (${ids}) HAVING count(*) = 1)`)
  const several = merge(sql`SELECT id FROM (${ids}) WHERE (SELECT count(*) FROM (${ids})) > 1`)
  return sql`SELECT * FROM (${one}) UNION ALL SELECT * FROM (${several})`
}

const isList = (ids: readonly number[] | SQL): ids is readonly number[] => Array.isArray(ids)

/** Every way through the rows in the order of the list. */
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
  const whole = ofIds ? list : { ...list, enter: all([list.enter, stillToCome(search, extent, slice)]) }
  const single = keys.flatMap((key): Ordered[] => {
    const [id, ...others] = key.ids ?? []
    if (id === undefined || others.length > 0) return []
    const path = keyPath(search, key.group.dictionary.key, integerOf(id), extent, slice)
    return path === null ? [] : [{ path, rows: key.rows * part * LOOKED_UP, keys: key }]
  })
  return [{ path: whole, rows: statistics.total * part * (ofIds ? 1 : LOOKED_UP), keys: null }, ...single]
}

/** The rows of one key in the order of the list, null where no index has them. */
const keyPath = (search: Search, on: SQLWrapper, key: SQL, extent: Extent | null, slice: Slice): OrderedPath | null => {
  const { access, order, table } = search
  const wanted = order.column ?? table.id
  const index = access.indexes.find((index) => index.on === on && index.second === wanted) ?? null
  if (index === null) return null
  return {
    source: by(search, index),
    enter: all([sql`${on} = ${key}`, extent && stillToCome(search, extent, slice)]),
    by: orderBy(order, table.id, slice.backward),
  }
}

/** What of the extent of the column of the order bounds the rows from a position on: the position bounds the other end. */
const stillToCome = ({ order, table }: Search, [least, greatest]: Extent, { from, backward }: Slice): SQL | null => {
  if (least === null && greatest === null) return null
  if (isEmpty([least, greatest])) return NOTHING
  const down = order.descending !== backward
  return within(order.column ?? table.id, from === null ? [least, greatest] : down ? [least, null] : [null, greatest])
}
