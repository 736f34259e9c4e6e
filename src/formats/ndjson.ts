import { DOWNLOADS } from '../downloads.ts'
import { jsonFields } from './fields.ts'
import type { ItemsFormat } from './items.ts'

/** Newline-delimited JSON. Each line is an item as in `results`. */
export const ndjson: ItemsFormat = {
  ...DOWNLOADS.ndjson,
  list: ({ serialize }, links) => ({ before: '', each: (row) => `${JSON.stringify(serialize(row, links))}\n` }),
  fields: jsonFields,
  schemas: ({ item }) => {
    const schema = { type: 'string', description: `Each line is a ${item}.`, pattern: '^(\\{.*\\}\\n)*$' }
    const lines = { [`${item}Lines`]: schema }
    return { list: lines, item: lines }
  },
}
