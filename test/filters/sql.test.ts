import { describe, expect, it } from 'vitest'
import { integerOf, textOf } from '../../src/filters/sql.ts'

describe('integers in the SQL', () => {
  it.each([0, -1, 2 ** 53 - 1, 1 - 2 ** 53])('%d is written', (value) => {
    expect(textOf(integerOf(value))).toEqual({ sql: `${value}`, parameters: [] })
  })

  it.each<[string, unknown]>([
    ['a text', '1; DROP TABLE event'],
    ['a text of digits', '1'],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a fraction', 1.5],
    ['2^53', 2 ** 53],
    ['null', null],
    ['undefined', undefined],
  ])('%s is refused', (_, value) => {
    expect(() => integerOf(value as number)).toThrow(RangeError)
  })
})
