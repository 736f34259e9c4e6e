import { emptyAs } from '../model/body.ts'
import { metadataOf, titlesFault } from '../model/metadata.ts'
import type { Metadata } from '../model/types.ts'
import { changeMetadata } from '../store/series.ts'
import type { Writable } from '../store/writable.ts'
import { METADATA_MEMBERS, METADATA_VIEW, MORE } from './metadataView.ts'
import type { WritableResource } from './resource.ts'
import { eventSeriesV4 } from './series.ts'
import { seriesWritable } from './seriesWriting.ts'

type MetadataRow = { readonly id: number; readonly uuid: string; readonly metadata: string | null }

const writable: Writable = {
  ...seriesWritable,
  named: 'SeriesMetadata',
  types: ['application/json'],
  removing: {},
  fields: Object.fromEntries(
    METADATA_MEMBERS.map(({ name, kind, empty, schema }) => [name, { to: name, schema, read: emptyAs(empty, kind) }]),
  ),
  readOnly: [MORE.name],
  examples: {
    made: {
      source: 'Waterschap Voorbeeld',
      license: 'CC-BY-4.0',
      fields: [{ name: 'value', title: 'Volume', type: 'number', unit: 'm³' }],
    },
    changed: { license: 'CC-BY-4.0' },
  },
  faultOf: ({ fields = [] }: Partial<Metadata>) => {
    const fault = titlesFault(fields)
    return fault === null ? null : ['fields', fault]
  },
  merge: (stored, draft) => ({ ...stored, ...draft }),
  recordOf: (row: MetadataRow) => ({ ...metadataOf(row) }),
  keyOf: ({ uuid }: MetadataRow) => `${uuid}/metadata`,
  items: {
    change: ({ id }: MetadataRow, changes: Partial<Metadata>, writer) => changeMetadata(id, changes, writer),
  },
}

/** The description of each series, at the address of the series. */
export const seriesMetadata: WritableResource = {
  ...eventSeriesV4,
  itemName: 'Event Series Metadata',
  description: 'Where the data of the series comes from, and what the columns of its events mean.',
  controls: [],
  view: METADATA_VIEW,
  flat: METADATA_VIEW,
  schemas: {},
  writable,
}

/** The path of the description of a series, with its key. */
export const METADATA_PATH = `${eventSeriesV4.path}:key/metadata/`
