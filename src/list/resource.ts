import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { FilterSet } from '../filters/filter.ts'
import type { Row, Table, Ways } from '../page/table.ts'
import type { Writable } from '../write/writable.ts'
import type { Links } from './links.ts'

/** A published list: everything that sets it apart from the others. What they share is in this folder. */
export interface Resource extends Table {
  /** From the root, with both slashes. */
  readonly path: string
  readonly name: string
  readonly itemName: string
  readonly description: string
  readonly filters: FilterSet
  /** The names that `ordering` takes. */
  readonly orderings: Readonly<Record<string, SQLWrapper>>
  readonly maxPageSize: number
  /** The row, or the rows at most, that the last part of an item's address names; null where it can be no name. */
  readonly find: (key: string) => SQL | null
  readonly serialize: (row: Row, links: Links) => object
  /** How it is written; absent where it is only read. */
  readonly writable?: Writable
}

/** A list too long to be read whole. */
export interface LongResource extends Resource {
  readonly ways: Ways
}
