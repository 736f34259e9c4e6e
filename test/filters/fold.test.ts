import { describe, expect, it } from 'vitest'
import { caseFold, fold } from '../../src/filters/fold.ts'

describe('fold', () => {
  it.each([
    ['', ''],
    ['abc XYZ 1_%', 'ABC XYZ 1_%'],
    ['é', 'É'],
    ['Geïnduceerd', 'GEÏNDUCEERD'],
    ['straße', 'STRAßE'],
    ['ẞ', 'ẞ'],
    ['ﬁn', 'ﬁN'],
    ['ŉ', 'ŉ'],
    ['ΣΑΣ σας', 'ΣΑΣ ΣΑΣ'],
    ['ı i İ I', 'I I İ I'],
    ['ÿ', 'Ÿ'],
    ['µ', 'Μ'],
    ['ǆ ǅ', 'Ǆ Ǆ'],
    ['жук', 'ЖУК'],
    ['𐐨', '𐐀'],
    ['🦆 a', '🦆 A'],
    ['e\u0301', 'E\u0301'],
    ['a\ud800b', 'A\ufffdB'],
    ['\udc00', '\ufffd'],
    ['\0a', '\0A'],
  ])('%j becomes %j', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  it('keeps the number of code points, and changes nothing the second time', () => {
    for (let code = 0; code <= 0x1ffff; code++) {
      const folded = fold(String.fromCodePoint(code))
      if ([...folded].length !== 1 || fold(folded) !== folded) expect.fail(`U+${code.toString(16)}`)
    }
  })
})

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
