import { type SQL, sql } from 'drizzle-orm'
import { eventSeries as table } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../access.ts'
import { caseFold, fold } from '../filters/fold.ts'
import { number } from '../filters/numbers.ts'
import { canonicalUuid, choice, uuid as uuidFilter } from '../filters/references.ts'
import { instant, MICROSECONDS, MILLISECONDS } from '../filters/temporal.ts'
import { text } from '../filters/text.ts'
import {
  accessForm,
  as,
  borrowed,
  columnMember,
  everywhere,
  integer,
  iso,
  NOWHERE,
  named,
  nullable,
  plain,
  single,
  string,
  timestamp,
} from './declare.ts'
import type { Fields } from './field.ts'
import * as kinds from './kinds.ts'
import { TYPE_OF_SERIES } from './observationType.ts'
import { INTEGER, NUMBER, orNull, ref, STRING, UUID } from './schema.ts'
import type { SeriesRow } from './types.ts'

const uuid = plain(UUID)
const instantOf = iso(MICROSECONDS)
const time = nullable(iso(MILLISECONDS))

const LONG = { ...STRING, maxLength: kinds.MAX_TEXT }
/** The schema of a colour: `#` and six hexadecimal digits. */
export const COLOR = { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }
const ACCESS = { type: 'string', enum: Object.keys(ACCESS_LEVELS) }

/** The names of the series, for text filters. */
const name = { key: table.id, table, id: table.id, text: table.name, folded: table.nameFolded }

const NEW_UUID = {
  query: (values: string): SQL =>
    sql`SELECT given.value AS given, ${table.id} AS id FROM json_each(${values}) AS given JOIN ${table} ON ${table.uuid} = given.value`,
  message: () => 'Another series has this uuid. Leave it out to get a new one.',
  fresh: true,
} as const

const SHORT_TABLE = 'the table of series is short'

export const SERIES = {
  id: {
    ...single('id', table.id),
    kind: kinds.positive('a positive integer'),
    on: { ...NOWHERE, file: as('id', integer) },
    told: { title: ['Id', 'Id'], group: 'more' },
    filters: [named({ v3: 'id' }, number(table.id), { about: 'The id of the series', example: 5, rank: 1 })],
    orders: [{ v3: 'id', v4: 'id', column: table.id }],
  },
  uuid: {
    ...single('uuid', table.uuid),
    kind: kinds.uuid,
    on: {
      ...{ ...NOWHERE, v4: as('uuid', uuid), file: as('uuid', uuid) },
      ogc: as('uuid', uuid, { property: { kind: 'text', column: table.uuid, canonical: canonicalUuid } }),
    },
    told: { title: ['Uuid', 'Uuid'], group: 'more', column: 3 },
    filters: [
      named('uuid', uuidFilter(table.uuid), {
        about: 'The uuid of the series',
        example: '99fe5d03-893d-5b20-8244-b9189db33e37',
      }),
    ],
    body: {
      schema: { ...orNull(UUID), description: 'Without a value, the series gets a new uuid.' },
      once: true,
      lookup: NEW_UUID,
    },
  },
  name: {
    ...single('name', table.name),
    kind: kinds.text('a text', kinds.MAX_NAME),
    also: {
      columns: { nameFolded: table.nameFolded, nameCaseFolded: table.nameCaseFolded },
      of: (value: string) => ({ nameFolded: fold(value), nameCaseFolded: caseFold(value) }),
    },
    on: {
      ...{ ...everywhere('name', string), tile: null },
      ogc: as('name', string, { property: { kind: 'text', column: table.name, caseFolded: table.nameCaseFolded } }),
    },
    told: { title: ['Name', 'Naam'], group: 'what', column: 1 },
    filters: [named('name', text(name), { about: 'The name of the series', example: 'Zomertijd Nederland' })],
    orders: [{ v3: 'name', v4: 'name', column: table.name }],
    body: { schema: { ...STRING, maxLength: kinds.MAX_NAME }, required: true },
  },
  description: {
    ...single('description', table.description),
    kind: kinds.text('a text, which may be empty'),
    otherwise: '',
    on: { ...everywhere('description', string), tile: null },
    told: { title: ['Description', 'Beschrijving'], group: 'what', column: 2 },
    body: { schema: orNull(LONG) },
  },
  ...TYPE_OF_SERIES,
  statistic: {
    ...single('statistic', table.statistic),
    kind: kinds.text('a text, such as "raw"'),
    otherwise: 'raw',
    on: { ...everywhere('statistic', string), ogc: as('statistic', string, { rank: 1 }), tile: null },
    told: { title: ['Statistic', 'Statistiek'], group: 'what', column: 3 },
    body: { schema: orNull(LONG) },
  },
  color: {
    ...single('color', table.color),
    kind: kinds.color,
    on: {
      ...{ ...everywhere('color', plain(COLOR)), tile: null },
      ogc: as('color', string, { rank: 1 }),
    },
    told: { title: ['Colour', 'Kleur'], group: 'more', column: 3, display: 'color' },
    body: { empty: null, schema: orNull(COLOR) },
  },
  start: {
    ...single('start', table.start),
    on: {
      ...{ ...NOWHERE, v3: as('first_value_timestamp', nullable(timestamp)), v4: as('start', time) },
      flat: as('first_value_timestamp', time),
      ogc: as('start', time, { role: 'primary-interval-start' }),
    },
    told: { title: ['Earliest start', 'Vroegste begin'], group: 'when', column: 1 },
    orders: [{ v3: null, v4: 'start', column: table.start, rank: 1 }],
  },
  end: {
    ...single('end', table.end),
    on: {
      ...{ ...NOWHERE, v3: as('last_value_timestamp', nullable(timestamp)), v4: as('end', time) },
      flat: as('last_value_timestamp', time),
      ogc: as('end', time, { role: 'primary-interval-end' }),
    },
    told: { title: ['Latest end', 'Laatste eind'], group: 'when', column: 1 },
    orders: [{ v3: null, v4: 'end', column: table.end, rank: 1 }],
  },
  event_count: {
    ...borrowed({ count: table.eventCount }),
    on: { ...NOWHERE, ogc: [columnMember('event_count', INTEGER, 'count')] },
    told: { title: ['Number of events', 'Aantal gebeurtenissen'], group: 'what', column: 1 },
  },
  bounds: {
    columns: { west: table.west, east: table.east, north: table.north, south: table.south },
    get: ({ west, east, north, south }: SeriesRow) =>
      west === null || east === null || north === null || south === null ? null : { west, east, north, south },
    on: {
      ...{ ...NOWHERE, v3: as('spatial_bounds', nullable(plain(ref('Bounds')))) },
      flat: (['west', 'east', 'north', 'south'] as const).map((side) =>
        columnMember(side, NUMBER, side, { nullable: true }),
      ),
    },
    told: { title: ['Bounds', 'Grenzen'], group: 'where', column: 2, display: 'bounds' },
  },
  access_modifier: {
    ...single('accessModifier', table.accessModifier),
    kind: kinds.accessLevel,
    on: {
      ...{ ...NOWHERE, v4: as('access_modifier', accessForm(ACCESS)), file: as('access_modifier', accessForm(STRING)) },
      ogc: as('access_modifier', accessForm(STRING), { rank: 1, property: null }),
    },
    told: { title: ['Access level', 'Toegang'], group: 'what', column: 2 },
    filters: [
      named({ v4: 'access_modifier' }, choice(table.accessModifier, ACCESS_LEVELS), {
        about: 'The access level of the series, as a name or its number,',
        example: 'Public',
        unindexed: SHORT_TABLE,
      }),
    ],
    body: { schema: { ...orNull(ACCESS), enum: [...ACCESS.enum, null] }, stays: true },
  },
  created: {
    ...single('created', table.created),
    kind: kinds.microseconds,
    on: {
      ...{ ...NOWHERE, v4: as('created', instantOf, { rank: 1 }), file: as('created', instantOf) },
      ogc: as('created', instantOf, { rank: 1, title: 'Made' }),
    },
    told: { title: ['Created', 'Opgeslagen'], group: 'more', column: 3 },
    filters: [
      named({ v4: 'created' }, instant(table.created, MICROSECONDS), {
        about: 'The time at which the series was created',
        example: '2022-09-01T09:20:06Z',
        unindexed: SHORT_TABLE,
      }),
    ],
    orders: [{ v3: 'created', v4: 'created', column: table.created }],
  },
  last_modified: {
    ...single('lastModified', table.lastModified),
    kind: kinds.nullable(kinds.microseconds),
    otherwise: null,
    on: {
      ...{ ...everywhere('last_modified', nullable(instantOf)), v3: null, flat: null, tile: null },
      ogc: as('last_modified', nullable(instantOf), { rank: 1 }),
    },
    told: { title: ['Last changed', 'Laatste wijziging'], group: 'more', column: 3 },
    filters: [
      named({ v4: 'last_modified' }, instant(table.lastModified, MICROSECONDS), {
        about: 'The time of the last change of the series',
        example: '2018-02-07T01:42:00Z',
        unindexed: SHORT_TABLE,
      }),
    ],
    orders: [{ v3: 'last_modified', v4: 'last_modified', column: table.lastModified }],
  },
} satisfies Fields
