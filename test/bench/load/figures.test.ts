import { describe, expect, it } from 'vitest'
import { errorsOf, figuresTable, percentile } from './figures.ts'

const hundred = Array.from({ length: 100 }, (_, i) => 100 - i)

describe('percentile', () => {
  it.each([
    [[7], 99, 7],
    [[3, 1, 2], 50, 2],
    [[10, 9], 50, 9],
    [hundred, 95, 95],
    [hundred, 100, 100],
    [[...hundred, 1000], 99, 100],
    [[], 50, Number.NaN],
  ])('%j: the percentile of %d %% is %d', (numbers, percent, expected) => {
    expect(percentile(numbers, percent)).toBe(expected)
  })
})

it('the figures are written as a table', () => {
  const errors = new Map([
    ['status 503', 2],
    ['socket hang up', 1],
  ])
  const right = { name: 'a', concurrency: 8, seconds: 2, times: [1, 2, 3, 4], errors: new Map(), memory: 120 }
  const wrong = { name: 'bc', concurrency: 64, seconds: 2, times: [], errors, memory: null }
  expect(errorsOf(wrong)).toBe(3)
  expect(figuresTable([right, wrong]).split('\n')).toEqual([
    '| workload | connections | requests/s | p50 ms | p95 ms | p99 ms | errors |  MB |',
    '| -------- | ----------: | ---------: | -----: | -----: | -----: | -----: | --: |',
    '| a        |           8 |          2 |    2.0 |    4.0 |    4.0 |      0 | 120 |',
    '| bc       |          64 |          0 |        |        |        |      3 |     |',
  ])
})
