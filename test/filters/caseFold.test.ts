import { describe, expect, it } from 'vitest'
import { caseFold } from '../../src/filters/caseFold.ts'

describe('caseFold', () => {
  it.each([
    ['', ''],
    ['Climb 1', 'climb 1'],
    ['Straße', 'strasse'],
    ['STRAẞE', 'strasse'],
    ['ﬁsh', 'fish'],
    ['ı', 'ı'],
    ['I', 'i'],
    ['İ', 'i\u0307'],
    ['ΣΊΣΥΦΟΣ σς', 'σίσυφοσ σσ'],
    ['ΐ', 'ι\u0308\u0301'],
    ['ᾼ', 'αι'],
    ['K', 'k'],
    ['µ', 'μ'],
    ['ꮿᏸ', 'ᏯᏰ'],
    ['𐐀', '𐐨'],
    ['\ud800', '\ufffd'],
  ])('%j becomes %j', (text, folded) => {
    expect(caseFold(text)).toBe(folded)
  })

  it('folds every character like a case-insensitive regular expression, and changes nothing the second time', () => {
    for (let code = 0; code < 0x1f000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue
      const character = String.fromCodePoint(code)
      const folded = caseFold(character)
      if (caseFold(folded) !== folded) expect.fail(`U+${code.toString(16)} is not folded`)
      if ([...folded].length > 1 || folded === character) continue
      if (!new RegExp(`^\\u{${code.toString(16)}}$`, 'iu').test(folded)) expect.fail(`U+${code.toString(16)}`)
    }
  })
})
