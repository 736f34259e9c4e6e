/** A set of integers from 0. It needs little memory if they are close together: 32 neighbours share one entry. */
export function createNumbers() {
  const blocks = new Map<number, number>()
  const blockOf = (number: number): number => Math.floor(number / 32)
  const bitOf = (number: number): number => 1 << (number % 32)
  const has = (number: number): boolean => ((blocks.get(blockOf(number)) ?? 0) & bitOf(number)) !== 0
  return {
    has,
    /** Adds a number. Returns true if it was not in the set. */
    add: (number: number): boolean => {
      if (has(number)) return false
      blocks.set(blockOf(number), (blocks.get(blockOf(number)) ?? 0) | bitOf(number))
      return true
    },
    /** Removes a number. Returns true if it was in the set. */
    delete: (number: number): boolean => {
      if (!has(number)) return false
      blocks.set(blockOf(number), (blocks.get(blockOf(number)) ?? 0) & ~bitOf(number))
      return true
    },
  }
}
