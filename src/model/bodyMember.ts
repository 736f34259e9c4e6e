import type { SQL } from 'drizzle-orm'
import type { Schema } from '../filters/lookups.ts'

/** How clients write a field. The defaults follow from its kind. */
export interface BodyMember {
  /**
   * Throws ValueError with what to enter. Returns undefined for a value that counts as omitted. By default, the kind of
   * the field reads the value. Null and the empty text then clear a field that is not required.
   */
  readonly read?: (value: unknown) => unknown
  /** The schema of a value, in the form that clients should send. */
  readonly schema: Schema
  /** The path in an item. By default it is the name of the field in the properties. */
  readonly path?: string
  readonly required?: boolean
  /** True if only a new item sets it. A change may repeat it. */
  readonly once?: boolean
  /** True if PUT keeps it when the body omits it. Otherwise PUT clears it. */
  readonly stays?: boolean
  /** True if a POST over a stored item may change it together with another field. PATCH keeps it. */
  readonly follows?: boolean
  /** The maximum number of characters of a new text. A stored text may be longer, and a body may repeat it. */
  readonly most?: number
  /** The path of the text in a record, such as `object.model`. By default it is the name of the field. */
  readonly text?: string
  readonly lookup?: NameLookup
}

/** The search for the row that a value names. */
export interface NameLookup {
  /**
   * Returns the query for the rows of these values, a JSON array. Each row has the value as `given`, and its `id`. Only
   * rows count that a caller of this level can see.
   */
  readonly query: (values: string, level: number) => SQL
  readonly message: (value: unknown) => string
  /** True if the value must be new. An existing value, or one that is given twice, is then a mistake. */
  readonly fresh?: boolean
}
