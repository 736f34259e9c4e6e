import type { ItemMember } from '../model/members.ts'
import { METADATA_KINDS, metadataOf } from '../model/metadata.ts'
import { orNull, UUID } from '../model/schema.ts'
import type { Metadata } from '../model/types.ts'
import { objectView } from './list.ts'

/** The members of a description that clients write. */
export const METADATA_MEMBERS = Object.entries(METADATA_KINDS).map(([name, { about, kind, empty }]) => {
  const schema = { ...kind.schema, ...kind.sent?.schema, description: about }
  return { name, kind, empty, schema: empty === null ? orNull(schema) : schema }
})

export const MORE = {
  name: 'more',
  schema: { type: 'boolean', description: 'True if the events have further fields.' },
}

type MetadataRow = { readonly uuid: string; readonly metadata: string | null }

const MEMBERS = [...METADATA_MEMBERS, MORE].map(({ name, schema }): ItemMember => {
  const member = name as keyof Metadata // each is one
  return { name, schema, write: (row: MetadataRow) => metadataOf(row)[member] }
})

/** The description of a series, at its own address. */
export const METADATA_VIEW = objectView('SeriesMetadata', ['id', 'uuid', 'metadata'], MEMBERS)

const OWNER: ItemMember = { name: 'uuid', schema: UUID, write: ({ uuid }: MetadataRow) => uuid }

/** A page of series can include the description of each. */
export const INCLUDED_METADATA = objectView('IncludedMetadata', ['uuid', 'metadata'], [OWNER, ...MEMBERS])
