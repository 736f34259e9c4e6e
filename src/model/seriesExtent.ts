import { eventSeries as table } from '../../schema/tables.ts'
import { MILLISECONDS } from '../filters/temporal.ts'
import { as, derivedField, type Fields } from './field.ts'
import { iso, nullable, plain, timestamp } from './forms.ts'
import { INTEGER, NUMBER, ref } from './schema.ts'

/** The fields that a series derives from its events. They are null without events. */
export const EXTENT = {
  start: derivedField(
    { start: table.start },
    ({ start }) => start,
  )({
    on: {
      v3: as('first_value_timestamp', nullable(timestamp)),
      v4: as('start', nullable(iso(MILLISECONDS))),
      flat: as('first_value_timestamp', nullable(iso(MILLISECONDS))),
      ogc: as('start', nullable(iso(MILLISECONDS)), { role: 'primary-interval-start' }),
      ...{ tile: null, file: null },
    },
    title: 'Earliest start',
    order: { v3: null, v4: 'start', column: table.start, rank: 1 },
  }),
  end: derivedField(
    { end: table.end },
    ({ end }) => end,
  )({
    on: {
      v3: as('last_value_timestamp', nullable(timestamp)),
      v4: as('end', nullable(iso(MILLISECONDS))),
      flat: as('last_value_timestamp', nullable(iso(MILLISECONDS))),
      ogc: as('end', nullable(iso(MILLISECONDS)), { role: 'primary-interval-end' }),
      ...{ tile: null, file: null },
    },
    title: 'Latest end',
    order: { v3: null, v4: 'end', column: table.end, rank: 1 },
  }),
  event_count: derivedField(
    {},
    () => null,
  )({
    joined: { count: table.eventCount },
    on: {
      ...{ v3: null, v4: null, flat: null, tile: null, file: null },
      ogc: [
        {
          ...{ name: 'event_count', schema: INTEGER },
          write: (_, { count }) => count,
          property: { kind: 'integer', column: table.eventCount },
        },
      ],
    },
    title: 'Number of events',
  }),
  bounds: derivedField(
    { west: table.west, east: table.east, north: table.north, south: table.south },
    ({ west, east, north, south }) =>
      west === null || east === null || north === null || south === null ? null : { west, east, north, south },
  )({
    on: {
      v3: as('spatial_bounds', nullable(plain(ref('Bounds')))),
      flat: [
        { name: 'west', schema: NUMBER, nullable: true, write: (_, { west }) => west },
        { name: 'east', schema: NUMBER, nullable: true, write: (_, { east }) => east },
        { name: 'north', schema: NUMBER, nullable: true, write: (_, { north }) => north },
        { name: 'south', schema: NUMBER, nullable: true, write: (_, { south }) => south },
      ],
      ...{ v4: null, ogc: null, tile: null, file: null },
    },
    title: 'Bounds',
  }),
} satisfies Fields
