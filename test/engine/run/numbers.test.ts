import { expect, it } from 'vitest'
import { numbersIn } from '../../../src/engine/run/tester.ts'

it.each<[string, number[]]>([
  ['', []],
  ['0', [0]],
  ['-1', [-1]],
  ['1,-1,4503599627370495,-8640000000000000,0', [1, -1, 4503599627370495, -8640000000000000, 0]],
])('numbersIn reads the numbers in %j', (list, numbers) => {
  expect([...numbersIn(list)]).toEqual(numbers)
})
