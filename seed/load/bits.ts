/** A list of booleans. Each uses one bit. */
export interface Bits {
  readonly push: (value: boolean) => void
  readonly set: (at: number, value: boolean) => void
  readonly at: (at: number) => boolean
  readonly length: () => number
}

export function createBits(): Bits {
  let bytes = new Uint8Array(1024)
  let length = 0
  const set = (at: number, value: boolean) => {
    const bit = 1 << (at & 7)
    bytes[at >> 3] = value ? (bytes[at >> 3] ?? 0) | bit : (bytes[at >> 3] ?? 0) & ~bit
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
  return { push, set, at: (at) => (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) === 1, length: () => length }
}
