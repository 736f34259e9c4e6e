import { expect, it } from 'vitest'
import { decodeAnswer, encodeAnswer, inMemory } from '../../src/request/places.ts'

const bytes = (length: number) => new Uint8Array(length)

/** Returns the addresses of a memory that has at most 100 bytes and 3 entries. */
const heldAfter = async (uses: readonly (readonly [address: string, length: number | null])[]) => {
  const { load, store } = inMemory(100, 3)
  for (const [address, length] of uses) await (length === null ? load(address) : store(address, bytes(length), 1))
  const held = await Promise.all(['a', 'b', 'c', 'd'].map(async (address) => ((await load(address)) ? address : '')))
  return held.join('')
}

it.each<[string, [string, number | null][], string]>([
  ['nothing', [], ''],
  [
    'three entries',
    [
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ],
    'abc',
  ],
  [
    'a fourth entry',
    [
      ['a', 1],
      ['b', 1],
      ['c', 1],
      ['d', 1],
    ],
    'bcd',
  ],
  [
    'a fourth entry after the first was read',
    [
      ['a', 1],
      ['b', 1],
      ['c', 1],
      ['a', null],
      ['d', 1],
    ],
    'acd',
  ],
  [
    'a fourth entry after the first was stored again',
    [
      ['a', 1],
      ['b', 1],
      ['c', 1],
      ['a', 1],
      ['d', 1],
    ],
    'acd',
  ],
  [
    '100 bytes with the addresses',
    [
      ['a', 49],
      ['b', 49],
    ],
    'ab',
  ],
  [
    '101 bytes',
    [
      ['a', 49],
      ['b', 50],
    ],
    'b',
  ],
  [
    'a large entry after small ones',
    [
      ['a', 9],
      ['b', 9],
      ['c', 99],
    ],
    'c',
  ],
  ['an entry that is too large alone', [['a', 100]], ''],
  [
    'an entry that grows',
    [
      ['a', 9],
      ['b', 49],
      ['a', 90],
    ],
    'a',
  ],
])('a memory of 100 bytes and 3 entries, after %s, holds the last used', async (_, uses, held) => {
  expect(await heldAfter(uses)).toBe(held)
})

it.each([
  { headers: { Link: '<é>' }, body: 'a text\nof two lines, é', title: 'A title' },
  { headers: {}, body: '' },
  { headers: {}, body: new Uint8Array([0, 10, 255]) },
])('%j is equal after it was stored', (answer) => {
  expect(decodeAnswer(encodeAnswer(answer) ?? bytes(0))).toEqual(answer)
})

it('a document is stored as its JSON, and a stream is not stored', () => {
  expect(decodeAnswer(encodeAnswer({ headers: {}, body: { a: 1 } }) ?? bytes(0)).body).toBe('{"a":1}')
  expect(encodeAnswer({ headers: {}, body: new ReadableStream() })).toBe(null)
})
