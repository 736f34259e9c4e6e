import { orient2d } from 'robust-predicates'

// Shewchuk's first error bound ("Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997).
const ERROR_BOUND = (3 + 16 * 2 ** -53) * 2 ** -53

// This is larger than any underflow in a product (2^-1074). It is smaller than any area on a map in square degrees.
const UNDERFLOW = 2 ** -1000

// Scales every double below 2^504, so that products cannot overflow. This loses bits below 2^-1074, which change the
// result by at most 2^-568.
const SHRINK = 2 ** -520
const SHRINK_LOSS = 2 ** -560

// Limits for the input of orient2d. Between them, neither a product of two differences nor its rounding error can
// overflow or underflow.
const SMALLEST = 2 ** -480
const LARGEST = 2 ** 480

/**
 * Tells on which side of the line from a to b the point c lies. The result is positive on the left (y points up),
 * negative on the right, and 0 exactly on the line. The sign is exact for all finite doubles.
 * Tries three methods from fast to slow: plain arithmetic, Shewchuk's adaptive orient2d, and integers.
 */
export const side = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number => {
  const sure = sureSide(ax, ay, bx, by, cx, cy, UNDERFLOW)
  if (sure !== 0) return sure
  if (moderate(ax) && moderate(ay) && moderate(bx) && moderate(by) && moderate(cx) && moderate(cy)) {
    return -orient2d(ax, ay, bx, by, cx, cy) // in orient2d y points down
  }
  const [s, x, y] = [SHRINK, cx * SHRINK, cy * SHRINK]
  return sureSide(ax * s, ay * s, bx * s, by * s, x, y, SHRINK_LOSS) || exactSide(ax, ay, bx, by, cx, cy)
}

/** Computes the side in plain arithmetic. Returns 0 if rounding, overflow or `loss` could change the sign. */
const sureSide = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number, loss: number): number => {
  const left = (ax - cx) * (by - cy)
  const right = (ay - cy) * (bx - cx)
  const difference = left - right
  // Infinity and NaN are not greater, so they give 0.
  return Math.abs(difference) > ERROR_BOUND * (Math.abs(left) + Math.abs(right)) + loss ? difference : 0
}

const moderate = (v: number): boolean => v === 0 || (Math.abs(v) >= SMALLEST && Math.abs(v) <= LARGEST)

const exactSide = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number => {
  const [x, y] = [fixed(cx), fixed(cy)]
  const left = (fixed(ax) - x) * (fixed(by) - y)
  const right = (fixed(ay) - y) * (fixed(bx) - x)
  return left > right ? 1 : left < right ? -1 : 0
}

const double = new DataView(new ArrayBuffer(8))

/**
 * Converts a double to an integer multiple of 2^-1074, the smallest double (IEEE 754 binary64: 1 bit sign, 11 bits
 * exponent, 52 bits fraction).
 */
const fixed = (v: number): bigint => {
  double.setFloat64(0, v)
  const word = double.getBigUint64(0)
  const exponent = (word >> 52n) & 0x7ffn
  const fraction = word & 0xf_ffff_ffff_ffffn
  const magnitude = exponent === 0n ? fraction : (fraction | 0x10_0000_0000_0000n) << (exponent - 1n)
  return v < 0 ? -magnitude : magnitude
}
