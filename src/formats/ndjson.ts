import { DOWNLOADS } from '../downloads.ts'
import type { Row } from '../engine/conditions/table.ts'
import type { Links, Resource } from '../resource.ts'
import { jsonFields } from './fields.ts'
import type { ItemsFormat } from './items.ts'

/** Newline-delimited JSON. Each line is an item as in `results`. */
export const ndjson: ItemsFormat = {
  ...DOWNLOADS.ndjson,
  list: (resource, links) => ({ before: '', each: lineOf(resource, links), between: '', after: () => '' }),
  item: (resource, links, row) => lineOf(resource, links)(row),
  fields: jsonFields,
  schemas: ({ item }) => {
    const lines = [`${item}Lines`, { type: 'string', description: `Each line is a ${item}.`, pattern: LINES }] as const
    return { list: lines, item: lines }
  },
}

const LINES = '^(\\{.*\\}\\n)*$'

const lineOf =
  ({ serialize }: Resource, links: Links) =>
  (row: Row): string =>
    `${JSON.stringify(serialize(row, links))}\n`
