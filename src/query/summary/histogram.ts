import { CELL_LEVELS, cellIn } from '../../geometry/cell.ts'
import { lengthOf, startOf, type Unit } from './calendar.ts'

/** How many cells an answer has at most. */
export const MAX_CELLS = 4096
/** How many bins of a unit an answer has at most. */
export const MAX_BINS = 20_000
/** By how many bits an instant is shifted at most: then there are LEAST_BINS. */
export const MAX_STEP = 53

/** Bins that begin at multiples of their length are two at least: before 1970 and after. */
export const LEAST_BINS = 2

/** How fine groups may be. */
export interface Fineness {
  /** How many bins from the least start to the greatest, or what each of them is. */
  readonly bins: number | Unit
  /** How often the world's cell is split at most. */
  readonly level: number
}

/** Rows counted by the bin of their start. */
export interface Bins {
  /** How many milliseconds a bin has; null where that differs. */
  readonly step: number | null
  /** How many rows each bin has, by its least instant. */
  readonly bins: ReadonlyMap<number, number>
}

/** Rows counted by start and by cell. */
export interface Groups extends Bins {
  readonly count: number
  /** The least start and the greatest; null where there are no rows. */
  readonly least: number | null
  readonly greatest: number | null
  /** How often the world's cell is split, and how many rows each cell has, by its number in the order of cells. */
  readonly level: number
  readonly cells: ReadonlyMap<number, number>
}

/** More bins of a unit hold rows than an answer has. */
export class TooManyBins extends Error {}

/**
 * Counts rows one by one, as finely as there may be: bins and cells get larger as soon as there are too many of them,
 * so that it holds no more than an answer has. Throws TooManyBins where bins may not get larger.
 */
export const histogram = ({ bins: wanted, level: maxLevel }: Fineness) => {
  let [count, least, greatest, level] = [0, Infinity, -Infinity, maxLevel]
  let cells = new Map<number, number>()
  const time = typeof wanted === 'number' ? binsThatFit(wanted) : binsOfUnit(wanted)
  return {
    /** Adds rows with a start, in a finest cell by its column and row, null where they have no place. */
    add: (rows: number, start: number, column: number | null, row: number | null): void => {
      count += rows
      if (start < least) least = start
      if (start > greatest) greatest = start
      time.add(rows, start)
      if (column === null || row === null) return
      const size = 2 ** (CELL_LEVELS - level)
      bump(cells, cellIn(Math.floor(column / size), Math.floor(row / size)), rows)
      while (cells.size > MAX_CELLS) {
        cells = merged(cells, (cell) => Math.floor(cell / 4))
        level -= 1
      }
    },
    groups: (): Groups => ({
      count,
      least: count === 0 ? null : least,
      greatest: count === 0 ? null : greatest,
      ...time.bins(),
      level,
      cells,
    }),
  }
}

/** Bins of a power of two, the least of which there are no more than so many from the first start to the last. */
const binsThatFit = (most: number) => {
  let [first, last, step] = [Infinity, -Infinity, 0]
  let bins = new Map<number, number>()
  const binOf = (start: number) => Math.floor(start / 2 ** step)
  const isTooFine = () => binOf(last) - binOf(first) >= Math.max(most, LEAST_BINS)
  return {
    add: (rows: number, start: number): void => {
      if (start < first) first = start
      if (start > last) last = start
      while (isTooFine()) {
        bins = merged(bins, (bin) => Math.floor(bin / 2))
        step += 1
      }
      bump(bins, binOf(start), rows)
    },
    bins: (): Bins => binsByNumber(step, bins),
  }
}

/** Puts all rows into one bin, which begins at the first start. */
export const inOneBin = (groups: Groups): Groups => {
  const { count, least, greatest } = groups
  if (least === null || greatest === null) return groups
  return { ...groups, step: 2 ** Math.ceil(Math.log2(greatest - least + 1)), bins: new Map([[least, count]]) }
}

/** Bins by their numbers: of 2^step milliseconds each. */
export const binsByNumber = (step: number, bins: Iterable<readonly [bin: number, rows: number]>): Bins => ({
  step: 2 ** step,
  bins: new Map(Array.from(bins, ([bin, rows]) => [bin * 2 ** step, rows])),
})

/** Bins that are hours, days, ... */
export const binsOfUnit = (unit: Unit) => {
  const bins = new Map<number, number>()
  return {
    add: (rows: number, start: number): void => {
      bump(bins, startOf(unit, start), rows)
      if (bins.size > MAX_BINS) throw new TooManyBins()
    },
    bins: (): Bins => ({ step: lengthOf(unit), bins }),
  }
}

/** Raises the count of a key. */
export const bump = (counts: Map<number, number>, key: number, rows: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + rows)
}

const merged = (counts: ReadonlyMap<number, number>, into: (key: number) => number): Map<number, number> => {
  const result = new Map<number, number>()
  for (const [key, rows] of counts) bump(result, into(key), rows)
  return result
}
