import { observationTypes as table } from '../../schema/tables.ts'
import { filterSet } from '../filters/filter.ts'
import { hasId, number } from '../filters/scalar.ts'
import { ADDRESS, INTEGER, NULL, orNull, record, STRING } from '../formats/schema.ts'
import type { RowOf } from '../query/table.ts'
import { plainFields, type Resource } from '../resource.ts'
import { writable } from './typeWriting.ts'

const columns = { id: table.id, code: table.code, name: table.name, unit: table.unit }
type TypeRow = RowOf<typeof columns>

/** Returns the list of observation types for a version. The series of that version refer to its items. */
const observationTypes = (path: string): Resource => ({
  path,
  name: 'Observation Type List',
  itemName: 'Observation Type Instance',
  description: 'The quantity or the kind of thing that the events of a series describe, and its unit.',
  table,
  id: table.id,
  columns,
  visible: () => null,
  filters: filterSet({ id: { ...number(table.id), about: 'The id of the observation type', example: 1 } }),
  orderings: { id: table.id, code: table.code, name: table.name },
  maxPageSize: 1000,
  key: { name: 'id', description: 'The id of the observation type.', schema: INTEGER, example: 1 },
  find: (key) => hasId(table.id, key),
  writable: writable(path),
  item: 'ObservationType',
  schemas: {
    ObservationType: record({ url: ADDRESS, id: INTEGER, code: STRING, name: STRING, unit: orNull(STRING) }),
  },
  serialize: (row: TypeRow, links) => ({
    url: links.to(`${path}${row.id}/`),
    id: row.id,
    code: row.code,
    name: row.name,
    unit: row.unit,
  }),
  fields: plainFields(['url', 'id', 'code', 'name', 'unit']),
  place: { of: (row: TypeRow) => ({ id: row.id, geometry: null }), schemas: { id: INTEGER, geometry: NULL } },
})

export const observationTypesV3 = observationTypes('/api/v3/observationtypes/')
export const observationTypesV4 = observationTypes('/api/v4/observationtypes/')
