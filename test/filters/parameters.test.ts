import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { preparedText } from '../../src/engine/d1/sql.ts'

const rowsOf = (values: readonly unknown[]) =>
  preparedText(
    sql`SELECT column1 AS value, typeof(column1) AS type FROM (VALUES ${sql.join(
      values.map((value) => sql`(${value})`),
      sql`, `,
    )})`,
  )

describe('the parameters of a statement', () => {
  it('are bound one by one up to 100', () => {
    const values = Array.from({ length: 100 }, (_, i) => `${i}`)
    expect(rowsOf(values).parameters).toEqual(values)
  })

  it('are bound as JSON above 100, except long texts, and keep their exact numbers', async () => {
    const long = '"x"'.repeat(700)
    const some = (i: number) => [`"${i % 7}'\\`, i % 5, Math.sin(i) * 10 ** ((i % 30) - 15), -9007199254740991][i % 4]
    const values = [long, ...Array.from({ length: 400 }, (_, i) => some(i)), long, 1e300, 0.1, -0.5]
    const { sql: text, parameters } = rowsOf(values)
    expect(parameters.length).toBe(3)
    const { results } = await env.DB.prepare(text)
      .bind(...parameters)
      .all()
    expect(results).toEqual(values.map((value) => ({ value, type: typeof value === 'number' ? 'real' : 'text' })))
  })
})
