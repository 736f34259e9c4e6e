import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { side } from '../../src/geometry/edges.ts'
import { zeroIfNear } from '../../src/geometry/geometry.ts'

type Six = [ax: number, ay: number, bx: number, by: number, cx: number, cy: number]

/** The smallest double above 1e-100. */
const NEXT = 1e-100 + 2 ** -385
const rows: [title: string, points: Six, sign: number][] = [
  ['left of the way north', [0, 0, 0, 1, -1, 0], 1],
  ['right of the way north', [0, 0, 0, 1, 1, 0], -1],
  ['on the line', [0, 0, 2, 2, 1, 1], 0],
  ['on its extension', [0, 0, 2, 2, 3, 3], 0],
  ['a = b', [1, 1, 1, 1, 5, 7], 0],
  ['one rounding beside the line', [0, 0, 3, 3, 1, 1 + 2 ** -52], 1],
  ['one third is not on the line', [0, 0, 3, 1, 1, 1 / 3], -1],
  ['the largest coordinates', [-1e5, -1e5, 1e5, 1e5, 1, 2], 1],
  ['the largest coordinates, on the line', [-1e5, -1e5, 1e5, 1e5, 1, 1], 0],
  ['the smallest coordinates', [0, 0, 1e-100, 1e-100, 0, 1e-100], 1],
  ['neighbours of the smallest coordinate', [0, 0, 1e-100, 1e-100, NEXT, 1e-100], -1],
  ['the largest and the smallest', [-1e5, 0, 1e5, 1e-100, 0, 0], -1],
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

const degrees = fc.double({ min: -540, max: 540, noNaN: true }).map(zeroIfNear)
/** Any coordinate as it is read. */
const any = fc.double({ min: -1e5, max: 1e5, noNaN: true }).map(zeroIfNear)
/** The middle of a box of the tree may be nearer to 0 than any coordinate. It is half of such a middle, up to 60 times. */
const middle = fc.tuple(fc.double({ min: -1e-99, max: 1e-99, noNaN: true }), fc.nat(60)).map(([wide, halvings]) => {
  const coordinate = zeroIfNear(wide)
  let [least, greatest] = [0, coordinate]
  for (let i = 0; i < halvings; i++) {
    if (i % 3 === 0) least = (least + greatest) / 2
    else greatest = (least + greatest) / 2
  }
  return greatest
})
const seeded = { seed: 26, numRuns: 2000 }

describe('the sign equals the sign of exact arithmetic', () => {
  test.each([
    ['degrees', degrees],
    ['all coordinates', any],
    ['middles near 0', middle],
    ['all of these', fc.oneof(degrees, any, middle, fc.integer({ min: -3, max: 3 }))],
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
        const six: Six = [ax, ay, bx, by, zeroIfNear(ax + t * (bx - ax)), zeroIfNear(ay + t * (by - ay))]
        expect(Math.sign(side(...six)) + 0).toBe(exactSign(six))
      }),
      seeded,
    )
  })
})
