import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inEnglish, MESSAGES } from '../../src/messages.ts'
import { DUTCH } from '../../src/web/state/texts/faults.ts'

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
