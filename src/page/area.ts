import { type SQL, sql } from 'drizzle-orm'
import { invalidParameters } from '../errors.ts'
import { CELL_LEVELS } from '../geometry/cell.ts'
import { type Covering, covering, type Range, type Weight } from '../geometry/covering.ts'
import type { Area } from '../geometry/within.ts'
import { groupCondition, spanCondition } from './conditions.ts'
import { beyond, orderBy } from './order.ts'
import type { Page } from './page.ts'
import { conditionsBeside, conditionsBeyond, isQuiet, narrowestOf, type Resolved, resolve } from './resolve.ts'
import { leadsOn } from './route.ts'
import { asCount, numberOf, pageOf, positionColumns, type Search, type Slice, sliceOf } from './search.ts'
import { ship } from './ship.ts'
import { all, columnsOf, each, spans } from './sql.ts'
import type { Statistics } from './statistics.ts'
import type { Row } from './table.ts'
import { countIn } from './tally.ts'
import { EVERYTHING, type Lead, walk } from './walk.ts'

/** How many cells a covering may have: each range of them costs a row, as each row in a boundary cell does. */
const MAX_CELLS = 2000
/** How many rows are brought here to be tested, where the database could count most of them instead. */
const MAX_SHIPPED = 100_000
/** How many rows few entries of a dictionary are taken to lead to: if they are more, that is noticed. */
const FEW = 10_000
/** How many looks at an edge the tests of one request may take: 20 ns each as a rule, 70 where all are near the point. */
const MAX_LOOKS = 50_000_000

/**
 * A page of the rows within an area. What leads to the fewest rows drives: another filter, or the cells. Few rows are all
 * tested here. Of many, those in cells wholly inside are counted where they are, only those in cells at the boundary are
 * tested, and the page is read in the order of the list until it is full.
 */
export const fetchAreaPage = async (search: Search, area: Area): Promise<Page> => {
  const continued = await fetchContinued(search, area)
  if (continued !== null) return continued
  const guessed = await resolve(search, FEW)
  const cells = cover(area, guessed.statistics)
  const lead = narrowestOf(guessed.leads)
  const gap = gapOf(guessed, cells)
  if (lead.rows <= Math.min(cells.inside + cells.atBoundary, MAX_SHIPPED)) {
    checkWork(area, lead.rows)
    const page = await ship(
      search,
      area,
      lead,
      conditionsBeside(guessed, lead),
      MAX_SHIPPED,
      onward(search, guessed, lead, gap),
    )
    if (page !== null) return page
  }
  checkWork(area, cells.atBoundary)
  const counting = isAlone(search) ? 3 * cells.covering.interior.length : cells.inside
  const { total } = guessed.statistics
  if (cells.inside <= counting + (chunkOf(search, gap) * total) / Math.max(1, guessed.expected)) {
    const page = await ship(
      search,
      area,
      cells.covering,
      conditionsBeside(guessed, EVERYTHING),
      MAX_SHIPPED,
      onward(search, guessed, null, gap),
    )
    if (page !== null) return page
  }
  return fetchByParts(search, area, cells.covering, guessed, gap)
}

const WORLD = 4 ** CELL_LEVELS

/** A covering, and how many rows to expect in its cells. */
interface Cells {
  readonly covering: Covering
  readonly inside: number
  readonly atBoundary: number
}

/** Covers an area first roughly, to see how many rows are at stake, then as finely as these are worth. */
const cover = (area: Area, statistics: Statistics): Cells => {
  // A row more than is known, over the whole world: statistics may be out of date, and no cell is to be taken for empty.
  const inCells: Weight = (level, first, last) => statistics.inCells(level, first, last) + (last - first + 1) / WORLD
  const expectedIn = (ranges: readonly Range[]) =>
    ranges.reduce((sum, [first, last]) => sum + inCells(0, first, last), 0)
  const rough = covering(area, { weight: inCells, maxCells: 64 })
  const atStake = expectedIn([...rough.interior, ...rough.boundary])
  const fine = covering(area, { weight: inCells, maxCells: Math.min(MAX_CELLS, Math.max(64, Math.ceil(atStake / 10))) })
  return { covering: fine, inside: expectedIn(fine.interior), atBoundary: expectedIn(fine.boundary) }
}

/** Nothing is asked but the area, so that what lies wholly inside is counted by kept counts. */
const isAlone = ({ groups, spans, plain }: Search): boolean =>
  groups.length === 0 && spans.length === 0 && plain.length === 0

/** In how many rows that the other conditions leave one is to be expected that matches. */
const gapOf = ({ statistics: { total } }: Resolved, { inside, atBoundary }: Cells): number =>
  total / Math.max(1, inside + atBoundary / 2)

/**
 * Tells the gap after all candidates were brought here by a lead (null: from cells); 0 where reading on from page to page
 * is likely to be no shorter than bringing them all again. `even` is the gap if the rows lie evenly.
 */
const onward =
  (search: Search, { statistics: { total }, expected }: Resolved, lead: Lead | null, even: number) =>
  (candidates: number, hits: number): number => {
    const along = leadsOn(search)[0] === EVERYTHING
    if (!along && search.spans.length + search.plain.length > 0) return 0
    const perHit = (rows: number) => rows / Math.max(1, hits)
    const gap = lead === null && !along ? even : perHit(lead === null ? expected : candidates)
    const looked = along ? perHit(total) : gap
    return chunkOf(search, looked) < candidates / 2 ? Math.ceil(gap) : 0
  }

/** Every point is compared with so many edges, and there are so many points: whether that takes no minutes. */
const isWorkable = ({ depth }: Area, points: number): boolean => depth * points <= MAX_LOOKS

const checkWork = (area: Area, points: number): void => {
  if (isWorkable(area, points)) return
  const message = `Enter a simpler geometry, or add a filter: each of about ${Math.round(points)} events would be compared with up to ${area.depth} edges.`
  throw invalidParameters({ geom_within: [message] })
}

/** How many rows to read for a page where one in `gap` matches: twice what is to be expected, as chance has it. */
const chunkOf = ({ size }: Search, gap: number): number => Math.ceil((size + 1) * gap * 2) + 20

/** The next page, read on in the order from where the last one ended; null where this does not do. */
const fetchContinued = async (search: Search, area: Area): Promise<Page | null> => {
  const { hint, groups, plain, visible } = search
  if (hint === null || hint.gap === 0 || groups.some(({ tests }) => tests.length > 0)) return null
  const leads = leadsOn(search)
  const entered = leads[0] === EVERYTHING ? groups.map(groupCondition) : []
  const where = all([
    visible,
    ...plain,
    ...search.spans.map((span) => spanCondition(span, isQuiet(search, span))),
    ...entered,
  ])
  const limit = Math.min(chunkOf(search, hint.gap), MAX_SHIPPED)
  if (!isWorkable(area, limit)) return null
  const slice = { ...sliceOf(search, 0), limit }
  const rows = (await search.read(...leads.map((lead) => walk(search, lead, where, slice)))).flat()
  const filled = fill(search, area, rows, limit)
  if (filled === null || hint.revision !== search.read.revision()) return null
  return pageOf(search, slice, filled.rows, hint.count, filled.gap)
}

/** The rows within the area among the first rows of a slice, and one in how many they are; null where they are too few. */
const fill = (
  { size }: Search,
  area: Area,
  rows: readonly Row[],
  limit: number,
): { rows: Row[]; gap: number } | null => {
  const hits: Row[] = []
  for (const [i, row] of rows.entries()) {
    if (row.placeX !== null && area.contains(row.placeX, row.placeY)) hits.push(row)
    if (hits.length > size) return { rows: hits, gap: Math.ceil((i + 1) / hits.length) }
  }
  return rows.length < limit
    ? { rows: hits, gap: Math.max(1, Math.ceil(rows.length / Math.max(1, hits.length))) }
    : null
}

/** Counts by the cells, tests the boundary, and reads the page in its order; where that leads too far, through the cells. */
const fetchByParts = async (
  search: Search,
  area: Area,
  cells: Covering,
  resolved: Resolved,
  gap: number,
): Promise<Page> => {
  const { ways, resource, level, visible, page } = search
  const { table, id } = resource
  const where = conditionsBeside(resolved, EVERYTHING)
  const inRanges = (ranges: Covering['interior']) =>
    sql`${spans(ranges)} CROSS JOIN ${table} INDEXED BY ${sql.identifier(ways.place.index)}
      WHERE ${ways.place.cell} BETWEEN span.value ->> 0 AND span.value ->> 1 AND ${where}`
  const interior = isAlone(search)
    ? asCount(countIn(resource, ways, 'cell', ways.place.index, cells.interior, level, visible))
    : sql`SELECT count(*) AS count FROM ${inRanges(cells.interior)}`
  const boundary = sql`SELECT ${id} AS id, ${ways.place.x} AS x, ${ways.place.y} AS y FROM ${inRanges(cells.boundary)}`
  const limit = Math.min(chunkOf(search, gap), MAX_SHIPPED)
  const near = { ...sliceOf(search, 0), limit }
  const walks = page === 1 || search.hint !== null
  const [counted, candidates = [], rows = []] = await search.read(
    interior,
    boundary,
    ...(walks ? [walk(search, EVERYTHING, conditionsBeyond(resolved, EVERYTHING), near)] : []),
  )
  const hits = candidates.filter(({ x, y }) => area.contains(x, y)).map((row): number => row.id)
  const count = numberOf(counted) + hits.length
  const filled = walks ? fill(search, area, rows, limit) : null
  if (filled !== null) return pageOf(search, near, filled.rows, count, filled.gap)
  const slice = sliceOf(search, count)
  const ids = sql`SELECT ${id} FROM ${inRanges(cells.interior)} UNION ALL ${each(hits)}`
  const [found = []] = await search.read(rowsAmong(search, ids, slice))
  return pageOf(search, slice, found, count)
}

/** The rows of a slice among these ids. */
const rowsAmong = (search: Search, ids: SQL, slice: Slice): SQL => {
  const { resource, order } = search
  const { id, table, joins = sql`` } = resource
  const by = orderBy(order, id, slice.backward)
  const past = slice.from && beyond(order, id, slice.from, slice.backward)
  return sql`SELECT ${columnsOf(resource)}, ${positionColumns(search)}
    FROM (SELECT ${id} AS id FROM ${table} WHERE ${all([sql`${id} IN (${ids})`, past])}
      ORDER BY ${by} LIMIT ${slice.limit} OFFSET ${slice.offset}) AS hit
    CROSS JOIN ${table} ON ${id} = hit.id ${joins} ORDER BY ${by}`
}
