import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { like, MAX_PARTS } from '../../src/cql2/like.ts'
import { textOf } from '../../src/filters/sql.ts'

/** Returns the answer of the database for each text: 1, 0 or null. */
const answers = async (texts: readonly (string | null)[], pattern: string): Promise<unknown[]> => {
  const { sql: text, parameters } = textOf(
    sql`SELECT ${like(sql`value`, pattern, 'here')} AS answer FROM json_each(${JSON.stringify(texts)})`,
  )
  const { results } = await env.DB.prepare(text)
    .bind(...parameters)
    .all<{ answer: number | null }>()
  return results.map(({ answer }) => answer)
}

/** Returns the answer of an obvious, slow method. */
const matches = (text: string | null, pattern: string): number | null => {
  const source = pattern.replaceAll(/\\.|./gsu, (character) => {
    if (character === '%') return '.*'
    if (character === '_') return '.'
    return [...character.replace(/^\\(?=.)/su, '')].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join('')
  })
  return text === null ? null : Number(new RegExp(`^${source}$`, 'su').test(text))
}

const LONG = 'M 2.4 - 81km WNW of Skagway, Alaska, and then some more text'

describe('LIKE', () => {
  it.each([
    ['%'],
    ['%%'],
    ['_%'],
    ['%_'],
    ['__'],
    [''],
    ['\\%'],
    ['\\_%'],
    ['\\\\'],
    ['a\\'],
    ['a%a%a'],
    ['%a_b%b_a%'],
    ['M 2._ - 81km WNW of Skagway, Alaska, and then some more text'],
    ['M 2._ - 81km WNW of Skagway, Alaska, and then some more tex'],
    ['%_ - 81km WNW of Skagway, Alaska, and then some more te__'],
    ['%k_ay, Alas_a, and then some more text that is not there%'],
    ['M%_81km WNW %of Skagway, Alaska, and th_n %some more%t'],
    ['a_'.repeat(200)],
    [`%${'a_'.repeat(200)}%`],
    [`${'_b'.repeat(200)}%${'a_'.repeat(100)}`],
  ])('%s matches as in plain TypeScript', async (pattern) => {
    const texts = [
      null,
      '',
      'a',
      'ab',
      'aa',
      'aba',
      'axbxbbxa',
      '%',
      '_',
      '_b',
      '\\',
      'a\\',
      '😀',
      'a😀b',
      '\n',
      LONG,
      'ab'.repeat(200),
      'ab'.repeat(300),
    ]
    expect(await answers(texts, pattern)).toEqual(texts.map((text) => matches(text, pattern)))
  })

  it(`a pattern with ${MAX_PARTS} parts is not slower than its parts one after the other`, async () => {
    const text = 'ab'.repeat(200)
    expect(await answers([text, text.slice(0, 198), null], `${'%a'.repeat(MAX_PARTS)}%`)).toEqual([1, 0, null])
    expect(await answers([text, text.slice(0, 198), null], `%${'b_%'.repeat(MAX_PARTS)}`)).toEqual([1, 0, null])
  })
})
