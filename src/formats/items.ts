import { sql } from 'drizzle-orm'
import type { Schema } from '../filters/lookups.ts'
import type { Links } from '../http/links.ts'
import type { Row } from '../query/table.ts'
import type { Resource } from '../resource.ts'

/** What is said of a list beside its items. */
export interface ListHead {
  /** How many items match. */
  readonly count: number
  /** The addresses of this answer and of the pages beside it. */
  readonly self: string
  readonly next: string | null
  readonly previous: string | null
}

/**
 * Writes the items of a list: a text before them, one for each, one between two, one after the last. Only `after` gets the
 * number of items, as data may change while a list is sent.
 */
export interface Writing {
  readonly before: string
  readonly each: (row: Row) => string
  readonly between: string
  readonly after: (returned: number) => string
}

export type Named = readonly [name: string, schema: Schema]

/** A way to write items one by one, so that a list of any length can be sent as it is read. */
export interface ItemsFormat {
  readonly contentType: string
  /** Of a file that holds such an answer. */
  readonly extension: string
  /** It is made for programs that read tables: items are flat, and their addresses lead to what they are, in no format. */
  readonly flat?: true
  readonly list: (resource: Resource, links: Links, head: ListHead) => Writing
  readonly item: (resource: Resource, links: Links, row: Row) => string
  /** What lists and items look like, by the names of their schemas. */
  readonly schemas: (resource: Resource) => { readonly list: Named; readonly item: Named }
}

/** A list as it is read for a format. */
export const readFor = (resource: Resource, flat: boolean): Resource =>
  flat && resource.flat !== undefined
    ? {
        ...resource,
        columns: { ...resource.columns, ...resource.flat.columns },
        joins: sql`${resource.joins ?? sql``} ${resource.flat.joins ?? sql``}`,
      }
    : resource

/** Items as one text, or a part of them: `more` if others were written before. */
export const writeItems = ({ each, between }: Writing, rows: readonly Row[], more = false): string =>
  rows.length === 0 ? '' : (more ? between : '') + rows.map(each).join(between)

/** A whole list as one text. */
export const writeList = (writing: Writing, rows: readonly Row[]): string =>
  writing.before + writeItems(writing, rows) + writing.after(rows.length)
