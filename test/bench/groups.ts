import type { Row } from './plain.ts'

const BINS = 256
const LEVEL = 8
const MAX_CELLS = 4096

/** The summary of rows as a client makes it that has them all: each put into its bin and its cell. */
export const groupsOf = (rows: readonly Row[]): object => {
  const starts = rows.map(({ start }) => Number(start))
  const [least, greatest] = starts.reduce(
    ([a, b], start) => [Math.min(a, start), Math.max(b, start)],
    [Infinity, -Infinity],
  )
  let step = 1
  while (Math.floor(greatest / step) - Math.floor(least / step) >= BINS) step *= 2
  const bins = counted(starts.map((start) => Math.floor(start / step)))
  const placed = rows.flatMap(({ x, y }) => (x === null ? [] : [[Number(x), Number(y)] as const]))
  let level = LEVEL + 1
  let cells = new Map<number, number>()
  do {
    level -= 1
    cells = counted(placed.map(([x, y]) => cellOf(x, y, level)))
  } while (cells.size > MAX_CELLS)
  return {
    count: rows.length,
    time: { bins: [...bins].sort(([a], [b]) => a - b).map(([bin, count]) => [bin * step, count]) },
    density: { cells: [...cells].sort(([a], [b]) => a - b).map(([cell, count]) => [...boundsOf(cell, level), count]) },
  }
}

const counted = (values: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** Bits of column and row by turns, as the order of the answer has them. */
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
