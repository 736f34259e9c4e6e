import type { Schema } from '../filters/lookups.ts'
import type { FieldName } from '../question/fields.ts'
import type { ItemMember } from './members.ts'

/** What a form of items shows: named members, which follow from fields of their rows. */
export interface View {
  /** The name of its schema. */
  readonly name: string
  readonly schema: Schema
  /** True if an item is a feature of GeoJSON. The members are then its properties. */
  readonly isFeature: boolean
  readonly reads: readonly FieldName[]
  readonly members: readonly ItemMember[]
}
