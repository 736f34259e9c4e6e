import { EVENT } from '../../src/model/event.ts'
import { membersOf, storedIn } from '../../src/model/members.ts'

/** The usual names of columns for a place, for its parts, and for the parts of an object. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  x: ['longitude', 'lon', 'lng', 'long', 'x', 'lengtegraad'],
  y: ['latitude', 'lat', 'y', 'breedtegraad'],
  z: ['z'],
  place: ['wkt', 'geometry', 'geom', 'geo_point_2d', 'geo_point', 'geopoint'],
  model: ['object_type', 'object_model'],
  object_id: ['object_id'],
}
/** The fields that have a column or a member of their own. */
export const FIELDS = storedIn(EVENT).filter(({ parts, stamped }) => parts.length === 1 && !stamped)
/** The usual names of each field, most likely first. */
export const USUAL: ReadonlyMap<string, readonly string[]> = new Map([
  ...FIELDS.map(({ name, usual = [name] }) => [name, usual] as const),
  ...Object.entries(PARTS),
])
export const usualOf = (field: string): readonly string[] => USUAL.get(field) ?? [field]

/** The options that name the columns of fields. */
export const COLUMN_OPTIONS = {
  x: 'x',
  y: 'y',
  z: 'z',
  place: 'place',
  start: 'start',
  end: 'end',
  category: 'category',
  value: 'value',
  id: 'id',
  model: 'object-type',
  object_id: 'object-id',
}

/** The names of the fields of an event in a file. Absent: the usual names apply. */
export type FieldNames = Readonly<Record<string, string | undefined>>

/** The column or member of rejected records that says why. */
export const REASON = 'load_fault'

const READ = new Set([...USUAL.values()].flat())

/** Columns and members of the project that are not fields of an event. */
export const SHOWN: readonly string[] = [
  'url',
  'the_geom',
  'value_number',
  REASON,
  ...membersOf(EVENT, 'flat').flatMap(({ name }) => (READ.has(name) ? [] : [name])),
]

/** Returns true if the names show that the event list wrote the file. */
export const isOwn = (names: readonly string[]): boolean =>
  names.includes('timestamp_start') && names.includes('event_series') && names.includes('url')
