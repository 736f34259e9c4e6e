/**
 * A set of positive integers that needs little memory if they are close together. A block of 65,536 consecutive
 * integers is a Set up to 512 members. Above, it is a bitmap of 8 KiB.
 */
export interface Ids {
  /** Adds a number. Returns true if it was not in the set. */
  readonly add: (id: number) => boolean
  readonly has: (id: number) => boolean
}

const BLOCK = 65_536
const FEW = 512

export function createIds(): Ids {
  const blocks = new Map<number, Set<number> | Uint8Array>()
  const has = (id: number): boolean => {
    const block = blocks.get(Math.floor(id / BLOCK))
    if (block === undefined) return false
    return block instanceof Set ? block.has(id % BLOCK) : bitOf(block, id % BLOCK)
  }
  const add = (id: number): boolean => {
    const [key, offset] = [Math.floor(id / BLOCK), id % BLOCK]
    const block = blocks.get(key) ?? new Set<number>()
    if (block instanceof Set ? block.has(offset) : bitOf(block, offset)) return false
    if (block instanceof Set) {
      block.add(offset)
      blocks.set(key, block.size > FEW ? bitsOf(block) : block)
    } else setBit(block, offset)
    return true
  }
  return { add, has }
}

const bitOf = (bits: Uint8Array, index: number): boolean => (((bits[index >> 3] ?? 0) >> (index & 7)) & 1) === 1

const setBit = (bits: Uint8Array, index: number): void => {
  bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7))
}

function bitsOf(offsets: Set<number>): Uint8Array {
  const bits = new Uint8Array(BLOCK / 8)
  for (const offset of offsets) setBit(bits, offset)
  return bits
}
