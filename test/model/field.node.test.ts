import { expect, it } from 'vitest'
import { events as table } from '../../schema/tables.ts'
import { as, everywhere, field, nullable, plain } from '../../src/model/declare.ts'
import * as kinds from '../../src/model/kinds.ts'
import { INTEGER } from '../../src/model/schema.ts'

const integer = plain<number>(INTEGER)

/** A nullable integer, as a model declares it. The mistakes below change one member of it. */
const declared = {
  columns: { objectId: table.objectId },
  kind: kinds.nullable(kinds.integer('an integer')),
  get: (row: { readonly objectId: number | null }) => row.objectId,
  put: (value: number | null) => ({ objectId: value }),
  on: everywhere('object_id', nullable(integer)),
  told: { title: ['A number', 'Een getal'] } as const,
}

it('a correct field compiles', () => {
  const { get, put } = field(declared)
  expect([get({ objectId: 3 }), put(null)]).toEqual([3, { objectId: null }])
})

// `npm run check` fails if one of these compiles.
it('the compiler rejects a field with one mistake', () => {
  const { v3, v4, flat, ogc, file } = declared.on
  const rejected = [
    // @ts-expect-error tiles are missing
    field({ ...declared, on: { v3, v4, flat, ogc, file } }),
    // @ts-expect-error `put` misses a column
    field({ ...declared, put: () => ({}) }),
    // @ts-expect-error `get` returns another type
    field({ ...declared, get: () => 'a text' }),
    // @ts-expect-error the form cannot write the null of the column
    field({ ...declared, on: { ...declared.on, v3: as('object_id', integer) } }),
  ]
  expect(rejected).toHaveLength(4)
})
