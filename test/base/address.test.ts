import { expect, it } from 'vitest'
import { isWebAddress } from '../../src/base/address.ts'

it.each([
  ['https://example.org/terms', true],
  ['HTTP://example.org', true],
  ['javascript:alert(1)', false],
  [' JavaScript:alert(1)', false],
  ['java\nscript:alert(1)', false],
  ['data:text/html,<script>alert(1)</script>', false],
  ['ftp://example.org/terms', false],
  ['//example.org/terms', false],
  ['example.org', false],
  [null, false],
])('%j is an address of the web: %s', (value, isOne) => {
  expect(isWebAddress(value)).toBe(isOne)
})
