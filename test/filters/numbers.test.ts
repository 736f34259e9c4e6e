import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leadingNumber, parseNumber } from '../../src/filters/numbers.ts'
import { naiveNumber } from './numbers.ts'

describe('the number at the beginning of a text', () => {
  it.each<[string, number | null]>([
    ['0.4 m', 0.4],
    ['150', 150],
    ['  -3.25e-2kg', -0.0325],
    ['\t\n\u00a07', 7],
    ['.5', 0.5],
    ['+3', 3],
    ['-.5', -0.5],
    ['5.', 5],
    ['5.e2', 500],
    ['1E+2 Pa', 100],
    ['1e', 1],
    ['1e+', 1],
    ['3em', 3],
    ['3 e5', 3],
    ['2017-09-20', 2017],
    ['1.2.3', 1.2],
    ['0x10', 0],
    ['1_000', 1],
    ['5, about', 5],
    ['-0', 0],
    ['1e-400', 0],
    ['1.7976931348623157e308', 1.7976931348623157e308],
    ['0.1000000000000000055511151231257827021181583404541015625', 0.1],
    ['9007199254740993', 9007199254740992],
    ['1,5', null],
    ['1,000 m', null],
    ['-1.5,5', null],
    ['1e3,5', null],
    ['1e309', null],
    [`-${'9'.repeat(400)}`, null],
    ['', null],
    [' ', null],
    ['M 2.0', null],
    ['.', null],
    ['+', null],
    ['- 3', null],
    ['--3', null],
    ['.e5', null],
    ['e5', null],
    ['<3', null],
    ['NaN', null],
    ['Infinity', null],
    ['٣', null],
    ['−3', null],
  ])('of %j is %j', (text, number) => {
    expect(leadingNumber(text)).toBe(number)
    expect(naiveNumber(text)).toBe(number)
  })

  it('is what a reader of single characters finds', () => {
    const unit = fc.constantFrom(...' \t+-..eE,0123459m_%'.split(''))
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        expect(leadingNumber(text)).toBe(naiveNumber(text))
      }),
      { numRuns: 20_000 },
    )
  })

  it('is found in a million digits within a second', () => {
    const start = performance.now()
    expect(leadingNumber(`${'1'.repeat(1_000_000)}x`)).toBeNull()
    expect(leadingNumber(`0.${'0'.repeat(1_000_000)}x`)).toBe(0)
    expect(performance.now() - start).toBeLessThan(1000)
  })
})

it.each(['0.4', ' 12 ', '+.5', '-3e-2', '5.'])('the parameter %j is a number', (text) => {
  expect(parseNumber(text)).toBe(Number(text))
})

it.each(['', 'x', '0.4 m', '1,5', '1-2', '1e309', 'NaN', '0x10', '1_0'])('the parameter %j is refused', (text) => {
  expect(() => parseNumber(text)).toThrow('Enter a number, such as 0.4.')
})
