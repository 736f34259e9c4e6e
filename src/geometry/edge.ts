import { orient2d } from 'robust-predicates'
import { countEdges } from '../work.ts'

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

/** Tests if the point slightly north and far less east of c is on the left of the line from a to b. */
export const isLeft = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): boolean => {
  const left = side(ax, ay, bx, by, cx, cy)
  if (left !== 0) return left > 0
  return ax === bx ? by < ay : bx > ax
}

/** Tests if an edge passes through a point. The ends belong to the edge. */
export const passes = (ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean =>
  ((ax <= x && x <= bx) || (bx <= x && x <= ax)) &&
  ((ay <= y && y <= by) || (by <= y && y <= ay)) &&
  side(ax, ay, bx, by, x, y) === 0

/**
 * Tests if an edge may meet a box. x and y are the centre of the box, the reaches are half its sides, all in degrees.
 * May accept an edge that passes nearby, but never rejects one that meets the box.
 * Uses the separating axis theorem for x, y and the normal of the edge. 4e-15 is a margin for rounding. It covers more
 * than ten roundings of the products and the rounding by `turned` of within.ts. An overflow counts as a meeting.
 */
export const mayMeet = (
  edges: Float64Array,
  edge: number,
  x: number,
  y: number,
  reachX: number,
  reachY: number,
): boolean => {
  const e = 4 * edge
  const ax = (edges[e] as number) - x // all indexes in this file are below the lengths
  const bx = (edges[e + 2] as number) - x
  if ((ax > reachX && bx > reachX) || (ax < -reachX && bx < -reachX)) return false
  const ay = (edges[e + 1] as number) - y
  const by = (edges[e + 3] as number) - y
  if ((ay > reachY && by > reachY) || (ay < -reachY && by < -reachY)) return false
  const dx = bx - ax
  const dy = by - ay
  const p = dx * ay
  const q = dy * ax
  const reach = Math.abs(dx) * reachY + Math.abs(dy) * reachX + 4e-15 * (Math.abs(p) + Math.abs(q))
  return !(Math.abs(p - q) > reach)
}

/** Returns the listed edges that may be within `reachX` and `reachY` degrees of a point. */
export const meeting = (
  edges: Float64Array,
  listed: Int32Array,
  x: number,
  y: number,
  reachX: number,
  reachY: number,
): Int32Array => {
  const near = new Int32Array(listed.length)
  countEdges(listed.length)
  let length = 0
  for (let k = 0; k < listed.length; k++) {
    const edge = listed[k] as number
    if (mayMeet(edges, edge, x, y, reachX, reachY)) near[length++] = edge
  }
  return near.slice(0, length)
}

/** Tests if a listed edge may be within `reachX` and `reachY` degrees of a point. Null lists all edges. */
export const anyMeets = (
  edges: Float64Array,
  listed: Int32Array | null,
  x: number,
  y: number,
  reachX: number,
  reachY: number,
): boolean => {
  const length = listed?.length ?? edges.length / 4
  countEdges(length)
  for (let k = 0; k < length; k++)
    if (mayMeet(edges, listed === null ? k : (listed[k] as number), x, y, reachX, reachY)) return true
  return false
}
