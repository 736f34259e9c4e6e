import { ACCESS_LEVELS } from '../base/access.ts'
import { INTEGER, NUMBER, orNull, ref, STRING, TIMESTAMP, UUID } from '../base/schema.ts'
import { number } from '../filters/numbers.ts'
import { canonicalUuid, choice, uuid as uuidFilter } from '../filters/references.ts'
import { instant, MILLISECONDS } from '../filters/temporal.ts'
import { text } from '../filters/text.ts'
import { everywhere, type Fields, named } from './field.ts'
import * as kinds from './kinds.ts'
import { TYPE_OF_SERIES } from './observationType.ts'
import type { SeriesRow } from './types.ts'

const SHORT_TABLE = 'the table of series is short'

const { schema: ACCESS } = kinds.accessLevel
const ISO = { ...kinds.iso(MILLISECONDS), nullable: true }
const SIDES = ['west', 'east', 'north', 'south'] as const
const NULLABLE_NUMBER = { schema: NUMBER, nullable: true }

/** Shows a limit of the times of the events under its names on all surfaces. */
const limitOn = (limit: 'first' | 'last', name: 'start' | 'end') => ({
  v3: [{ name: `${limit}_value_timestamp`, schema: TIMESTAMP, nullable: true }],
  v4: [{ name, ...ISO }],
  flat: [{ name: `${limit}_value_timestamp`, ...ISO }],
  ogc: [{ name, role: `primary-interval-${name}`, ...ISO }],
})

export const SERIES = {
  id: {
    told: { title: ['Id', 'Id'], group: 'more' },
    kind: kinds.positive('a positive integer'),
    on: { file: 'id' },
    filters: [named({ v3: 'id' }, number('id'), { about: 'The id of the series', example: 5, rank: 1 })],
    orders: [{ v3: 'id', v4: 'id' }],
  },
  uuid: {
    told: { title: ['Uuid', 'Uuid'], group: 'more', column: 3 },
    kind: kinds.uuid,
    on: {
      v4: 'uuid',
      ogc: [{ name: 'uuid', property: { field: 'uuid', canonical: canonicalUuid } }],
      file: 'uuid',
    },
    filters: [
      named('uuid', uuidFilter('uuid'), {
        about: 'The uuid of the series',
        example: '99fe5d03-893d-5b20-8244-b9189db33e37',
      }),
    ],
    body: {
      schema: { ...orNull(UUID), description: 'Without a value, the series gets a new uuid.' },
      once: true,
      lookup: {
        rows: 'seriesByUuid',
        message: () => 'Another series has this uuid. Leave it out to get a new one.',
        fresh: true,
      },
    },
  },
  name: {
    told: { title: ['Name', 'Naam'], group: 'what', column: 1 },
    kind: kinds.text('a text', kinds.MAX_NAME),
    on: { ...everywhere('name'), tile: [] },
    filters: [named('name', text('name'), { about: 'The name of the series', example: 'Zomertijd Nederland' })],
    orders: [{ v3: 'name', v4: 'name' }],
    body: { required: true },
  },
  description: {
    told: { title: ['Description', 'Beschrijving'], group: 'what', column: 2 },
    kind: kinds.text('a text, which may be empty'),
    otherwise: '',
    on: { ...everywhere('description'), tile: [] },
    body: {},
  },
  ...TYPE_OF_SERIES,
  statistic: {
    told: { title: ['Statistic', 'Statistiek'], group: 'what', column: 3 },
    kind: kinds.text('a text, such as "raw"'),
    otherwise: 'raw',
    on: { ...everywhere('statistic'), ogc: [{ name: 'statistic', rank: 1 }], tile: [] },
    body: {},
  },
  color: {
    told: { title: ['Colour', 'Kleur'], group: 'more', column: 3, display: 'color' },
    kind: kinds.color,
    on: { ...everywhere('color'), ogc: [{ name: 'color', schema: STRING, rank: 1 }], tile: [] },
    body: { empty: null },
  },
  start: {
    told: { title: ['Earliest start', 'Vroegste begin'], group: 'when', column: 1 },
    on: limitOn('first', 'start'),
    orders: [{ v3: null, v4: 'start', rank: 1 }],
  },
  end: {
    told: { title: ['Latest end', 'Laatste eind'], group: 'when', column: 1 },
    on: limitOn('last', 'end'),
    orders: [{ v3: null, v4: 'end', rank: 1 }],
  },
  event_count: {
    told: { title: ['Number of events', 'Aantal gebeurtenissen'], group: 'what', column: 1 },
    parts: [],
    on: { ogc: [{ name: 'event_count', schema: INTEGER, part: 'event_count' }] },
  },
  bounds: {
    told: { title: ['Bounds', 'Grenzen'], group: 'where', column: 2, display: 'bounds' },
    parts: SIDES,
    get: ({ west, east, north, south }: SeriesRow) =>
      west === null || east === null || north === null || south === null ? null : { west, east, north, south },
    on: {
      v3: [{ name: 'spatial_bounds', schema: ref('Bounds'), nullable: true }],
      flat: SIDES.map((side) => ({ name: side, part: side, ...NULLABLE_NUMBER })),
    },
  },
  access_modifier: {
    told: { title: ['Access level', 'Toegang'], group: 'what', column: 2 },
    kind: kinds.accessLevel,
    on: {
      v4: 'access_modifier',
      ogc: [{ name: 'access_modifier', schema: STRING, rank: 1, property: null }],
      file: 'access_modifier',
    },
    filters: [
      named({ v4: 'access_modifier' }, choice('access_modifier', ACCESS_LEVELS), {
        about: 'The access level of the series, as a name or its number,',
        example: 'Public',
        unindexed: SHORT_TABLE,
      }),
    ],
    body: { schema: { ...orNull(ACCESS), enum: [...Object.keys(ACCESS_LEVELS), null] }, stays: true },
  },
  created: {
    told: { title: ['Created', 'Opgeslagen'], group: 'more', column: 3 },
    kind: kinds.microseconds,
    on: {
      v4: [{ name: 'created', rank: 1 }],
      ogc: [{ name: 'created', rank: 1, title: 'Made' }],
      file: 'created',
    },
    filters: [
      named({ v4: 'created' }, instant('created'), {
        about: 'The time at which the series was created',
        example: '2022-09-01T09:20:06Z',
        unindexed: SHORT_TABLE,
      }),
    ],
    orders: [{ v3: 'created', v4: 'created' }],
  },
  last_modified: {
    told: { title: ['Last changed', 'Laatste wijziging'], group: 'more', column: 3 },
    kind: kinds.nullable(kinds.microseconds),
    otherwise: null,
    on: { v4: 'last_modified', ogc: [{ name: 'last_modified', rank: 1 }], file: 'last_modified' },
    filters: [
      named({ v4: 'last_modified' }, instant('last_modified'), {
        about: 'The time of the last change of the series',
        example: '2018-02-07T01:42:00Z',
        unindexed: SHORT_TABLE,
      }),
    ],
    orders: [{ v3: 'last_modified', v4: 'last_modified' }],
  },
} satisfies Fields
