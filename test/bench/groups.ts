import type { Row } from './plain.ts'

const BINS = 256
/** The default level of the cells. The database groups the events at this level. */
export const LEVEL = 8
const MAX_CELLS = 4096

/** Returns the width of a bin in milliseconds, for starts from `least` to `greatest`. */
export const stepOf = (least: number, greatest: number): number => {
  let step = 1
  while (Math.floor(greatest / step) - Math.floor(least / step) >= BINS) step *= 2
  return step
}

/** Makes a summary of rows. Each row has a start, or x and y, and the number of events that it stands for. */
export const groupsOf = (step: number, starts: readonly Row[], places: readonly Row[], finest = LEVEL): object => {
  const bins = counted(starts, ({ start }) => Math.floor(Number(start) / step))
  const placed = places.filter(({ x }) => x !== null)
  let level = finest + 1
  let cells = new Map<number, number>()
  do {
    level -= 1
    cells = counted(placed, ({ x, y }) => cellOf(Number(x), Number(y), level))
  } while (cells.size > MAX_CELLS)
  return {
    count: [...bins.values()].reduce((sum, count) => sum + count, 0),
    time: { bins: [...bins].sort(([a], [b]) => a - b).map(([bin, count]) => [bin * step, count]) },
    density: { cells: [...cells].sort(([a], [b]) => a - b).map(([cell, count]) => [...boundsOf(cell, level), count]) },
  }
}

const counted = (rows: readonly Row[], groupOf: (row: Row) => number): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const row of rows) {
    const value = groupOf(row)
    counts.set(value, (counts.get(value) ?? 0) + Number(row.alike ?? 1))
  }
  return counts
}

/** Interleaves the bits of column and row. The service orders cells by this number. */
const cellOf = (x: number, y: number, level: number): number => {
  const side = 2 ** level
  const column = Math.min(side - 1, Math.floor(((x + 180) / 360) * side))
  const row = Math.min(side - 1, Math.floor(((y + 90) / 180) * side))
  let cell = 0
  for (let bit = level - 1; bit >= 0; bit--) cell = cell * 4 + 2 * ((row >> bit) & 1) + ((column >> bit) & 1)
  return cell
}

const boundsOf = (cell: number, level: number): number[] => {
  let [column, row] = [0, 0]
  for (let bit = 0; bit < level; bit++) {
    column += ((cell >> (2 * bit)) & 1) << bit
    row += ((cell >> (2 * bit + 1)) & 1) << bit
  }
  const [width, height] = [360 / 2 ** level, 180 / 2 ** level]
  return [column * width - 180, row * height - 90, (column + 1) * width - 180, (row + 1) * height - 90]
}
