import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatState, parseState } from '../../src/engine/state.ts'

describe('the state of the database', () => {
  it.each([
    [{ revision: 0, changed: 0 }, '0-0'],
    [{ revision: 12, changed: 1_763_740_438_904 }, '12-mi91iohk'],
    [{ revision: 2 ** 53 - 1, changed: 2 ** 53 - 1 }, '9007199254740991-2gosa7pa2gv'],
  ])('%j is %s', (state, text) => {
    expect([formatState(state), parseState(text)]).toEqual([text, state])
  })

  it('is the same after it is written and read', () => {
    const number = fc.maxSafeNat()
    fc.assert(
      fc.property(number, number, (revision, changed) => {
        expect(parseState(formatState({ revision, changed }))).toEqual({ revision, changed })
      }),
    )
  })

  it.each([
    '',
    '1',
    '1-',
    '-1',
    '1-1-1',
    '01-0',
    '1-00',
    '1-A',
    '1-!',
    ' 1-0',
    '-1-0',
    '1.-0',
    '1.05-0',
    '1.5.5-0',
    '.5-0',
    '1.9007199254740993-0',
    '1-0\n',
    '9007199254740993-0',
  ])('%j is not a state', (text) => {
    expect(parseState(text)).toBe(null)
  })
})
