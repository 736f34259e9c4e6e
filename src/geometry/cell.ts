import type { ValueRange } from '../base/collections.ts'
import type { Bbox } from './bbox.ts'

/**
 * The number of levels below the world. Each level splits a cell into four. The finest cells are about 0.6 m by 0.3 m
 * at the equator.
 */
export const CELL_LEVELS = 26

/**
 * A cell of the grid of a level, which has 2^level by 2^level cells. Columns count from the west, rows from the south.
 */
export interface Cell {
  level: number
  column: number
  row: number
}

/** The cell of an event without a place. No other cell is negative. */
export const NOWHERE = -1
/** The range in which events without a place are read. It is one largest node of the stored counts. */
export const NOWHERE_CELLS: ValueRange = [-(2 ** 48), NOWHERE]

const SIDE = 2 ** CELL_LEVELS

/**
 * Returns the number of the finest cell at a longitude and latitude in degrees, an integer below 2^52. The number has
 * 26 bits of each, interleaved in Morton order. The bit of y is above the bit of x.
 * A larger longitude or latitude never gets a smaller column or row. +180, +90 and everything beyond the world fall
 * into the outermost cells.
 */
export const cellOf = (x: number, y: number): number => cellIn(quantise((x + 180) / 360), quantise((y + 90) / 180))

/** Merges adjacent ranges of a sorted list. */
export const merged = (ranges: readonly ValueRange[]): ValueRange[] => {
  const result: [first: number, last: number][] = []
  for (const [first, last] of ranges) {
    const before = result.at(-1)
    if (before !== undefined && before[1] + 1 === first) before[1] = last
    else result.push([first, last])
  }
  return result
}

/** Returns the numbers of the first and last finest cell in a cell, both included. */
export const cellRange = ({ level, column, row }: Cell): ValueRange => {
  const size = 4 ** (CELL_LEVELS - level)
  const first = cellIn(column, row) * size
  return [first, first + size - 1]
}

/**
 * Returns the cell of a level with this number in Morton order. The number of a finest cell, shifted right by two bits
 * for each level, is the number of the cell around it.
 */
export const cellAt = (level: number, index: number): Cell => {
  const high = Math.floor(index / 2 ** 26)
  const low = index % 2 ** 26
  const column = gather(high) * 2 ** 13 + gather(low)
  const row = gather(high >>> 1) * 2 ** 13 + gather(low >>> 1)
  return { level, column, row }
}

/** Returns the bounds of a cell in degrees, without rounding. */
export const cellBounds = ({ level, column, row }: Cell): Bbox => {
  const [width, height] = [360 / 2 ** level, 180 / 2 ** level]
  return [column * width - 180, row * height - 90, (column + 1) * width - 180, (row + 1) * height - 90]
}

/** Returns the four cells into which a cell splits, in Morton order. */
export const cellChildren = ({ level, column, row }: Cell): Cell[] =>
  [0, 1, 2, 3].map((i) => ({ level: level + 1, column: 2 * column + (i & 1), row: 2 * row + (i >> 1) }))

const quantise = (part: number, side = SIDE): number => Math.min(Math.max(Math.floor(part * side), 0), side - 1)

/** Returns the column of cells of a level at a longitude in degrees. */
export const columnOf = (level: number, x: number): number => quantise((x + 180) / 360, 2 ** level)

/**
 * Returns the number of the finest cell in a column and a row. Interleaves 13 bits of each at a time, because bit
 * operations have 32 bits only.
 */
export const cellIn = (column: number, row: number): number =>
  (spread(column >>> 13) + 2 * spread(row >>> 13)) * 2 ** 26 + (spread(column & 0x1fff) + 2 * spread(row & 0x1fff))

/** Puts a zero before each of 16 bits ("binary magic numbers", Bit Twiddling Hacks, S. E. Anderson). */
const spread = (bits: number): number => {
  const bytes = (bits | (bits << 8)) & 0x00ff00ff
  const nibbles = (bytes | (bytes << 4)) & 0x0f0f0f0f
  const pairs = (nibbles | (nibbles << 2)) & 0x33333333
  return (pairs | (pairs << 1)) & 0x55555555
}

/** Reverses `spread`: takes every second bit of 32, from the lowest. */
const gather = (bits: number): number => {
  const pairs = bits & 0x55555555
  const nibbles = (pairs | (pairs >>> 1)) & 0x33333333
  const bytes = (nibbles | (nibbles >>> 2)) & 0x0f0f0f0f
  const words = (bytes | (bytes >>> 4)) & 0x00ff00ff
  return (words | (words >>> 8)) & 0xffff
}

/** A rectangle of finest cells. Columns count from the west and rows from the south. All four limits are included. */
export interface Block {
  /** The level of the smallest cells that `rangesOf` returns. */
  readonly level: number
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
  /** The latitude at which the block begins within its first row, in degrees. Null: the block has the whole row. */
  readonly from: number | null
  /** The latitude before which the block ends within its last row, in degrees. Null: the block has the whole row. */
  readonly below: number | null
}

/**
 * Returns the cells that overlap a block as ranges of finest cells. Splits cells down to the block's level. A cell that
 * lies wholly in the block is one range, which saves ranges.
 */
export const rangesOf = (block: Block): ValueRange[] => {
  const ranges: ValueRange[] = []
  const take = (cell: Cell): void => {
    const part = amountOf(block, cell)
    if (part === 'none') return
    if (part === 'all' || cell.level === block.level) ranges.push(cellRange(cell))
    else cellChildren(cell).forEach(take)
  }
  take({ level: 0, column: 0, row: 0 })
  return ranges
}

/** Returns how much of a cell is in a block. The cell is given as its range of finest cells. */
export const amountIn = (block: Block, [first, last]: ValueRange) => {
  const level = CELL_LEVELS - Math.round(Math.log2(last - first + 1) / 2)
  return amountOf(block, cellAt(level, first / 4 ** (CELL_LEVELS - level)))
}

type Amount = 'all' | 'some' | 'none'

const amountOf = ({ west, south, east, north, from, below }: Block, { level, column, row }: Cell): Amount => {
  const size = 2 ** (CELL_LEVELS - level)
  const [first, last] = [from === null ? south : south + 1, below === null ? north : north - 1]
  const [left, right, bottom, top] = [column * size, (column + 1) * size - 1, row * size, (row + 1) * size - 1]
  if (right < west || left > east || top < south || bottom > north) return 'none'
  return west <= left && right <= east && first <= bottom && top <= last ? 'all' : 'some'
}
