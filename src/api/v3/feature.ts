import type { Schema } from '../../filters/lookups.ts'
import { ADDRESS, INTEGER, listOf, NUMBER, orNull, record, ref, STRING, TIMESTAMP } from '../../formats/schema.ts'
import type { EventRow } from './columns.ts'

/** Returns the geometry of an event. It is null for an event without a place. */
export const pointOf = ({ x, y, z }: Pick<EventRow, 'x' | 'y' | 'z'>): Point | null =>
  x === null || y === null ? null : { type: 'Point', coordinates: [x, y, z ?? 0] }

interface Point {
  type: 'Point'
  coordinates: [x: number, y: number, z: number]
}

/** Returns the object that an event happened to, or null. */
export const objectOf = ({ model, objectId }: Pick<EventRow, 'model' | 'objectId'>) =>
  model === null ? null : { type: model, id: objectId }

/** The schemas for the result of `serialize` of the events. */
export const FEATURE: Readonly<Record<string, Schema>> = {
  Feature: record(
    {
      id: INTEGER,
      type: { const: 'Feature' },
      geometry: orNull(ref('Point')),
      properties: record({
        category: STRING,
        value: STRING,
        url: ADDRESS,
        timestamp_start: TIMESTAMP,
        timestamp_end: TIMESTAMP,
        event_series: INTEGER,
        the_geom: orNull(ref('Point')),
        object: orNull(ref('ObjectReference')),
      }),
    },
    { description: 'An event, as a feature of GeoJSON.' },
  ),
  Point: record({
    type: { const: 'Point' },
    coordinates: { ...listOf(NUMBER, 3), description: 'Longitude and latitude in degrees, and z.' },
  }),
  ObjectReference: record(
    { type: { type: 'string', pattern: '^[a-z0-9_]+$' }, id: INTEGER },
    { description: 'The object that the event happened to.' },
  ),
}
