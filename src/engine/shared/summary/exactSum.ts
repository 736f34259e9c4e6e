/**
 * The exact sum of doubles, in any order. It is kept as a few doubles that do not overlap (Shewchuk 1997). `large` has
 * the sum of the huge ones, scaled down so that it cannot overflow.
 */
export interface ExactSum {
  readonly parts: number[]
  readonly large: number[]
}

const [HUGE, SCALE] = [2 ** 960, 64]

export const emptySum = (): ExactSum => ({ parts: [], large: [] })

/** Adds a double to a sum. */
export const addTo = ({ parts, large }: ExactSum, number: number): void => {
  if (Math.abs(number) < HUGE) grow(parts, number)
  else grow(large, number / 2 ** SCALE)
}

const grow = (parts: number[], number: number): void => {
  let [sum, kept] = [number, 0]
  for (const part of parts) {
    const [more, less] = Math.abs(sum) < Math.abs(part) ? [part, sum] : [sum, part]
    sum = more + less
    const error = less - (sum - more)
    if (error !== 0) parts[kept++] = error
  }
  parts.length = kept
  parts.push(sum)
}

/** Returns a sum as a multiple of the least double. */
export const unitsIn = ({ parts, large }: ExactSum): bigint => sumOf(parts) + (sumOf(large) << BigInt(SCALE))

const sumOf = (parts: readonly number[]): bigint => parts.reduce((sum, part) => sum + unitsOf(part), 0n)

/** Divides multiples of the least double by a positive integer. The result is the nearest double, or null beyond a double. */
export const quotient = (total: bigint, by: number): number | null => {
  const size = nearest(total < 0n ? -total : total, BigInt(by))
  if (!Number.isFinite(size)) return null
  return total < 0n ? -size : size
}

/** The exponent of the least double, and the bits of a double. */
const [LEAST, BITS] = [-1074, 53]
const BYTES = new DataView(new ArrayBuffer(8))

/** Returns a double as a multiple of the least double. */
const unitsOf = (number: number): bigint => {
  BYTES.setFloat64(0, number)
  const bits = BYTES.getBigUint64(0)
  const exponent = (bits >> 52n) & 0x7ffn
  const fraction = bits & (2n ** 52n - 1n)
  const size = exponent === 0n ? fraction : (fraction | (2n ** 52n)) << (exponent - 1n)
  return number < 0 ? -size : size
}

/** Returns the double next to a quotient of multiples of the least double. Half-way, it is the even one. */
const nearest = (units: bigint, by: bigint): number => {
  const shift = Math.max(0, (units / by).toString(2).length - BITS)
  const divisor = by << BigInt(shift)
  const [whole, rest] = [units / divisor, 2n * (units % divisor)]
  const isUp = rest > divisor || (rest === divisor && whole % 2n === 1n)
  return Number(whole + (isUp ? 1n : 0n)) * 2 ** (LEAST + shift)
}
