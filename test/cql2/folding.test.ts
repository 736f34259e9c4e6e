import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldedFor } from '../../src/cql2/folding.ts'
import { fold } from '../../src/filters/fold.ts'

const dialect = new SQLiteSyncDialect()

/** What the database says of a text in a column: whether it is another, and whether it is like it. */
const isSame = async (column: string, text: string): Promise<[boolean, boolean]> => {
  const folded = foldedFor(sql`column1`, [text])
  const query = dialect.sqlToQuery(
    sql`SELECT ${folded} = ${text} AS same, instr(${folded}, ${text}) > 0 AS has FROM (VALUES (${column}))`,
  )
  const row = await env.DB.prepare(query.sql)
    .bind(...query.params)
    .first<{ same: number; has: number }>()
  return [row?.same === 1, row?.has === 1]
}

describe('a column compared in whatever case', () => {
  it.each([
    ['Hello', 'hello'],
    ['straße', 'STRASSE'],
    ['straße', 'straẞe'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['ﬃ', 'FFI'],
    ['ſo', 'SO'],
    ['ı', 'I'],
    ['µm', 'ΜM'],
    ['Dürre', 'DÜRRE'],
    ['𐐨', '𐐀'],
    ['', ''],
  ])('%s and %s', async (column, other) => {
    for (const text of [fold(other), other])
      expect(await isSame(column, text)).toEqual([fold(column) === text, fold(column).includes(text)])
  })

  const letters = fc.constantFrom(...'aAbBıIiſsSßẞéÉσςΣµΜμ1%_жЖ')
  const words = fc.string({
    unit: fc.oneof(letters, letters, fc.string({ unit: 'binary', maxLength: 1 })),
    maxLength: 5,
  })
  it('is what folding the whole text makes of it', async () => {
    const plain = words.filter((text) => text.isWellFormed() && !text.includes('\0'))
    await fc.assert(
      fc.asyncProperty(plain, plain, fc.boolean(), async (column, other, folds) => {
        const text = folds ? fold(other) : other
        expect(await isSame(column, text)).toEqual([fold(column) === text, fold(column).includes(text)])
      }),
      { numRuns: 300 },
    )
  })

  it('takes no more letters than the database takes depths', () => {
    expect(foldedFor(sql`x`, ['ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩ'])).toBeNull()
  })
})
