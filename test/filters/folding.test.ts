import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldedFor } from '../../src/engine/d1/fold.ts'
import { preparedText } from '../../src/engine/d1/sql.ts'
import { caseFold, fold } from '../../src/filters/fold.ts'
import { splitRows } from '../tags.ts'

/**
 * Returns three answers of the database about a folded column: whether it equals a text, whether it contains the text,
 * and its length.
 */
const answers = async (column: string | null, text: string, folding = caseFold): Promise<unknown[]> => {
  const sqlFor = (folded: unknown) =>
    sql`json_array(${folded} = ${text}, instr(${folded}, ${text}) > 0, length(${folded}))`
  const answersOf = (exact: boolean) => foldedFor(folding, sql`column1`, [text], exact, sqlFor)
  const { sql: query, parameters } = preparedText(
    sql`SELECT ${answersOf(true)} AS answers, ${answersOf(false)} AS others FROM (VALUES (${column}))`,
  )
  const row = await env.DB.prepare(query)
    .bind(...parameters)
    .first<{ answers: string; others: string }>()
  const found = JSON.parse(row?.answers ?? '')
  expect(JSON.parse(row?.others ?? '').slice(0, 2)).toEqual(found.slice(0, 2))
  return found
}

const expected = (column: string | null, text: string, folding = caseFold) => {
  if (column === null) return [null, null, null]
  const folded = folding(column)
  return [Number(folded === text), Number(folded.includes(text)), [...folded].length]
}

describe('CASEI of a column', () => {
  it.each<[column: string | null, other: string]>([
    ['Hello', 'hello'],
    ['Hello', 'Hello'],
    ['straße', 'STRASSE'],
    ['straße', 'straße'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['ﬃ', 'FFI'],
    ['ŉ', 'n'],
    ['ı', 'I'],
    ['İ', 'i'],
    ['µm', 'ΜM'],
    ['Dürre', 'DÜRRE'],
    ['𐐨', '𐐀'],
    ['', ''],
    [null, 'a'],
    ['ΑΒΓДЕЖ ß', 'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩ'],
  ])('%s, compared with %s', async (column, other) => {
    for (const text of [caseFold(other), other]) expect(await answers(column, text)).toEqual(expected(column, text))
  })

  const letters = fc.constantFrom(...'aAbBıIİiſsSßẞéÉσςΣµΜμ1%_жЖﬁŉǰ')
  const words = fc.string({
    unit: fc.oneof(letters, letters, fc.string({ unit: 'binary', maxLength: 1 })),
    maxLength: 5,
  })
  for (const [options, [numRuns = 0]] of splitRows(2, [20, 200]))
    it('equals the case folding of the whole text', options, async () => {
      const plain = words.filter((text) => text.isWellFormed() && !text.includes('\0'))
      await fc.assert(
        fc.asyncProperty(plain, plain, fc.boolean(), async (column, other, folds) => {
          const text = folds ? caseFold(other) : other
          expect(await answers(column, text)).toEqual(expected(column, text))
          const upper = fold(other)
          expect(await answers(column, upper, fold)).toEqual(expected(column, upper, fold))
        }),
        { numRuns },
      )
    })

  it('is refused for more letters than a filter may have', () => {
    const letters = Array.from({ length: 2_000 }, (_, i) => String.fromCodePoint(0xc0 + i)).join('')
    expect(foldedFor(caseFold, sql`x`, [letters], false, (folded) => folded)).toBeNull()
  })
})
