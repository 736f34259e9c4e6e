import { sql } from 'drizzle-orm'
import type { Download } from '../downloads.ts'
import type { Row } from '../engine/conditions/table.ts'
import type { Schema } from '../filters/lookups.ts'
import type { Links, Resource } from '../resource.ts'

/** The data of a list beside its items. */
export interface ListHead {
  /** The number of items that match. */
  readonly count: number
  /** The addresses of this page and of its neighbours. Null without a neighbour. */
  readonly self: string
  readonly next: string | null
  readonly previous: string | null
}

/**
 * Writes a list as texts: one before the items, one for each item, one between two items, one after the last. Only
 * `after` gets the number of items, because data may change during the transfer.
 */
export interface ItemWriter {
  readonly before: string
  readonly each: (row: Row) => string
  readonly between: string
  readonly after: (returned: number) => string
}

export type NamedSchema = readonly [name: string, schema: Schema]

/** A format that writes items one by one. A list of any length can then be sent while it is read. */
export interface ItemsFormat extends Download {
  /**
   * True for programs that read tables. Their items are flat, and links in them do not repeat the parameter `format`.
   */
  readonly flat?: true
  readonly list: (resource: Resource, links: Links, head: ListHead) => ItemWriter
  readonly item: (resource: Resource, links: Links, row: Row) => string
  /** Returns the names and schemas of a list and an item. */
  readonly schemas: (resource: Resource) => { readonly list: NamedSchema; readonly item: NamedSchema }
}

/** Returns a list with the columns and joins that a format needs. */
export const readFor = (resource: Resource, flat: boolean): Resource =>
  flat && resource.flat !== undefined
    ? {
        ...resource,
        columns: { ...resource.columns, ...resource.flat.columns },
        joins: sql`${resource.joins ?? sql``} ${resource.flat.joins ?? sql``}`,
      }
    : resource

/** Writes items as the last member of a JSON object. `head` has its other members. */
export const jsonWriter = (head: object, member: string, write: (row: Row) => object): ItemWriter => ({
  before: `${JSON.stringify(head).slice(0, -1)},"${member}":[`,
  each: (row) => JSON.stringify(write(row)),
  between: ',',
  after: () => ']}',
})

/** Writes items as one text. `more` is true if other items precede them. */
export const writeItems = ({ each, between }: ItemWriter, rows: readonly Row[], more = false): string =>
  rows.length === 0 ? '' : (more ? between : '') + rows.map(each).join(between)

/** Writes a whole list as one text. */
export const writeList = (writing: ItemWriter, rows: readonly Row[]): string =>
  writing.before + writeItems(writing, rows) + writing.after(rows.length)
