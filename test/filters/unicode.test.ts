import { describe, expect, it } from 'vitest'
import { compile } from '../../src/filters/pattern.ts'

/** Returns the test of a regular expression. */
const matching = (lookup: 'regex' | 'iregex', value: string) => {
  const program = compile(value, lookup === 'iregex')
  return (text: string) => program.test(text)
}

// These blocks have Latin, Greek, Cyrillic and Armenian letters, Arabic digits, thin and wide spaces, symbols, kana and
// Han. Some are in full and half width, and some have two UTF-16 units.
const PARTS = [
  [0, 0x590],
  [0x660, 0x66a],
  [0x1e00, 0x2190],
  [0x3000, 0x3100],
  [0x4e00, 0x4e10],
  [0xff00, 0xff70],
]
const BEYOND = [0x10400, 0x10428, 0x1d400, 0x1d7ce, 0x1f300, 0x1f44d, 0x20000, 0xe0001, 0x10ffff]
const CHARACTERS = [
  ...PARTS.flatMap(([from = 0, to = 0]) => Array.from({ length: to - from }, (_, i) => from + i)),
  ...BEYOND,
].map((point) => String.fromCodePoint(point))

const CLASSES = ['C', 'Cc', 'Cf', 'L', 'Lu', 'Ll', 'Lt', 'Lm', 'Lo', 'M', 'Mn', 'N', 'Nd', 'Nl', 'No', 'P', 'Pd', 'Ps']
const MORE = ['S', 'Sc', 'Sm', 'So', 'Z', 'Zs', 'Alphabetic', 'Uppercase', 'Lowercase', 'Math', 'Dash']
const SCRIPTS = 'Armenian Common Cyrillic Deseret Greek Han Hiragana Inherited Katakana Latin'.split(' ')

describe('regular expressions have the Unicode classes of JavaScript', () => {
  const pairs: [string, string][] = [
    ...[...CLASSES, ...MORE].map((name): [string, string] => [`\\p{${name}}`, `\\p{${name}}`]),
    ...SCRIPTS.map((name): [string, string] => [`\\p{${name}}`, `\\p{Script=${name}}`]),
    ['\\PL', '\\P{L}'],
    ['[^\\p{L}\\p{N}]', '[^\\p{L}\\p{N}]'],
  ]

  it.each(pairs)('%s', (re2, here) => {
    const match = matching('regex', `^${re2}$`)
    const same = new RegExp(`^${here}$`, 'u')
    expect(CHARACTERS.filter((one) => match(one))).toEqual(CHARACTERS.filter((one) => same.test(one)))
  })
})

describe('iregex folds letters as JavaScript does', () => {
  const letters = CHARACTERS.filter((one) => /^\p{L}$/u.test(one))

  it('for every letter', () => {
    const folded = (one: string) => letters.filter(matching('iregex', `^${one}$`))
    const same = (one: string) => letters.filter((other) => new RegExp(`^${one}$`, 'iu').test(other))
    const cased = letters.filter((one) => one.toLowerCase() !== one || one.toUpperCase() !== one)
    expect(cased.length).toBeGreaterThan(1000)
    expect(cased.map(folded)).toEqual(cased.map(same))
  })
})
