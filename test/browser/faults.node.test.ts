import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inEnglish, MESSAGES } from '../../src/base/messages.ts'
import type { Pairs } from '../../src/web/state/text.ts'
import { appTexts, itemTexts } from '../../src/web/state/texts/app.ts'
import { editorPairs } from '../../src/web/state/texts/editor.ts'
import { DUTCH } from '../../src/web/state/texts/faults.ts'
import { formTexts, listTexts } from '../../src/web/state/texts/list.ts'

const valuesIn = (text: string): string[] => text.match(/\{\d\}/g) ?? []

it.each(Object.entries(DUTCH))('%s has a message in Dutch with the values of the English one', (code, dutch) => {
  const english = new Map<string, string>(Object.entries(MESSAGES)).get(code) ?? ''
  // The place of a ring has its number.
  const given = code === 'openRing' ? ['{0}', '{1}', '{2}', '{3}'] : valuesIn(english)
  expect(given).toEqual(expect.arrayContaining(valuesIn(dutch)))
})

it('the values stand in the message, and braces of other texts stay', () => {
  expect(inEnglish(['integerBetween', 1, 10_000])).toBe('Enter a whole number from 1 to 10000.')
  expect(inEnglish(['largePattern'])).toContain('{0,100}')
})

it('each fault of a filter has a code', () => {
  const folder = join(import.meta.dirname, '../../src/filters')
  const plain = readdirSync(folder).filter((file) =>
    readFileSync(join(folder, file), 'utf8').includes('new ValueError'),
  )
  expect(plain).toEqual([])
})

const pairsIn = (texts: Pairs): unknown[][] =>
  Object.values(texts).flatMap((each) => (Array.isArray(each) ? [each] : pairsIn(each as Pairs)))

it('a text of the page has as many values in Dutch as in English', () => {
  for (const [english, dutch] of [appTexts, editorPairs, formTexts, itemTexts, listTexts].flatMap(pairsIn))
    expect([english, String(dutch).split('{}').length]).toEqual([english, String(english).split('{}').length])
})
