import { INTEGER, listOf, orNull, record } from '../base/schema.ts'
import { bodyFields } from '../model/body.ts'
import { isObject } from '../model/kinds.ts'
import { defaultsOf, recordOf, rowOf } from '../model/members.ts'
import { OBSERVATION_TYPE } from '../model/observationType.ts'
import type { ObservationTypeRecord } from '../store/records.ts'
import { addTypes } from '../store/series.ts'
import type { Writable } from '../store/writable.ts'
import { idIn, listOfFields, type Resource, urlIn } from './resource.ts'

/** Reads the code of an item. A GeoJSON feature has it in its properties. */
const codeOf = (item: unknown): string | null => {
  if (!isObject(item)) return null
  const { code } = item.type === 'Feature' && isObject(item.properties) ? item.properties : item
  return typeof code === 'string' && code.isWellFormed() ? code : null
}

/** How clients create observation types. They cannot change one, and each code belongs to one type. */
const writable = (path: string): Writable => ({
  table: 'observation_type',
  types: ['application/json', 'application/geo+json'],
  inFeatures: true,
  fields: bodyFields(OBSERVATION_TYPE, 'v4', ''),
  readOnly: ['url', 'id'],
  examples: { made: { code: 'water_level', name: 'Water level', unit: 'm' } },
  faultOf: () => null,
  complete: (draft) =>
    ({ ...defaultsOf(OBSERVATION_TYPE), ...draft, kind: 'observation_type', id: 0 }) as ObservationTypeRecord, // the draft has the required members
  merge: (stored, draft) => ({ ...stored, ...draft }),
  identity: {
    member: 'code',
    nameOf: codeOf,
    rows: 'typesByCode',
    pathOf: ({ id }) => `${path}${id}/`,
    isFinal: true,
  },
  rowOf: rowOf(OBSERVATION_TYPE),
  recordOf: recordOf<ObservationTypeRecord>('observation_type', OBSERVATION_TYPE),
  several: (records) => ({ ids: records.map(({ id }) => id) }),
  idsSchema: record({ ids: listOf(INTEGER) }),
  keyOf: ({ id }) => String(id),
  add: addTypes,
})

/** Returns the list of observation types for a version. The series of that version refer to its items. */
const observationTypes = (version: 'v3' | 'v4'): Resource => {
  const path = `/api/${version}/observationtypes/`
  const url = urlIn<{ readonly id: number }>(path, ({ id }) => id)
  return {
    ...listOfFields(OBSERVATION_TYPE, version, 'ObservationType', path, url),
    name: 'Observation Type List',
    itemName: 'Observation Type Instance',
    description: 'The quantity or the kind of thing that the events of a series describe, and its unit.',
    list: 'types',
    maxPageSize: 1000,
    key: { name: 'id', description: 'The id of the observation type.', schema: INTEGER, example: 1 },
    find: idIn,
    writable: writable(path),
    place: {
      of: ({ id }: { readonly id: number }) => ({ id, geometry: null }),
      schemas: { id: INTEGER, geometry: { ...orNull({ type: 'object' }), const: null } },
    },
  }
}

export const observationTypesV3 = observationTypes('v3')
export const observationTypesV4 = observationTypes('v4')
