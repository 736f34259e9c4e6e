const BYTES = new DataView(new ArrayBuffer(8))
const [SIGN, MAGNITUDE] = [2n ** 63n, 2n ** 63n - 1n]

/** Returns the integer that stands for a double in a range. Integers have the order of their doubles. -0 is 0. */
export const keyOf = (number: number): bigint => {
  BYTES.setFloat64(0, number)
  const bits = BYTES.getBigInt64(0)
  return bits < 0n ? -(bits & MAGNITUDE) : bits
}

/** Returns the double of a key. A key beyond the greatest double gives infinity. */
export const numberOfKey = (key: bigint): number => {
  BYTES.setBigUint64(0, key < 0n ? SIGN | -key : key)
  return BYTES.getFloat64(0)
}
