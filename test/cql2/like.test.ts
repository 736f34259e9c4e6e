import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { like } from '../../src/engine/d1/like.ts'
import { preparedText } from '../../src/engine/d1/sql.ts'

/** Returns the answer of the database for each text: 1, 0 or null. */
const answers = async (texts: readonly (string | null)[], pattern: string): Promise<unknown[]> => {
  const { sql: text, parameters } = preparedText(
    sql`SELECT ${like(sql`value`, pattern)} AS answer FROM json_each(${JSON.stringify(texts)})`,
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
    ['M 2._ - 81km WNW of Skagway, Alaska, and %'],
    ['%_ - 81km WNW of Skagway, % some more te__'],
    ['M %81km WNW of Skagway, Alaska, and%then some more text'],
    ['M %81km WNW of Skagway, Alaska, and%then some more tex'],
    ['%Skagway%M %'],
    ['M 2.4 %M 2.4 -%'],
    ['%text%more text'],
    [`%${'ab'.repeat(250)}%ab%`],
    [`${'ab'.repeat(100)}%${'ab'.repeat(100)}`],
    [`${'ab'.repeat(100)}%${'ab'.repeat(101)}`],
    ['%_'.repeat(6)],
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

  it('a pattern with 20 texts is not slower than its texts one after the other', async () => {
    const text = 'ab'.repeat(20)
    expect(await answers([text, text.slice(0, 38), null], `${'%a'.repeat(20)}%`)).toEqual([1, 0, null])
    expect(await answers([text, text.slice(0, 38), null], `%${'b%'.repeat(20)}`)).toEqual([1, 0, null])
  })
})
