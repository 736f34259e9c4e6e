import { beforeAll, expect, it } from 'vitest'
import { foldWords } from '../../src/filters/fold.ts'
import { ask, freezeClock } from '../engine/cost.ts'
import { load } from '../service.ts'
import { eventOf, observationType, seriesOf } from './records.ts'

freezeClock()

/** Only hidden events have the word quake, in many texts. */
const HIDDEN = { series: 2, category: 'quake hidden', value: 'quake', object: { model: 'quake_sensor', id: 1 } }
beforeAll(() =>
  load([
    ...[observationType, seriesOf(1), seriesOf(2, { access_modifier: 300 })],
    ...Array.from({ length: 600 }, (_, i) => eventOf(i + 1, { value: `maria ${i % 7}`, category: 'flood' })),
    ...Array.from({ length: 3000 }, (_, i) => eventOf(10_001 + i, HIDDEN)),
  ]),
)

it('a word of hidden events reads as many rows as a word of no event', async () => {
  const rows = async (q: string) => (await ask({ query: { q } }, '/api/v3/events/')).rows
  await rows('warm')
  expect(await rows('quake')).toBe(await rows('nothing'))
})

it('folding a folded character changes nothing, and ASCII stays ASCII', () => {
  for (let code = 0; code < 0x30_000; code++) {
    const folded = foldWords(String.fromCodePoint(code))
    if (foldWords(folded) !== folded) expect.fail(code.toString(16))
    if (code < 0x80) expect(folded).toBe(String.fromCodePoint(code).toLowerCase())
  }
})
