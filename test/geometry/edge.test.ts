import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyMeets, side } from '../../src/geometry/edge.ts'

type Six = [ax: number, ay: number, bx: number, by: number, cx: number, cy: number]

const rows: [title: string, points: Six, sign: number][] = [
  ['left of the way north', [0, 0, 0, 1, -1, 0], 1],
  ['right of the way north', [0, 0, 0, 1, 1, 0], -1],
  ['on the line', [0, 0, 2, 2, 1, 1], 0],
  ['on its extension', [0, 0, 2, 2, 3, 3], 0],
  ['a = b', [1, 1, 1, 1, 5, 7], 0],
  ['one rounding beside the line', [0, 0, 3, 3, 1, 1 + 2 ** -52], 1],
  ['one third is not on the line', [0, 0, 3, 1, 1, 1 / 3], -1],
  ['products overflow', [-1e308, -1e308, 1e308, 1e308, 1, 2], 1],
  ['products overflow, on the line', [-1e308, -1e308, 1e308, 1e308, 1, 1], 0],
  ['differences overflow', [-1.7e308, 0, 1.7e308, 0, 0, 5e-324], 1],
  ['products underflow', [0, 0, 5e-324, 5e-324, 0, 5e-324], 1],
  ['huge and tiny', [-1e308, 0, 1e308, 5e-324, 0, 0], -1],
]

describe('side', () => {
  test.each(rows)('%s', (_, points, sign) => {
    expect(Math.sign(side(...points)) + 0).toBe(sign)
  })
})

/** Converts a double to an integer number of 2^-1100. */
const integer = (v: number): bigint => {
  let [mantissa, exponent] = [v, 1100]
  for (; !Number.isInteger(mantissa); exponent--) mantissa *= 2
  return BigInt(mantissa) << BigInt(exponent)
}

const exactSign = (six: Six): number => {
  const [ax, ay, bx, by, cx, cy] = six.map(integer) as [bigint, bigint, bigint, bigint, bigint, bigint]
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
  return area > 0n ? 1 : area < 0n ? -1 : 0
}

const degrees = fc.double({ min: -540, max: 540, noNaN: true })
const any = fc.double({ noNaN: true, noDefaultInfinity: true })
const seeded = { seed: 26, numRuns: 2000 }

describe('the sign equals the sign of exact arithmetic', () => {
  test.each([
    ['degrees', degrees],
    ['all doubles', any],
    ['both', fc.oneof(degrees, any, fc.integer({ min: -3, max: 3 }))],
  ])('%s', (_, number) => {
    fc.assert(
      fc.property(fc.tuple(number, number, number, number, number, number), (six) => {
        expect(Math.sign(side(...six)) + 0).toBe(exactSign(six))
      }),
      seeded,
    )
  })

  test('for points within one rounding of the line', () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(degrees, degrees, degrees, degrees, part, (ax, ay, bx, by, t) => {
        const six: Six = [ax, ay, bx, by, ax + t * (bx - ax), ay + t * (by - ay)]
        expect(Math.sign(side(...six)) + 0).toBe(exactSign(six))
      }),
      seeded,
    )
  })
})

const EDGES = Float64Array.from([0, 0, 10, 10, 5, -5, 5, 5, 2, 2, 2, 2])

describe('a search for edges near a point', () => {
  test.each<[string, number, number, boolean]>([
    ['on a slope', 3, 3, true],
    ['on a vertical edge', 5, -1, true],
    ['on an edge without length', 2, 2, true],
    ['close to a slope', 3, 3.15, true],
    ['in the bbox of a slope, but not near', 1, 9, false],
    ['past its end', 10.2, 10.2, false],
    ['far away', 50, 50, false],
  ])('%s', (_, x, y, near) => {
    expect(anyMeets(EDGES, null, x, y, 0.1, 0.1)).toBe(near)
  })

  test('finds edges whose numbers overflow', () => {
    expect(anyMeets(Float64Array.from([-1e308, -1e308, 1e308, 1e308]), null, 0, 0, 0.1, 0.1)).toBe(true)
  })
})
