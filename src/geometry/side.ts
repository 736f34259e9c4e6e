import { orient2d } from 'robust-predicates'

// Shewchuk's first error bound ("Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997).
const ERROR_BOUND = (3 + 16 * 2 ** -53) * 2 ** -53

// Far above what underflow can take from a product (2^-1074), far below any area on a map.
const UNDERFLOW = 2 ** -1000

// Brings every double below 2^504, where products cannot overflow; what is lost below 2^-1074 weighs at most 2^-568.
const SHRINK = 2 ** -520
const SHRINK_LOSS = 2 ** -560

// Between these no product of two differences, nor of their rounding errors, overflows or underflows.
const SMALLEST = 2 ** -480
const LARGEST = 2 ** 480

/**
 * On which side of the line from a to b the point c lies: positive on the left (y upward), negative on the right,
 * 0 exactly on the line. The sign is exact for all finite doubles.
 */
export const side = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number => {
  const sure = sureSide(ax, ay, bx, by, cx, cy, UNDERFLOW)
  if (sure !== 0) return sure
  if (moderate(ax) && moderate(ay) && moderate(bx) && moderate(by) && moderate(cx) && moderate(cy)) {
    return -orient2d(ax, ay, bx, by, cx, cy) // whose y points downward
  }
  const [s, x, y] = [SHRINK, cx * SHRINK, cy * SHRINK]
  return sureSide(ax * s, ay * s, bx * s, by * s, x, y, SHRINK_LOSS) || exactSide(ax, ay, bx, by, cx, cy)
}

/** The side by plain arithmetic, 0 where its rounding, a loss given or an overflow leaves doubt. */
const sureSide = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number, loss: number): number => {
  const left = (ax - cx) * (by - cy)
  const right = (ay - cy) * (bx - cx)
  const difference = left - right
  // Infinity and NaN fail this.
  return Math.abs(difference) > ERROR_BOUND * (Math.abs(left) + Math.abs(right)) + loss ? difference : 0
}

const moderate = (v: number): boolean => v === 0 || (Math.abs(v) >= SMALLEST && Math.abs(v) <= LARGEST)

const exactSide = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number => {
  const [x, y] = [fixed(cx), fixed(cy)]
  const left = (fixed(ax) - x) * (fixed(by) - y)
  const right = (fixed(ay) - y) * (fixed(bx) - x)
  return left > right ? 1 : left < right ? -1 : 0
}

const double = new Float64Array(1)
const bits = new BigUint64Array(double.buffer)

/** A double as an integer number of 2^-1074, the smallest double (IEEE 754 binary64: sign, 11 bits exponent, 52 fraction). */
const fixed = (v: number): bigint => {
  double[0] = v
  const word = bits[0] as bigint // of length 1
  const exponent = (word >> 52n) & 0x7ffn
  const fraction = word & 0xf_ffff_ffff_ffffn
  const magnitude = exponent === 0n ? fraction : (fraction | 0x10_0000_0000_0000n) << (exponent - 1n)
  return v < 0 ? -magnitude : magnitude
}
