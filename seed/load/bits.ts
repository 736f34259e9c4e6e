/** A list of booleans. Each uses one bit. */
export interface Bits {
  readonly push: (value: boolean) => void
  readonly set: (index: number, value: boolean) => void
  readonly at: (index: number) => boolean
  readonly length: () => number
}

export function createBits(): Bits {
  let bytes = new Uint8Array(1024)
  let length = 0
  const set = (index: number, value: boolean) => {
    const bit = 1 << (index & 7)
    bytes[index >> 3] = value ? (bytes[index >> 3] ?? 0) | bit : (bytes[index >> 3] ?? 0) & ~bit
  }
  const push = (value: boolean) => {
    if (length === 8 * bytes.length) {
      const grown = new Uint8Array(2 * bytes.length)
      grown.set(bytes)
      bytes = grown
    }
    set(length, value)
    length += 1
  }
  return { push, set, at: (index) => (((bytes[index >> 3] ?? 0) >> (index & 7)) & 1) === 1, length: () => length }
}
