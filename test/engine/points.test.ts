import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const PARAMETERS = 100 // of a statement

it('the database writes a double as a text with all its bits', async () => {
  const coordinate = fc.double({ min: -180, max: 180, noNaN: true })
  const decimal = fc.integer({ min: -180e7, max: 180e7 }).map((tenths) => tenths / 1e7)
  const double = fc.oneof(coordinate, decimal, fc.double({ noDefaultInfinity: true, noNaN: true }))
  const doubles = fc.array(double, { minLength: 1, maxLength: PARAMETERS })
  await fc.assert(
    fc.asyncProperty(doubles, async (sent) => {
      const values = sent.map(() => '(?)').join()
      const query = `SELECT group_concat(quote(column1)) AS list FROM (VALUES ${values})`
      const list = await env.DB.prepare(query)
        .bind(...sent)
        .first<string>('list')
      expect(JSON.parse(`[${list}]`).map((value: number) => value + 0)).toEqual(sent.map((value) => value + 0))
    }),
    { numRuns: 100 },
  )
})
