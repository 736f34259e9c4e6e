import { describe, expect, it } from 'vitest'
import { fold } from '../../src/filters/fold.ts'

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
