import { describe, expect, it } from 'vitest'
import { makeBudget } from '../src/slots.ts'

/** A request of a client. It uses some amounts, and may end. */
type Step = [client: string | null, amounts: number[], ends?: 'ends']

describe('a budget of 10 for one client and 20 for all', () => {
  it.each<[string, Step[], boolean[]]>([
    ['one client up to its limit', [['a', [6, 4, 1]]], [true, true, false]],
    [
      'two requests of one client',
      [
        ['a', [6]],
        ['a', [5, 4]],
      ],
      [true, false, true],
    ],
    [
      'a third client after two full ones',
      [
        ['a', [10]],
        ['b', [10]],
        ['c', [1]],
      ],
      [true, true, false],
    ],
    [
      'a client after its request ended',
      [
        ['a', [10], 'ends'],
        ['a', [10]],
      ],
      [true, true],
    ],
    ['unlimited clients up to the limit of all', [[null, [15, 5, 1]]], [true, true, false]],
    [
      'a limited client beside an unlimited one',
      [
        [null, [15]],
        ['a', [6, 5]],
      ],
      [true, false, true],
    ],
  ])('%s', (_, steps, expected) => {
    const budget = makeBudget(10, 20, 1000)
    const grown = steps.flatMap(([client, amounts, ends]) => {
      const share = budget(client, 0)
      const answers = amounts.map((amount) => share.grow(amount))
      if (ends) share.end()
      return answers
    })
    expect(grown).toEqual(expected)
  })

  it('gives every request the bytes that all requests use together', () => {
    const budget = makeBudget(10, 20, 1000)
    const [first, second] = [budget('a', 0), budget('b', 0)]
    first.grow(4)
    second.grow(3)
    expect(first.total()).toBe(7)
    second.end()
    expect(first.total()).toBe(4)
  })

  it('drops a request after its time limit', () => {
    const budget = makeBudget(10, 20, 1000)
    expect(budget('a', 0).grow(10)).toBe(true)
    expect(budget('a', 999).grow(1)).toBe(false)
    expect(budget('a', 1000).grow(10)).toBe(true)
  })

  it('can be larger for one request', () => {
    const budget = makeBudget(10, 20, 1000)
    const share = budget('a', 0, 50)
    expect([share.grow(50), share.grow(1), budget('a', 0, 50).grow(1)]).toEqual([true, false, false])
  })
})
