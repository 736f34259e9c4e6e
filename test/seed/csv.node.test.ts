import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RowSplitter } from '../../seed/read/csv.ts'

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ', '1'), maxLength: 5 })
const end = fc.constantFrom('\r\n', '\n', '\r')
/** A row has a first cell that is not empty, because csv-parse may leave out a blank line at the end. */
const rows = fc.array(fc.tuple(fc.array(cell, { maxLength: 4 }), end), { minLength: 1, maxLength: 8 })
const written = (cells: readonly string[]) =>
  ['x', ...cells].map((each) => (/["\r\n,]/.test(each) ? `"${each.replaceAll('"', '""')}"` : each)).join(',')

it('rows in pieces of any size are the rows that csv-parse reads, with the lines where they begin', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 9 }), (lines, size) => {
      const text = lines.map(([cells, eol]) => written(cells) + eol).join('')
      const splitter = new RowSplitter({ delimiter: ',', isQuoted: true }, 1)
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const found = [...pieces.flatMap((piece) => [...splitter.add(piece, false)]), ...splitter.add('', true)]
      const expected: string[][] = parse(text, { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true })
      expect(found.map(({ cells }) => cells)).toEqual(expected)
      let before = ''
      for (const [i, [cells, eol]] of lines.entries()) {
        expect(found[i]?.line).toBe(1 + (before.match(/\r\n|\r|\n/g)?.length ?? 0))
        before += written(cells) + eol
      }
    }),
    { numRuns: 500 },
  )
})
