import { CELL_LEVELS } from '../geometry/cell.ts'
import { covering, type Range, type Weight } from '../geometry/covering.ts'
import type { Area } from '../geometry/within.ts'
import { fetchByCells } from './cells.ts'
import { groupCondition, othersOf } from './conditions.ts'
import { checkWork, chunkOf, fill, isAlone, isWorkable, MAX_PASSED, MAX_SHIPPED } from './effort.ts'
import { type Cells, recall, remember } from './memory.ts'
import type { Page } from './page.ts'
import { conditionsBeside, narrowestOf, type Resolved, resolve } from './resolve.ts'
import { leadsOn } from './route.ts'
import { pageOf, type Search, sliceOf } from './search.ts'
import { ship } from './ship.ts'
import { all } from './sql.ts'
import type { Statistics } from './statistics.ts'
import { EVERYTHING, type Lead, readRows, walk } from './walk.ts'

/** How many cells a covering may have: each range of them costs a row, as each row in a boundary cell does. */
const MAX_CELLS = 2000
/** How many rows few entries of a dictionary are taken to lead to: if they are more, that is noticed. */
export const FEW = 10_000

/**
 * A page of the rows within an area. What leads to the fewest rows drives: another filter, or the cells. Few rows are all
 * tested here. Of many, those in cells wholly inside are counted where they are, only those in cells at the boundary are
 * tested, and the page is read in the order of the list until it is full.
 */
export const fetchAreaPage = async (search: Search, area: Area): Promise<Page> => {
  const continued = await fetchContinued(search, area)
  if (continued !== null) return continued
  const guessed = await resolve(search, FEW)
  const cells = cellsOf(search, area, guessed)
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
  const counting = 3 * cells.covering.interior.length // with nothing else asked: nodes and ranges
  const few = cells.inside + cells.atBoundary <= MAX_SHIPPED
  if (few && (!isAlone(search) || cells.inside <= counting + chunkOf(search, gap))) {
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
  return fetchByCells(search, area, cells.covering, guessed, gap)
}

/** The covering of the area of a search, remembered. */
export const cellsOf = ({ key }: Search, area: Area, { statistics }: Resolved): Cells => {
  const cells = recall(key)?.finding.cells ?? cover(area, statistics)
  remember(key, { cells })
  return cells
}

const WORLD = 4 ** CELL_LEVELS

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
    if (!along && search.spans.length + search.listed.length + search.plain.length > 0) return 0
    const perHit = (rows: number) => rows / Math.max(1, hits)
    const gap = lead === null && !along ? even : perHit(lead === null ? expected : candidates)
    const looked = along ? perHit(total) : gap
    return chunkOf(search, looked) < candidates / 2 ? Math.ceil(gap) : 0
  }

/** The first page, or the next, read on in the order from where the last one ended, where the count is known; null where this does not do. */
const fetchContinued = async (search: Search, area: Area): Promise<Page | null> => {
  const { hint, known, page, groups, visible } = search
  if (known === null || (hint === null && page !== 1)) return null
  if (groups.some(({ tests }) => tests.length > 0)) return null
  const leads = leadsOn(search)
  const entered = leads[0] === EVERYTHING ? groups.map(groupCondition) : []
  const where = all([visible, ...othersOf(search, search.order.column), ...entered])
  const limit = Math.min(chunkOf(search, known.gap), MAX_PASSED)
  if (!isWorkable(area, limit)) return null
  const slice = { ...sliceOf(search, 0), limit }
  const rows = (await search.read(...leads.map((lead) => walk(search, lead, where, slice)))).flat()
  const filled = fill(search, area, rows, limit)
  if (filled === null && hint === null) remember(search.key, { gap: 0 }) // It leads too far: not again.
  if (filled === null || !known.holds(search.read.state())) return null
  return pageOf(search, slice, await readRows(search, filled.ids), known.count, filled.gap)
}
