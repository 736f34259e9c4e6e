import type { Bbox } from './bbox.ts'

/** How often the world's cell is split into four down to the finest cells, about 0.6 m by 0.3 m. */
export const CELL_LEVELS = 26

/** A cell's column from the west and row from the south among the 2^level by 2^level cells of its level. */
export interface Cell {
  level: number
  column: number
  row: number
}

const SIDE = 2 ** CELL_LEVELS

/**
 * The finest cell of a longitude and latitude: 26 + 26 bits interleaved (Morton order, the bit of y above that of x), an
 * integer below 2^52. The quantisation is monotone; +180 and +90 fall into the last cells, and what lies beyond into the
 * outermost.
 */
export const cellOf = (x: number, y: number): number => interleave(quantise((x + 180) / 360), quantise((y + 90) / 180))

/** The finest cells in a cell: first and last, inclusive. */
export const cellRange = ({ level, column, row }: Cell): [first: number, last: number] => {
  const size = 4 ** (CELL_LEVELS - level)
  const first = interleave(column, row) * size
  return [first, first + size - 1]
}

/** The cell of a level with this number in the order of the ranges: its finest cells shifted right by two bits a level. */
export const cellAt = (level: number, index: number): Cell => {
  const high = Math.floor(index / 2 ** 26)
  const low = index % 2 ** 26
  const column = gather(high) * 2 ** 13 + gather(low)
  const row = gather(high >>> 1) * 2 ** 13 + gather(low >>> 1)
  return { level, column, row }
}

/** The finest cell of a column and a row. */
export const cellIn = (column: number, row: number): number => interleave(column, row)

/** The bounds of a cell in degrees, exact. */
export const cellBounds = ({ level, column, row }: Cell): Bbox => {
  const [width, height] = [360 / 2 ** level, 180 / 2 ** level]
  return [column * width - 180, row * height - 90, (column + 1) * width - 180, (row + 1) * height - 90]
}

/** The four cells that a cell splits into, in the order of their ranges. */
export const cellChildren = ({ level, column, row }: Cell): Cell[] =>
  [0, 1, 2, 3].map((i) => ({ level: level + 1, column: 2 * column + (i & 1), row: 2 * row + (i >> 1) }))

const quantise = (part: number): number => Math.min(Math.max(Math.floor(part * SIDE), 0), SIDE - 1)

/** Bit operations reach 32 bits only, so 13 bits of each at a time. */
const interleave = (x: number, y: number): number =>
  (spread(x >>> 13) + 2 * spread(y >>> 13)) * 2 ** 26 + (spread(x & 0x1fff) + 2 * spread(y & 0x1fff))

/** Puts a zero before each of 16 bits ("binary magic numbers", Bit Twiddling Hacks, S. E. Anderson). */
const spread = (bits: number): number => {
  const bytes = (bits | (bits << 8)) & 0x00ff00ff
  const nibbles = (bytes | (bytes << 4)) & 0x0f0f0f0f
  const pairs = (nibbles | (nibbles << 2)) & 0x33333333
  return (pairs | (pairs << 1)) & 0x55555555
}

/** The reverse: every other one of 26 bits, from the lowest. */
const gather = (bits: number): number => {
  const pairs = bits & 0x55555555
  const nibbles = (pairs | (pairs >>> 1)) & 0x33333333
  const bytes = (nibbles | (nibbles >>> 2)) & 0x0f0f0f0f
  const words = (bytes | (bytes >>> 4)) & 0x00ff00ff
  return (words | (words >>> 8)) & 0xffff
}
