import { INTEGER, record, UUID } from '../../formats/schema.ts'
import type { Included } from '../../resource.ts'
import { eventSeriesV3 } from './eventseries.ts'

const { schemas, item, serialize } = eventSeriesV3

/**
 * The series that a page of events can include. Each has the fields of its list, its uuid, and the id that events show.
 */
export const includedSeries: Included = {
  of: {
    ...eventSeriesV3,
    item: 'IncludedSeries',
    schemas: {
      IncludedSeries: record({ id: INTEGER, uuid: UUID, ...(schemas[item]?.properties as object) }),
    },
    serialize: (row, links) => ({ id: row.id, uuid: row.uuid, ...serialize(row, links) }),
  },
  referredBy: ({ series }) => series,
}
