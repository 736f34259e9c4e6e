import { INTEGER, record, UUID } from '../../formats/schema.ts'
import type { Included } from '../../resource.ts'
import { eventSeriesV3 } from './eventseries.ts'

const { schemas, item, serialize } = eventSeriesV3

/** The series of events, put beside them: as their list has them, with the id that events refer to and the uuid. */
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
