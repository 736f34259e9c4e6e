import { describe, expect, it } from 'vitest'
import { hexDigit, sha256Hex } from '../../src/base/hex.ts'

describe('hexadecimal numbers', () => {
  it('have 22 digits in upper and lower case', () => {
    const digits = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code)).filter(
      (character) => hexDigit(character.charCodeAt(0)) >= 0,
    )
    expect(digits.join('')).toBe('0123456789ABCDEFabcdef')
    for (const digit of digits) expect(hexDigit(digit.charCodeAt(0))).toBe(Number.parseInt(digit, 16))
  })

  // FIPS 180-2, appendix B.
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('SHA-256 of %j', async (text, hex) => {
    const bytes = await new Blob([text]).arrayBuffer()
    expect([await sha256Hex(text), await sha256Hex(bytes)]).toEqual([hex, hex])
  })
})
