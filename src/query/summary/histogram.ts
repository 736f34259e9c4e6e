import { CELL_LEVELS, cellIn } from '../../geometry/cell.ts'

/** How many cells an answer has at most. */
export const MAX_CELLS = 4096
/** By how many bits an instant is shifted at most: one bin before 1970 and one after are left then. */
export const MAX_STEP = 53

/** How fine groups may be. */
export interface Fineness {
  /** How many bins from the least start to the greatest. */
  readonly bins: number
  /** How often the world's cell is split at most. */
  readonly level: number
}

/** Rows counted by start and by cell. */
export interface Groups {
  readonly count: number
  /** The least start and the greatest; null where there are no rows. */
  readonly least: number | null
  readonly greatest: number | null
  /** By how many bits a start is shifted to the number of its bin, and how many rows each bin has. */
  readonly step: number
  readonly bins: ReadonlyMap<number, number>
  /** How often the world's cell is split, and how many rows each cell has, by its number in the order of cells. */
  readonly level: number
  readonly cells: ReadonlyMap<number, number>
}

/**
 * Counts rows one by one, as finely as there may be: bins and cells get larger as soon as there are too many of them, so
 * that it holds no more than an answer has.
 */
export const histogram = ({ bins: maxBins, level: maxLevel }: Fineness) => {
  let [count, least, greatest, step, level] = [0, Infinity, -Infinity, 0, maxLevel]
  let bins = new Map<number, number>()
  let cells = new Map<number, number>()
  const binOf = (start: number) => Math.floor(start / 2 ** step)
  const isTooFine = () => binOf(greatest) - binOf(least) >= maxBins && !(binOf(least) === -1 && binOf(greatest) === 0)
  return {
    /** Adds rows with a start, in a finest cell by its column and row, null where they have no place. */
    add: (rows: number, start: number, column: number | null, row: number | null): void => {
      count += rows
      if (start < least) least = start
      if (start > greatest) greatest = start
      while (isTooFine()) {
        bins = merged(bins, (bin) => Math.floor(bin / 2))
        step += 1
      }
      bump(bins, binOf(start), rows)
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
      step,
      bins,
      level,
      cells,
    }),
  }
}

const bump = (counts: Map<number, number>, key: number, rows: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + rows)
}

const merged = (counts: ReadonlyMap<number, number>, into: (key: number) => number): Map<number, number> => {
  const result = new Map<number, number>()
  for (const [key, rows] of counts) bump(result, into(key), rows)
  return result
}
